//! The functions that calls of this process find by one look, which also shows that the call needs no further check.
//!
//! They are in a page that the kernel wipes in a forked child, and they are forgotten while calls are to be verified. So
//! who finds a function here knows that this is the process that loaded the library, and that calls are
//! [plain](super::process::Loading::is_plain).

use super::atomic::{AtomicPtr, AtomicU32, Ordering};
use super::yield_now;
use core::ffi::c_void;
use core::mem::{size_of, transmute_copy};
use core::ptr::null_mut;

/// How many functions have a place.
pub(super) const PLACES: usize = 32;

/// The mark of a loaded library, and its functions that were found while the mark was plain. All bytes are zero before
/// the first use, and in a forked child.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct PlainCalls<const N: usize = PLACES> {
    pub(crate) mark: AtomicU32,
    /// How many threads are about to keep a function.
    keeping: AtomicU32,
    functions: [AtomicPtr<c_void>; N],
}

impl<const N: usize> PlainCalls<N> {
    /// With this mark, and no functions.
    pub(crate) fn new(mark: u32) -> Self {
        let functions = core::array::from_fn(|_| AtomicPtr::default());
        Self { mark: AtomicU32::new(mark), keeping: AtomicU32::new(0), functions }
    }

    /// The function at this place, if it was [kept](Self::keep) and calls are plain.
    ///
    /// # Safety
    ///
    /// `P` is the type of the function whose place this is: every [`keep`](Self::keep) at this place has kept one of it.
    #[inline(always)]
    pub(crate) unsafe fn find<P: Copy>(&self, place: usize) -> Option<P> {
        const { assert!(size_of::<P>() == size_of::<*mut c_void>()) };
        let address = self.functions.get(place)?.load(Ordering::Relaxed);
        // SAFETY: `transmute_copy` asks that the bytes are a valid value of the target. The place has null, or a pointer of
        // this type that `keep` has stored there (the safety section of this function).
        (!address.is_null()).then(|| unsafe { transmute_copy::<*mut c_void, P>(&address) })
    }

    /// Keeps the function at its place for [`find`](Self::find) while calls are plain.
    ///
    /// `is_plain` is asked between two marks of this thread, and [`forget`](Self::forget) waits for those that it finds
    /// marked. All of them change one number, in some order. So a change of the mark waits for this thread, or this thread
    /// sees the change and keeps nothing.
    pub(crate) fn keep<P: Copy>(&self, place: usize, function: P, is_plain: impl FnOnce(&AtomicU32) -> bool) {
        const { assert!(size_of::<P>() == size_of::<*mut c_void>()) };
        let Some(place) = self.functions.get(place) else { return };
        // SAFETY: `transmute_copy` asks that the bytes are a valid value of the target. Any address is a pointer, and
        // both have one size.
        let address = unsafe { transmute_copy::<P, *mut c_void>(&function) };
        self.keeping.fetch_add(1, Ordering::AcqRel);
        if is_plain(&self.mark) {
            place.store(address, Ordering::Relaxed);
        }
        self.keeping.fetch_sub(1, Ordering::Release);
    }

    /// Forgets the functions, after the mark was changed. Who comes after this finds none, until calls are plain again.
    #[cold]
    pub(crate) fn forget(&self) {
        // A change of the number, and not a look at it: who keeps a function afterwards sees the changed mark.
        while self.keeping.fetch_add(0, Ordering::AcqRel) != 0 {
            yield_now();
        }
        self.functions.iter().for_each(|place| place.store(null_mut(), Ordering::Relaxed));
    }
}
