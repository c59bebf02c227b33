//! A pointer to the engine's outputs, and the calls that read behind it.
//!
//! The end of a session releases its outputs also while handles name them, and a handle of a runtime may be used on
//! another thread at that time. No lock is held while the engine or the library reads: readers are counted.

use ascendcl_ge_sys as sys;
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The outputs were released, or are being released.
const RELEASED: usize = usize::MAX;

#[derive(Debug)]
pub(super) struct Lent {
    /// Null before the engine has accepted the execution.
    raw: AtomicPtr<sys::Outputs>,
    /// How many readers there are, or [`RELEASED`].
    readers: AtomicUsize,
}

/// While this exists, the outputs are not released.
pub(super) struct Reading<'a> {
    lent: &'a Lent,
    raw: NonNull<sys::Outputs>,
}

impl Lent {
    pub(super) fn nothing() -> Self {
        Self { raw: AtomicPtr::new(null_mut()), readers: AtomicUsize::new(0) }
    }

    pub(super) fn fill(&self, raw: *mut sys::Outputs) {
        self.raw.store(raw, Ordering::Release);
    }

    /// `None` when there are none, or no longer.
    pub(super) fn read(&self) -> Option<Reading<'_>> {
        let more = |readers: usize| (readers < RELEASED - 1).then(|| readers + 1);
        self.readers.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).ok()?;
        // The reader counts from here on, also if there is nothing to read.
        let raw = NonNull::new(self.raw.load(Ordering::Acquire));
        if raw.is_none() {
            self.leave();
        }
        raw.map(|raw| Reading { lent: self, raw })
    }

    /// Takes the outputs, which nothing reads from now on. `None` if that was done before, or if there are none.
    ///
    /// An error while there is a reader.
    pub(super) fn take(&self) -> Result<Option<NonNull<sys::Outputs>>, IsRead> {
        match self.readers.compare_exchange(0, RELEASED, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) | Err(RELEASED) => Ok(NonNull::new(self.raw.swap(null_mut(), Ordering::AcqRel))),
            Err(_) => Err(IsRead),
        }
    }

    fn leave(&self) {
        self.readers.fetch_sub(1, Ordering::Release);
    }
}

/// Another thread reads the outputs.
pub(super) struct IsRead;

impl Reading<'_> {
    pub(super) fn raw(&self) -> *mut sys::Outputs {
        self.raw.as_ptr()
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.lent.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lent() -> Lent {
        let lent = Lent::nothing();
        lent.fill(NonNull::<u64>::dangling().as_ptr().cast());
        lent
    }

    #[test]
    fn outputs_that_are_read_are_not_taken_and_taken_outputs_are_not_read() {
        let lent = lent();
        let (first, second) = (lent.read(), lent.read());
        assert!(first.is_some() && second.is_some());
        drop(first);
        assert!(lent.take().is_err());
        assert!(lent.read().is_some(), "an attempt to take them changes nothing");
        drop(second);
        assert!(lent.take().is_ok_and(|taken| taken.is_some()));
        assert!(lent.read().is_none());
        assert!(lent.take().is_ok_and(|taken| taken.is_none()), "they are released once");
    }

    #[test]
    fn one_of_many_threads_takes_them_and_none_reads_them_afterwards() {
        let lent = lent();
        let taken = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let reads = lent.read();
                        assert!(reads.is_none() || taken.load(Ordering::SeqCst) == 0);
                        drop(reads);
                        if lent.take().is_ok_and(|taken| taken.is_some()) {
                            taken.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        assert_eq!(taken.load(Ordering::SeqCst), 1);
    }
}
