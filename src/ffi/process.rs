//! A loaded library, and the process that may call it.
//!
//! `fork` copies this crate's values to the child, but neither the library's threads nor the device's state. So no
//! handle is valid in the child (THREAD-05). Every call checks whether it runs in such a child, so the check has to be
//! cheap: each loaded library has a page that the kernel wipes in a child (`MADV_WIPEONFORK`), and a call reads one
//! word of it.

use super::exit::waits_for_own_threads;
use super::plain::PlainCalls;
use super::resets::Resets;
use ascendcl_sys::{Library, Origin};
use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

/// A library, the process that loaded it, and the word that each call checks first.
#[derive(Debug)]
pub(crate) struct Loading {
    library: &'static Library,
    resets: &'static Resets,
    process: u32,
    /// The mark is a set of the bits below; 0 in a forked child.
    plain: &'static PlainCalls,
}

/// This is the process that loaded the library.
const OWN: u32 = 1;
/// Each call compares the thread's current context first.
const VERIFY: u32 = 2;
/// The kernel cannot wipe the page, so calls compare the process id.
const ASK: u32 = 4;

/// What the mark is raised by for each thread whose entered context the library has refused to make current again. The bits
/// up to the next one count them. If there were more, calls would be verified, too.
const DISPLACED: u32 = 8;

/// What the mark is raised by for each [`Verified`]: the bits above count them.
const VERIFIED: u32 = 1 << 16;

/// Each call of the library is verified while this exists.
#[derive(Debug)]
pub(crate) struct Verified {
    loading: &'static Loading,
}

impl Drop for Verified {
    fn drop(&mut self) {
        // In a child the word is 0, and stays so.
        if !self.loading.is_forked() {
            self.loading.plain.mark.fetch_sub(VERIFIED, Ordering::Relaxed);
        }
    }
}

/// The environment variable that turns on verification of each call, if its value is neither empty nor `0`.
const VERIFIES: &str = "ASCENDCL_VERIFY_CURRENT";

impl Loading {
    pub(crate) fn new(library: &'static Library) -> &'static Self {
        let plain = wiped_in_children().unwrap_or_else(|| Box::leak(Box::new(PlainCalls::new(ASK))));
        let verifies = std::env::var_os(VERIFIES).is_some_and(|value| !value.is_empty() && value != *"0");
        plain.mark.fetch_or(if verifies { OWN | VERIFY } else { OWN }, Ordering::Relaxed);
        waits_for_own_threads();
        Box::leak(Box::new(Self { library, resets: Resets::of(library), process: std::process::id(), plain }))
    }

    #[inline]
    pub(crate) fn library(&self) -> &'static Library {
        self.library
    }

    #[inline]
    pub(super) fn resets(&self) -> &'static Resets {
        self.resets
    }

    /// The process that loaded the library.
    pub(crate) fn process(&self) -> u32 {
        self.process
    }

    /// Whether calls need no further checks.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.mark() == OWN
    }

    /// The functions that a call finds by one look while calls are plain.
    #[inline]
    pub(super) fn plain(&self) -> &'static PlainCalls {
        self.plain
    }

    /// Lets calls find this function by one look from now on, if calls are plain.
    #[cold]
    #[inline(never)]
    pub(super) fn keep<P: Copy, E>(&self, place: usize, of: impl FnOnce(&Library) -> Result<P, E>) {
        // Looked up before the other threads have to wait, and not while calls are checked.
        if self.is_plain()
            && let Ok(function) = of(self.library)
        {
            self.plain.keep(place, function, |mark| mark.load(Ordering::Relaxed) == OWN);
        }
    }

    #[inline]
    fn mark(&self) -> u32 {
        self.plain.mark.load(Ordering::Relaxed)
    }

    /// Changes the mark so that calls are checked further: those of this thread, and of others that know of the change.
    fn check_further(&self, change: impl FnOnce(&AtomicU32)) {
        change(&self.plain.mark);
        self.plain.forget();
    }

    /// Whether this process is not the one that loaded the library.
    #[inline]
    pub(crate) fn is_forked(&self) -> bool {
        let mark = self.mark();
        mark & OWN == 0 || (mark & ASK != 0 && std::process::id() != self.process)
    }

    /// Records that the library refused to make the entered context of this thread current again. Each call checks for that
    /// until [`has_returned`](Self::has_returned).
    #[cold]
    pub(super) fn has_displaced(&self) {
        // In a child the word stays without `OWN`, which marks it as a child.
        self.check_further(|mark| _ = mark.fetch_add(DISPLACED, Ordering::AcqRel));
    }

    /// Takes back what [`has_displaced`](Self::has_displaced) recorded for this thread.
    #[cold]
    pub(super) fn has_returned(&self) {
        if !self.is_forked() {
            self.plain.mark.fetch_sub(DISPLACED, Ordering::Relaxed);
        }
    }

    pub(super) fn verifies(&self) -> bool {
        let mark = self.mark();
        mark & VERIFY != 0 || mark >= VERIFIED
    }

    /// Each call compares the thread's current context first while the answer exists. `None` in a child, which makes no
    /// calls.
    pub(crate) fn verified(&'static self) -> Option<Verified> {
        if self.is_forked() {
            return None;
        }
        self.check_further(|mark| _ = mark.fetch_add(VERIFIED, Ordering::AcqRel));
        Some(Verified { loading: self })
    }

    pub(crate) fn verify(&self, on: bool) {
        // In a child the word stays 0.
        match on {
            _ if self.is_forked() => (),
            true => self.check_further(|mark| _ = mark.fetch_or(VERIFY, Ordering::AcqRel)),
            false => _ = self.plain.mark.fetch_and(!VERIFY, Ordering::Relaxed),
        }
    }
}

impl fmt::Display for Loading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.library.origin() {
            Origin::File(path) => write!(f, "the library at {}", path.display()),
            _ => f.write_str("the simulator inside this program (no Ascend device is used)"),
        }
    }
}

/// Memory whose bytes are 0, and become 0 again in every child of this process. `None` if the kernel does not support
/// such memory.
#[cfg(all(
    not(miri),
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
fn wiped_in_children() -> Option<&'static PlainCalls> {
    use core::ffi::{c_int, c_void};
    const BYTES: usize = 4096;
    const { assert!(size_of::<PlainCalls>() <= BYTES && align_of::<PlainCalls>() <= BYTES) };
    const READ_AND_WRITE: c_int = 1 | 2;
    const PRIVATE_AND_ANONYMOUS: c_int = 0x02 | 0x20;
    const WIPE_ON_FORK: c_int = 18;
    const FAILED: usize = usize::MAX;
    unsafe extern "C" {
        fn mmap(start: *mut c_void, bytes: usize, access: c_int, flags: c_int, file: c_int, offset: i64)
        -> *mut c_void;
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
        fn munmap(start: *mut c_void, bytes: usize) -> c_int;
    }
    // SAFETY: without `MAP_FIXED`, `mmap` has no requirements: it maps memory that nothing else uses. The declared
    // signature is that of the C library on these targets.
    let page = unsafe { mmap(core::ptr::null_mut(), BYTES, READ_AND_WRITE, PRIVATE_AND_ANONYMOUS, -1, 0) };
    if page.is_null() || page.addr() == FAILED {
        return None;
    }
    // SAFETY: `madvise` changes what happens to a page in a child, and asks for a page that is mapped. The page was
    // mapped above, and nothing refers to it yet.
    if unsafe { madvise(page, BYTES, WIPE_ON_FORK) } != 0 {
        // SAFETY: `munmap` asks for a page to which nothing refers. It was mapped above, and its address was not
        // stored.
        unsafe { munmap(page, BYTES) };
        return None;
    }
    // SAFETY: a shared reference asks for an aligned pointer to a valid value that only atomic accesses change. A page is
    // aligned and larger than the value, which is valid when its bytes are zero. This page is zeroed and never unmapped,
    // and nothing else has its address.
    Some(unsafe { &*page.cast::<PlainCalls>() })
}

#[cfg(not(any(
    miri,
    all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))
)))]
fn wiped_in_children() -> Option<&'static PlainCalls> {
    None
}

/// Miri cannot fork, so any memory will do.
#[cfg(miri)]
fn wiped_in_children() -> Option<&'static PlainCalls> {
    Some(Box::leak(Box::new(PlainCalls::new(0))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ffi::c_void;

    fn without_functions() -> &'static Library {
        // SAFETY: `Library::from_table` asks that each address is of a function with the table's signature. This table
        // has no addresses.
        unsafe { Library::from_table("none", |_| None) }
    }

    fn with_functions() -> &'static Library {
        extern "C" fn called() {}
        // SAFETY: `Library::from_table` asks that each address is of a function with the table's signature. Nothing is
        // called in these tests.
        unsafe { Library::from_table("all", |_| core::ptr::NonNull::new(called as *mut c_void)) }
    }

    #[test]
    fn without_a_page_that_is_wiped_the_process_is_compared() {
        let plain: &'static PlainCalls = Box::leak(Box::new(PlainCalls::new(ASK | OWN)));
        let here = std::process::id();
        let library = without_functions();
        let resets = Resets::of(library);
        let own = Loading { library, resets, process: here, plain };
        assert!(!own.is_forked() && !own.is_plain());
        let other = Loading { library, resets, process: here + 1, plain };
        assert!(other.is_forked());
    }

    #[test]
    fn calls_are_verified_while_anyone_asks_for_it() {
        let loading = Loading::new(without_functions());
        let (first, second) = (loading.verified(), loading.verified());
        assert!(loading.verifies() && !loading.is_plain() && !loading.is_forked());
        drop(first);
        assert!(loading.verifies());
        loading.verify(true);
        drop(second);
        assert!(loading.verifies(), "the program has switched it on");
        loading.verify(false);
        assert!(!loading.verifies() && loading.is_plain());
    }

    /// A call that finds its function by one look makes no check, so it finds none while calls are verified.
    #[test]
    fn no_function_is_found_while_calls_are_verified() {
        const PLACE: usize = 3;
        let loading = Loading::new(with_functions());
        // SAFETY: `find` asks for the type of what was kept at this place. Any address is a pointer.
        let is_at = |place| unsafe { loading.plain().find::<*const c_void>(place) }.is_some();
        let find = || is_at(PLACE);
        let keep = || loading.keep(PLACE, ascendcl_sys::pointers_of::aclrtFree);
        assert!(!find());
        keep();
        assert!(find());
        assert!(!is_at(PLACE + 1), "each function has a place of its own");
        loading.verify(true);
        assert!(!find());
        keep();
        assert!(!find());
        loading.verify(false);
        keep();
        assert!(find());
        let verified = loading.verified();
        assert!(!find());
        drop(verified);
        keep();
        assert!(find());
        let threads = [loading, loading];
        threads.iter().for_each(|loading| loading.has_displaced());
        for displaced in threads {
            assert!(!loading.verifies());
            keep();
            assert!(!find());
            displaced.has_returned();
        }
        keep();
        assert!(find());
    }

    #[test]
    fn a_function_that_the_library_lacks_is_not_kept() {
        let loading = Loading::new(without_functions());
        loading.keep(3, ascendcl_sys::pointers_of::aclrtFree);
        // SAFETY: `find` asks for the type of what was kept at this place. Any address is a pointer.
        assert!(unsafe { loading.plain().find::<*const c_void>(3) }.is_none());
    }

    #[test]
    fn the_kernel_wipes_the_page_here() {
        assert!(Loading::new(without_functions()).is_plain());
    }
}
