//! Keeps code that rarely runs out of the hot paths.

/// Runs `part` out of line. A hot path moves the values that the part needs into the closure, so it can keep them in
/// registers until then.
#[cold]
#[inline(never)]
pub(crate) fn cold_path<R>(part: impl FnOnce() -> R) -> R {
    part()
}
