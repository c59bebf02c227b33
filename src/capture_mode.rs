//! What a capture forbids to others.

/// What a capture forbids to others, by the library's checks (GRAPH-04). What it forbids to its own thread cannot be
/// called there anyway.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CaptureMode {
    /// Nothing.
    #[default]
    Relaxed,
    /// Synchronous copies and pageable copies on the thread that captures.
    ThreadLocal,
    /// The same, and on every other thread that uses the context. They are refused with 107030 or 107041 until the
    /// capture has ended.
    Global,
}
