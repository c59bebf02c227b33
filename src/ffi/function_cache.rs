//! A cache of the library's functions that has entries only while calls need no further checks.
//!
//! The cache is in a page that the kernel wipes in a forked child, and it is cleared when calls are to be verified. So
//! a caller that finds a function here knows that this is the process that loaded the library, and that calls are
//! [plain](super::process::LoadedLibrary::is_plain): one load gives the function and replaces the checks.
//!
//! Another thread may have opened the file of the function. The load is `Acquire` and the store is `Release`, so what the
//! loader and the file's initialisers wrote is visible before the function is called.

use super::atomic::{AtomicPtr, AtomicU32, Ordering};
use super::yield_now;
use core::ffi::c_void;
use core::mem::{size_of, transmute_copy};
use core::ptr::null_mut;

/// How many functions have a place.
pub(super) const PLACES: usize = 32;

/// The mark of a loaded library (`process.rs`), and the functions that were cached while the mark was plain. All bytes
/// are zero before the first use, and in a forked child.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct FunctionCache<const N: usize = PLACES> {
    pub(crate) mark: AtomicU32,
    /// How many threads are in [`put`](Self::put).
    keeping: AtomicU32,
    functions: [AtomicPtr<c_void>; N],
}

impl<const N: usize> FunctionCache<N> {
    /// With this mark, and no functions.
    pub(crate) fn new(mark: u32) -> Self {
        let functions = core::array::from_fn(|_| AtomicPtr::default());
        Self { mark: AtomicU32::new(mark), keeping: AtomicU32::new(0), functions }
    }

    /// The function at this place, if it was [put](Self::put) there and calls are plain.
    ///
    /// # Safety
    ///
    /// `P` is the type of the function whose place this is: every [`put`](Self::put) at this place had this type.
    #[inline(always)]
    pub(crate) unsafe fn get<P: Copy>(&self, place: usize) -> Option<P> {
        const { assert!(size_of::<P>() == size_of::<*mut c_void>()) };
        let address = self.functions.get(place)?.load(Ordering::Acquire);
        // SAFETY: `transmute_copy` asks that the bytes are a valid value of the target. The place has null, or a pointer of
        // this type that `put` has stored there (the safety section of this function).
        (!address.is_null()).then(|| unsafe { transmute_copy::<*mut c_void, P>(&address) })
    }

    /// Caches the function at its place, if calls are plain.
    ///
    /// A thread is counted in `keeping` while it looks at the mark and stores the function, and [`clear`](Self::clear),
    /// which follows each change of the mark, waits until nobody is counted. Both are read-modify-writes of one number,
    /// so one comes first. So either `clear` waits for this thread, or this thread sees the changed mark and stores
    /// nothing.
    pub(crate) fn put<P: Copy>(&self, place: usize, function: P, is_plain: impl FnOnce(&AtomicU32) -> bool) {
        const { assert!(size_of::<P>() == size_of::<*mut c_void>()) };
        let Some(place) = self.functions.get(place) else { return };
        // SAFETY: `transmute_copy` asks that the bytes are a valid value of the target. Any address is a pointer, and
        // both have one size.
        let address = unsafe { transmute_copy::<P, *mut c_void>(&function) };
        self.keeping.fetch_add(1, Ordering::AcqRel);
        if is_plain(&self.mark) {
            place.store(address, Ordering::Release);
        }
        self.keeping.fetch_sub(1, Ordering::Release);
    }

    /// Clears the cache, after the mark was changed. It stays empty until calls are plain again.
    #[cold]
    pub(crate) fn clear(&self) {
        // A read-modify-write, not a load, so that a thread that is counted afterwards sees the changed mark.
        while self.keeping.fetch_add(0, Ordering::AcqRel) != 0 {
            yield_now();
        }
        self.functions.iter().for_each(|place| place.store(null_mut(), Ordering::Relaxed));
    }
}
