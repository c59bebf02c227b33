//! A loaded library, and the process that may call it.
//!
//! `fork` copies this crate's values to the child, but neither the library's threads nor the device's state. So no
//! handle is valid in the child (THREAD-05). Every call checks whether it runs in such a child, so the check has to be
//! cheap: each loaded library has a page that the kernel wipes in a child (`MADV_WIPEONFORK`), and a call reads one
//! word of it.

use super::exit::count_in_this_process;
use super::function_cache::FunctionCache;
use super::resets::Resets;
use ascendcl_sys::{Library, Origin};
use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

/// A library, the process that loaded it, and the word that each call checks first.
#[derive(Debug)]
pub(crate) struct LoadedLibrary {
    library: &'static Library,
    resets: &'static Resets,
    process: u32,
    /// The mark is a set of the bits below; 0 in a forked child.
    cache: &'static FunctionCache,
}

/// This is the process that loaded the library.
const OWN: u32 = 1;
/// Each call compares the thread's current context first.
const VERIFY: u32 = 2;
/// The kernel cannot wipe the page, so calls compare the process id.
const ASK: u32 = 4;

/// Added to the mark for each thread whose entered context the library refused to make current again. The bits from
/// here up to [`VERIFIED`] count these threads. With more threads than fit, calls would be verified, too.
const DISPLACED: u32 = 8;

/// Added to the mark for each [`Verified`] value. The bits from here on count these.
const VERIFIED: u32 = 1 << 16;

/// Each call of the library is verified while this exists.
#[derive(Debug)]
pub(crate) struct Verified {
    loading: &'static LoadedLibrary,
}

impl Drop for Verified {
    fn drop(&mut self) {
        // In a child the word is 0, and stays so.
        if !self.loading.is_forked() {
            self.loading.cache.mark.fetch_sub(VERIFIED, Ordering::Relaxed);
        }
    }
}

/// The environment variable that turns on verification of each call, if its value is neither empty nor `0`.
const VERIFIES: &str = "ASCENDCL_VERIFY_CURRENT";

impl LoadedLibrary {
    pub(crate) fn new(library: &'static Library) -> &'static Self {
        let cache = wiped_in_children().unwrap_or_else(|| Box::leak(Box::new(FunctionCache::new(ASK))));
        let verifies = std::env::var_os(VERIFIES).is_some_and(|value| !value.is_empty() && value != *"0");
        cache.mark.fetch_or(if verifies { OWN | VERIFY } else { OWN }, Ordering::Relaxed);
        count_in_this_process();
        Box::leak(Box::new(Self { library, resets: Resets::of(library), process: std::process::id(), cache }))
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

    /// The functions that fast paths call while calls are plain.
    #[inline]
    pub(super) fn cache(&self) -> &'static FunctionCache {
        self.cache
    }

    /// Looks the function up and caches it for fast paths, if calls are plain.
    #[cold]
    #[inline(never)]
    pub(super) fn fill_cache<P: Copy, E>(&self, place: usize, of: impl FnOnce(&Library) -> Result<P, E>) {
        // The look-up may take long, so it comes before `put`, for which other threads may have to wait. It is useless
        // while calls are checked.
        if self.is_plain()
            && let Ok(function) = of(self.library)
        {
            self.cache.put(place, function, |mark| mark.load(Ordering::Relaxed) == OWN);
        }
    }

    #[inline]
    fn mark(&self) -> u32 {
        self.cache.mark.load(Ordering::Relaxed)
    }

    /// Changes the mark so that calls are checked. That holds for the calls of this thread from now on, and for calls
    /// of other threads that happen after the change.
    fn make_checked(&self, change: impl FnOnce(&AtomicU32)) {
        change(&self.cache.mark);
        self.cache.clear();
    }

    /// Whether this process is not the one that loaded the library.
    #[inline]
    pub(crate) fn is_forked(&self) -> bool {
        let mark = self.mark();
        mark & OWN == 0 || (mark & ASK != 0 && std::process::id() != self.process)
    }

    /// Records that the library refused to make the entered context of this thread current again. Each call checks for that
    /// until [`remove_displaced`](Self::remove_displaced).
    #[cold]
    pub(super) fn add_displaced(&self) {
        // In a child the word stays without `OWN`, which marks it as a child.
        self.make_checked(|mark| _ = mark.fetch_add(DISPLACED, Ordering::AcqRel));
    }

    /// Takes back what [`add_displaced`](Self::add_displaced) recorded for this thread.
    #[cold]
    pub(super) fn remove_displaced(&self) {
        if !self.is_forked() {
            self.cache.mark.fetch_sub(DISPLACED, Ordering::Relaxed);
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
        self.make_checked(|mark| _ = mark.fetch_add(VERIFIED, Ordering::AcqRel));
        Some(Verified { loading: self })
    }

    pub(crate) fn verify(&self, on: bool) {
        // In a child the word stays 0.
        match on {
            _ if self.is_forked() => (),
            true => self.make_checked(|mark| _ = mark.fetch_or(VERIFY, Ordering::AcqRel)),
            false => _ = self.cache.mark.fetch_and(!VERIFY, Ordering::Relaxed),
        }
    }
}

impl fmt::Display for LoadedLibrary {
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
fn wiped_in_children() -> Option<&'static FunctionCache> {
    use core::ffi::{c_int, c_void};
    const BYTES: usize = 4096;
    const { assert!(size_of::<FunctionCache>() <= BYTES && align_of::<FunctionCache>() <= BYTES) };
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
    Some(unsafe { &*page.cast::<FunctionCache>() })
}

#[cfg(not(any(
    miri,
    all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))
)))]
fn wiped_in_children() -> Option<&'static FunctionCache> {
    None
}

/// Miri cannot fork, so any memory will do.
#[cfg(miri)]
fn wiped_in_children() -> Option<&'static FunctionCache> {
    Some(Box::leak(Box::new(FunctionCache::new(0))))
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
        let cache: &'static FunctionCache = Box::leak(Box::new(FunctionCache::new(ASK | OWN)));
        let here = std::process::id();
        let library = without_functions();
        let resets = Resets::of(library);
        let own = LoadedLibrary { library, resets, process: here, cache };
        assert!(!own.is_forked() && !own.is_plain());
        let other = LoadedLibrary { library, resets, process: here + 1, cache };
        assert!(other.is_forked());
    }

    #[test]
    fn calls_are_verified_while_anyone_asks_for_it() {
        let loading = LoadedLibrary::new(without_functions());
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

    /// A call whose function is cached makes no check, so no function is cached while calls are verified.
    #[test]
    fn no_function_is_found_while_calls_are_verified() {
        const PLACE: usize = 3;
        let loading = LoadedLibrary::new(with_functions());
        // SAFETY: `get` asks for the type of what was kept at this place. Any address is a pointer.
        let is_at = |place| unsafe { loading.cache().get::<*const c_void>(place) }.is_some();
        let find = || is_at(PLACE);
        let keep = || loading.fill_cache(PLACE, ascendcl_sys::pointers_of::aclrtFree);
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
        threads.iter().for_each(|loading| loading.add_displaced());
        for displaced in threads {
            assert!(!loading.verifies());
            keep();
            assert!(!find());
            displaced.remove_displaced();
        }
        keep();
        assert!(find());
    }

    #[test]
    fn a_function_that_the_library_lacks_is_not_kept() {
        let loading = LoadedLibrary::new(without_functions());
        loading.fill_cache(3, ascendcl_sys::pointers_of::aclrtFree);
        // SAFETY: `get` asks for the type of what was kept at this place. Any address is a pointer.
        assert!(unsafe { loading.cache().get::<*const c_void>(3) }.is_none());
    }

    #[test]
    fn the_kernel_wipes_the_page_here() {
        assert!(LoadedLibrary::new(without_functions()).is_plain());
    }
}
