//! A capture that is open, and the bodies of its conditions.

use crate::capture_mode::CaptureMode;
use crate::ffi::RawStream;
use ascendcl_sys::types::aclmdlRICaptureMode;
use core::ffi::c_void;
use core::sync::atomic::AtomicPtr;
use std::sync::Arc;

/// The capture, while it is open.
#[derive(Debug, Default)]
pub(super) struct Capture {
    /// The streams of the capture, beginning with the one on which it began. They accept no other work.
    pub(super) streams: Vec<Arc<RawStream>>,
    pub(super) mode: CaptureMode,
    /// The bodies of conditions whose captures have not ended.
    pub(super) bodies: Vec<Body>,
    /// How many conditions were added.
    pub(super) conditions: u64,
    /// Whether the library refused to end the capture, or may have refused.
    pub(super) is_left: bool,
}

impl Capture {
    pub(super) fn raw_mode(&self) -> aclmdlRICaptureMode {
        match self.mode {
            CaptureMode::Relaxed => aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED,
            CaptureMode::ThreadLocal => aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
            CaptureMode::Global => aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL,
        }
    }
}

/// What the task of a condition does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConditionKind {
    /// The first body runs if the number is not zero, and otherwise the second, if there is one.
    If,
    /// The body runs as long as the number is not zero.
    While,
}

/// A body whose capture has not ended.
#[derive(Debug)]
pub(super) struct Body {
    /// The number of its task.
    pub(super) task: u64,
    /// Which body of its task this is.
    pub(super) place: usize,
    pub(super) instance: AtomicPtr<c_void>,
    pub(super) stream: Arc<RawStream>,
    pub(super) is_begun: bool,
    /// Whether its capture may have begun or not, because the call that was to begin it failed.
    pub(super) is_in_doubt: bool,
}

/// A body of a task that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BodyId {
    pub(super) task: u64,
    pub(super) place: usize,
}

impl Body {
    pub(super) fn is(&self, body: BodyId) -> bool {
        (self.task, self.place) == (body.task, body.place)
    }

    pub(super) fn stream(&self) -> &RawStream {
        &self.stream
    }
}
