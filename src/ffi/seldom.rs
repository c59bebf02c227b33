//! The parts of functions that are seldom needed.

/// Runs a part of a function as a function by itself. What the part needs is moved into it, so the usual way keeps that
/// in registers.
#[cold]
#[inline(never)]
pub(crate) fn seldom<R>(part: impl FnOnce() -> R) -> R {
    part()
}
