//! Values that only a cold path needs.

/// A value that only a cold path needs, in memory of the hot path's function. In a register that functions save, it would
/// cost the hot path two instructions more.
#[derive(Clone, Copy)]
pub(crate) struct ForColdPath<T>(T);

impl<T: Copy> ForColdPath<T> {
    #[inline(always)]
    pub(crate) fn new(value: T) -> Self {
        Self(value)
    }

    /// The value. The compiler does not see that it is the one from before. This is asked outside of the closure of a
    /// [`cold_path`](super::cold_path()): the closure would have a copy, which is made before.
    #[inline(always)]
    pub(crate) fn get(&self) -> T {
        *core::hint::black_box(&self.0)
    }
}
