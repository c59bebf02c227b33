//! The modes of a capture.

/// What the library forbids to other threads during a capture (GRAPH-04). The capture's own thread cannot make such
/// calls anyway.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CaptureMode {
    /// Nothing.
    #[default]
    Relaxed,
    /// Synchronous copies and pageable copies on the thread that captures.
    ThreadLocal,
    /// Like `ThreadLocal`, also on every other thread that uses the context. The calls are refused with 107030 or
    /// 107041 until the capture has ended.
    Global,
}
