//! The functions that calls of this process find by one look, which also shows that the call needs no further check.
//!
//! They are in a page that the kernel wipes in a forked child, and they are forgotten while calls are to be verified. So
//! who finds a function here knows that this is the process that loaded the library, and that calls are
//! [plain](super::process::Loading::is_plain).

use ascendcl_sys::Library;
use core::ffi::c_void;
use core::mem::{size_of, transmute_copy};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// How many functions have a place.
pub(super) const PLACES: usize = 32;

/// The mark of a loaded library, and its functions that were found while the mark was plain. All bytes are zero before
/// the first use, and in a forked child.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct PlainCalls {
    pub(super) mark: AtomicU32,
    functions: [AtomicPtr<c_void>; PLACES],
}

impl PlainCalls {
    /// The function at this place, if it was [kept](Self::keep) and calls are plain.
    ///
    /// # Safety
    ///
    /// `P` is the type of the function whose place this is: every [`keep`](Self::keep) at this place has kept one of it.
    #[inline(always)]
    pub(super) unsafe fn find<P: Copy>(&self, place: usize) -> Option<P> {
        const { assert!(size_of::<P>() == size_of::<*mut c_void>()) };
        let address = self.functions.get(place)?.load(Ordering::Relaxed);
        // SAFETY: `transmute_copy` asks that the bytes are a valid value of the target. The place has null, or a pointer of
        // this type that `keep` has stored there (the safety section of this function).
        (!address.is_null()).then(|| unsafe { transmute_copy::<*mut c_void, P>(&address) })
    }

    /// Keeps the function at its place for [`find`](Self::find) while calls are plain.
    ///
    /// `is_plain` is asked after the function was stored, and a change of the mark [forgets](Self::forget) the functions
    /// after the mark was changed. Both have `SeqCst`, so one of the two sees the other.
    pub(super) fn keep<P: Copy, E>(
        &self,
        place: usize,
        library: &Library,
        is_plain: impl Fn() -> bool,
        of: impl FnOnce(&Library) -> Result<P, E>,
    ) {
        const { assert!(size_of::<P>() == size_of::<*mut c_void>()) };
        let (Ok(function), Some(place)) = (of(library), self.functions.get(place)) else { return };
        // SAFETY: `transmute_copy` asks that the bytes are a valid value of the target. Any address is a pointer, and
        // both have one size.
        let address = unsafe { transmute_copy::<P, *mut c_void>(&function) };
        place.store(address, Ordering::SeqCst);
        if !is_plain() {
            place.store(null_mut(), Ordering::SeqCst);
        }
    }

    /// Forgets the functions, after the mark was changed.
    #[cold]
    pub(super) fn forget(&self) {
        self.functions.iter().for_each(|place| place.store(null_mut(), Ordering::SeqCst));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;

    extern "C" fn called() {}

    fn library(has: bool) -> &'static Library {
        let all = |_: &str| core::ptr::NonNull::new(called as *mut c_void);
        // SAFETY: `Library::from_table` asks that each address is of a function with the table's signature. Nothing is
        // called in these tests.
        unsafe { Library::from_table("test", if has { all } else { |_| None }) }
    }

    const PLACE: usize = 3;

    fn is_at(calls: &PlainCalls, place: usize) -> bool {
        // SAFETY: `find` asks for the type of what was kept at this place. Any address is a pointer.
        unsafe { calls.find::<*const c_void>(place) }.is_some()
    }

    fn find(calls: &PlainCalls) -> bool {
        is_at(calls, PLACE)
    }

    fn keep(calls: &PlainCalls, library: &Library, is_plain: impl Fn() -> bool) {
        calls.keep(PLACE, library, is_plain, ascendcl_sys::pointers_of::aclrtFree);
    }

    #[test]
    fn a_function_is_found_after_it_was_kept_and_until_it_is_forgotten() {
        let (calls, library) = (PlainCalls::default(), library(true));
        assert!(!find(&calls));
        keep(&calls, library, || true);
        assert!(find(&calls));
        assert!(!is_at(&calls, PLACE + 1), "each function has a place of its own");
        calls.forget();
        assert!(!find(&calls));
    }

    #[test]
    fn nothing_is_kept_while_calls_are_checked_or_the_library_lacks_it() {
        let calls = PlainCalls::default();
        keep(&calls, library(true), || false);
        assert!(!find(&calls));
        keep(&calls, library(false), || true);
        assert!(!find(&calls));
    }

    /// The mark changes between the look-up and the store: the function is not kept.
    #[test]
    fn a_change_that_comes_meanwhile_is_seen() {
        let (calls, asked) = (PlainCalls::default(), Cell::new(0));
        keep(&calls, library(true), || {
            asked.set(asked.get() + 1);
            assert!(find(&calls), "it is asked after the store");
            calls.forget();
            false
        });
        assert_eq!((asked.get(), find(&calls)), (1, false));
    }
}
