//! A test double of the graph engine, for machines without it.
//!
//! The headers in `include/` have the names and signatures of the vendor's that the shim uses; the libraries behind them
//! run graphs through the simulator inside this program. The very shim that is compiled against a toolkit is compiled
//! against these, so its code is what is tested.
//!
//! ```
//! use ascendcl_ge_double::Double;
//!
//! let double = Double::load()?;
//! assert_eq!(double.count("sessions"), 0);
//! assert!(double.shim().exists());
//! # Ok::<(), ascendcl_ge_double::Missing>(())
//! ```

use ascendcl_ge_sys::Place;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::fmt;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

mod objects;

pub use objects::{GraphObject, TensorObject, free_tensors, tensor_memory};

/// The double in this process.
#[derive(Clone, Copy, Debug)]
pub struct Double(&'static Loaded);

#[derive(Debug)]
struct Loaded {
    upset: unsafe extern "C" fn(*const c_char, c_int),
    upset_at: unsafe extern "C" fn(usize, c_int),
    count: unsafe extern "C" fn(*const c_char) -> usize,
    log: unsafe extern "C" fn() -> *const c_char,
    reset: unsafe extern "C" fn(),
    hold: unsafe extern "C" fn(c_int),
    objects: objects::Functions,
    _keeps: libloading::Library,
}

/// Why there is no double.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing(String);

/// What a call is made to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Upset {
    /// It fails.
    Fail = 1,
    /// It throws a `std::exception`.
    ThrowException = 2,
    /// It throws something else.
    ThrowNumber = 3,
    /// `ExecuteGraphWithStreamAsync` fails when it has queued its work.
    FailAfter = 4,
    /// `RegisterExternalAllocator` throws when the registration has taken effect.
    ThrowAfter = 5,
}

impl Double {
    /// Loads it, and tells it to run graphs through the simulator inside this program.
    ///
    /// # Errors
    ///
    /// [`Missing`] when it could not be made: there was no C++ compiler when this crate was built.
    pub fn load() -> Result<Self, Missing> {
        static LOADED: OnceLock<Result<Loaded, Missing>> = OnceLock::new();
        LOADED.get_or_init(load).as_ref().map(Self).map_err(Clone::clone)
    }

    /// The shim that was compiled against the double.
    pub fn shim(self) -> PathBuf {
        folder().join("libascendcl_ge.so")
    }

    /// The shim, for the safe layer to load.
    pub fn place(self) -> Place {
        // SAFETY: `Place::at` asks for a file that is a shim. This one was compiled from the shim's source when this
        // crate was built.
        unsafe { Place::at(self.shim()) }
    }

    /// The double of the vendor's own C functions, which have a part of the engine.
    pub fn wrapper(self) -> PathBuf {
        folder().join("libge_runtime_wrapper.so")
    }

    /// A wrapper of an earlier release, whose functions are others.
    pub fn old_wrapper(self) -> PathBuf {
        folder().join("libge_runtime_wrapper_old.so")
    }

    /// The next call of this name does so.
    pub fn upset(self, call: &str, how: Upset) {
        // SAFETY: the function reads a terminated string during the call. `c_text` makes one, which lives for longer.
        unsafe { (self.0.upset)(c_text(call).as_ptr(), how as c_int) }
    }

    /// The call with this number does so, whatever its name: they are counted from the last [`reset`](Self::reset), and
    /// the first is 1. The end of a session cannot fail, and does not count.
    pub fn upset_at(self, number: usize, how: Upset) {
        // SAFETY: the function takes numbers by value, and no pointer: it asks for nothing but its signature, which is
        // that of its header.
        unsafe { (self.0.upset_at)(number, how as c_int) }
    }

    /// With `true`, executions that are queued from now on begin when this is called with `false`.
    pub fn hold(self, hold: bool) {
        // SAFETY: the function takes numbers by value, and no pointer: it asks for nothing but its signature, which is
        // that of its header.
        unsafe { (self.0.hold)(c_int::from(hold)) }
    }

    /// How many there are: `initialised`, `sessions`, `graphs`, `allocators`; or how many `calls` there were since the last
    /// [`reset`](Self::reset).
    pub fn count(self, what: &str) -> usize {
        // SAFETY: the function reads a terminated string during the call. `c_text` makes one, which lives for longer.
        unsafe { (self.0.count)(c_text(what).as_ptr()) }
    }

    /// The calls since the last [`reset`](Self::reset), each with the number of its graph.
    pub fn log(self) -> Vec<String> {
        // SAFETY: `CStr::from_ptr` asks for a terminated string that stays in place. The answer is one that is there
        // until this thread's next call; it is copied here.
        let text = unsafe { CStr::from_ptr((self.0.log)()) }.to_string_lossy();
        text.lines().map(str::to_owned).collect()
    }

    /// The calls of the simulator that the double has made since the last [`reset`](Self::reset), by the numbers that a
    /// [plan](ascendcl_sim::Plan) counts them with. Those that fail are the engine's own affair.
    pub fn own_calls(self) -> Vec<u64> {
        own_calls().clone()
    }

    /// Forgets the log, and what calls were to do.
    pub fn reset(self) {
        own_calls().clear();
        // SAFETY: the function takes no arguments: it asks for nothing but its signature, which is that of the shim's
        // header.
        unsafe { (self.0.reset)() }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "there is no double of the graph engine: {}; install a C++ compiler, or name one with CXX, and build again",
            self.0
        )
    }
}

impl std::error::Error for Missing {}

fn folder() -> &'static Path {
    Path::new(env!("GE_DOUBLE"))
}

fn load() -> Result<Loaded, Missing> {
    let missing = env!("GE_DOUBLE_MISSING");
    if !missing.is_empty() {
        return Err(Missing(missing.to_owned()));
    }
    let failed = |error: libloading::Error| Missing(error.to_string());
    // SAFETY: `Library::get` asks that a symbol has the type that it is taken as. This is this crate's own library,
    // whose functions have the signatures of its header.
    unsafe {
        let library = libloading::Library::new(folder().join("libge_runner.so")).map_err(failed)?;
        let use_: unsafe extern "C" fn(unsafe extern "C" fn(*const c_char) -> *mut c_void) =
            *library.get("ge_double_use").map_err(failed)?;
        use_(resolve);
        Ok(Loaded {
            upset: *library.get("ge_double_upset").map_err(failed)?,
            upset_at: *library.get("ge_double_upset_at").map_err(failed)?,
            count: *library.get("ge_double_count").map_err(failed)?,
            log: *library.get("ge_double_log").map_err(failed)?,
            reset: *library.get("ge_double_reset").map_err(failed)?,
            hold: *library.get("ge_double_hold").map_err(failed)?,
            objects: objects::Functions::of(&library).map_err(failed)?,
            _keeps: library,
        })
    }
}

static OWN_CALLS: Mutex<Vec<u64>> = Mutex::new(Vec::new());

fn own_calls() -> MutexGuard<'static, Vec<u64>> {
    OWN_CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The simulator's functions, as C asks for them: each time right before it calls one.
unsafe extern "C" fn resolve(name: *const c_char) -> *mut c_void {
    match ascendcl_sim::control::calls() {
        // The double does not count.
        0 => (),
        calls => own_calls().push(calls + 1),
    }
    // SAFETY: `CStr::from_ptr` asks for a terminated string that stays in place. The double passes one for the length
    // of the call.
    let name = unsafe { CStr::from_ptr(name) };
    let found = name.to_str().ok().and_then(ascendcl_sim::resolve);
    found.map_or(core::ptr::null_mut(), |function| function.as_ptr())
}

/// The names of calls and counts are this crate's own and have no NUL byte; a text with one names nothing.
fn c_text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}
