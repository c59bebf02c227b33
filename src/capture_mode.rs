//! The modes of a capture.

/// Which calls the library refuses during a capture (GRAPH-04). In this crate, the thread that captures cannot make such
/// calls in any mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum CaptureMode {
    /// None.
    #[default]
    Relaxed,
    /// Synchronous copies and pageable copies on the thread that captures.
    ThreadLocal,
    /// Like `ThreadLocal`, also on every other thread that uses the context. The calls are refused with 107030 or
    /// 107041 until the capture has ended.
    Global,
}
