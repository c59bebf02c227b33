//! The library that keeps books (`bookkeeper/`). It refuses calls on demand and records broken rules.
#![allow(clippy::unwrap_used, clippy::panic)]
#![allow(unreachable_pub)]
#![allow(dead_code, reason = "each test file uses a part")]

use super::common;
use super::common::scopes::with_device;
use ascendcl::{Acl, Current, Error, Library, Scoped};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock};

/// What the library answers when the time for a synchronise is up.
pub const TIMEOUT: i32 = 507_046;
/// What it answers when work failed on the device.
pub const WORK_FAILED: i32 = 507_011;

/// The library, for one test alone.
pub struct Books {
    _guard: MutexGuard<'static, ()>,
}

struct Loaded {
    path: PathBuf,
    library: libloading::Library,
}

const SOURCE: &str = concat!(
    include_str!("bookkeeper/books.c"),
    include_str!("bookkeeper/runtime.c"),
    include_str!("bookkeeper/models.c"),
    include_str!("bookkeeper/graphs.c"),
);

fn loaded() -> &'static Loaded {
    static LOADED: OnceLock<Loaded> = OnceLock::new();
    LOADED.get_or_init(|| {
        let path = common::c_library("bookkeeper", SOURCE);
        // SAFETY: the library has no initialisers. The loader answers the safe layer with the same one, by its path.
        let library = unsafe { libloading::Library::new(&path) }.unwrap();
        Loaded { path, library }
    })
}

/// A function of the control interface.
fn control<F: Copy>(name: &str) -> F {
    // SAFETY: `Library::get` asks for the type of the symbol: the callers give the signatures that `bookkeeper/`
    // declares. The library is never unloaded, so the copy stays valid.
    unsafe { *loaded().library.get::<F>(name).unwrap() }
}

/// The name of a function of the library. Of another one there would never be a call, and nothing would be refused.
#[track_caller]
fn function(name: &str) -> CString {
    // SAFETY: `Library::get` asks for the type of the symbol: the address is not used.
    let found = unsafe { loaded().library.get::<*const c_void>(name) };
    assert!(found.is_ok(), "the library has no function `{name}`");
    CString::new(name).unwrap()
}

pub fn books() -> Books {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // SAFETY: the function has the signature that `bookkeeper/` declares.
    unsafe { control::<unsafe extern "C" fn()>("null_reset")() };
    Books { _guard: guard }
}

/// Runs `program` in a context of this library, then closes everything. Nothing may be left, and no rule may be broken.
#[track_caller]
pub fn in_books<R>(books: &Books, program: impl for<'c> FnOnce(&mut Current<Scoped<'c>>) -> R) -> R {
    let result = with_device(books.acl(), |device, thread| device.with_current(thread, program).unwrap());
    books.assert_closed();
    result
}

/// Writes a word into the order of calls.
pub fn note(word: &str) {
    let word = CString::new(word).unwrap();
    // SAFETY: the function has the signature that `bookkeeper/` declares, and reads the text during the call.
    unsafe { control::<unsafe extern "C" fn(*const c_char)>("null_note")(word.as_ptr()) };
}

impl Books {
    pub fn path(&self) -> PathBuf {
        loaded().path.clone()
    }

    pub fn library(&self) -> Library {
        common::library_at(self.path())
    }

    pub fn acl(&self) -> Acl {
        Acl::init(self.library()).unwrap()
    }

    /// The next `times` calls of this function answer with `code` and do nothing; -1 stands for all of them.
    #[track_caller]
    pub fn refuse(&self, name: &str, code: i32, times: i32) {
        let name = function(name);
        // SAFETY: the function has the signature that `bookkeeper/` declares, and reads the text during
        // the call.
        unsafe {
            control::<unsafe extern "C" fn(*const c_char, c_int, c_int)>("null_fail")(name.as_ptr(), code, times)
        };
    }

    pub fn refuse_no_more(&self, name: &str) {
        self.refuse(name, 0, 0);
    }

    /// Both ways to synchronise a stream.
    pub fn refuse_to_synchronize(&self, code: i32) {
        self.refuse("aclrtSynchronizeStream", code, -1);
        self.refuse("aclrtSynchronizeStreamWithTimeout", code, -1);
    }

    pub fn synchronize_again(&self) {
        self.refuse_no_more("aclrtSynchronizeStream");
        self.refuse_no_more("aclrtSynchronizeStreamWithTimeout");
    }

    #[track_caller]
    pub fn calls(&self, name: &str) -> i32 {
        let name = function(name);
        // SAFETY: the function has the signature that `bookkeeper/` declares, and reads the text during
        // the call.
        unsafe { control::<unsafe extern "C" fn(*const c_char) -> c_int>("null_calls")(name.as_ptr()) }
    }

    /// The calls since the last look, in their order.
    pub fn log(&self) -> Vec<String> {
        self.text("null_log").split_whitespace().map(str::to_owned).collect()
    }

    /// What lives, in words.
    pub fn live(&self) -> String {
        self.text("null_live")
    }

    pub fn broken(&self) -> String {
        self.text("null_broken")
    }

    /// Nothing is left, and no rule was broken.
    #[track_caller]
    pub fn assert_closed(&self) {
        assert_eq!(self.broken(), "", "broken rules");
        assert_eq!(self.live(), "", "objects that are still alive");
    }

    pub fn pose_as(&self, soc: &str) {
        let soc = CString::new(soc).unwrap();
        // SAFETY: the function has the signature that `bookkeeper/` declares, and reads the text during
        // the call.
        unsafe { control::<unsafe extern "C" fn(*const c_char)>("null_soc")(soc.as_ptr()) };
    }

    /// From now on the library proposes an address when it allocates.
    pub fn propose(&self, address: usize) {
        // SAFETY: the function has the signature that `bookkeeper/` declares, and does not follow the address.
        unsafe { control::<unsafe extern "C" fn(*mut c_void)>("null_near")(std::ptr::without_provenance_mut(address)) };
    }

    /// From now on the library gives a block back at the next synchronise, and not after the launch.
    pub fn keep_blocks(&self) {
        self.set("null_give_back", 1);
    }

    /// From now on the library gives each block back twice.
    pub fn free_twice(&self) {
        self.set("null_give_back", 2);
    }

    /// From now on the library gives no block back.
    pub fn leak_blocks(&self) {
        self.set("null_give_back", 3);
    }

    /// From now on models have one output, of floats and without a size.
    pub fn have_an_output(&self) {
        self.set("null_outputs", 1);
    }

    /// The next updates of data buffers, so many, answer with an error, and the data buffers forget what they were, or, if
    /// `size_alone`, how large.
    pub fn tear_updates(&self, times: i32, size_alone: bool) {
        self.set("null_tear_updates", if size_alone { -times } else { times });
    }

    /// The next updates of data buffers, so many, answer with an error and change nothing. [`tear_updates`](Self::tear_updates)
    /// is about those after them.
    pub fn refuse_updates(&self, times: i32) {
        self.set("null_refuse_updates", times);
    }

    /// By which policy device memory was allocated last.
    pub fn last_policy(&self) -> u32 {
        // SAFETY: the function has the signature that `bookkeeper/` declares.
        unsafe { control::<unsafe extern "C" fn() -> u32>("null_last_policy")() }
    }

    /// From now on the program runs on the device.
    pub fn run_on_device(&self) {
        self.set("null_on_device", 1);
    }

    fn set(&self, name: &str, value: c_int) {
        // SAFETY: the function has the signature that `bookkeeper/` declares.
        unsafe { control::<unsafe extern "C" fn(c_int)>(name)(value) };
    }

    /// From now on callbacks are taken and never run.
    pub fn lose_callbacks(&self) {
        self.set("null_callbacks", 1);
    }

    /// From now on callbacks run on threads of their own, beside their stream, which does not wait for them.
    pub fn run_callbacks_beside(&self) {
        self.set("null_callbacks", 2);
    }

    fn text(&self, name: &str) -> String {
        // SAFETY: the function has the signature that `bookkeeper/` declares. `CStr::from_ptr` asks for a
        // terminated text that stays in place: it does until the next call, which has to wait for `self`.
        let text = unsafe { CStr::from_ptr(control::<unsafe extern "C" fn() -> *const c_char>(name)()) };
        text.to_str().unwrap().to_owned()
    }
}

/// The vendor call and code of an error.
#[track_caller]
pub fn refusal(error: &Error) -> (&'static str, i32) {
    match error {
        Error::Vendor(error) => (error.call, error.code.number()),
        other => panic!("another error: {other}"),
    }
}
