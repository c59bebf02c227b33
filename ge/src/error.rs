//! Errors of the graph engine.

use ascendcl::Error;
use ascendcl::error::{Cited, Extension, ExtensionError, ObjectKind};
use ascendcl_ge_sys as sys;
use ascendcl_macros::rule;
use ascendcl_rules::{DEV_07, DEV_08, GE_07, GE_10, GE_11, GE_18, GE_19, GE_21, GE_22, GE_23, GE_24, GE_25, RuleId};
use core::fmt;
use std::path::Path;

/// Why a call of the graph engine failed or was refused.
///
/// The functions of this crate return [`Error`], which contains one of these errors in
/// [`extension`](Error::extension):
///
/// ```
/// use ascendcl::Error;
/// use ascendcl_ge::EngineError;
///
/// fn is_stale(error: &Error) -> bool {
///     matches!(error.extension(), Some(EngineError::Stale))
/// }
///
/// assert!(is_stale(&EngineError::Stale.into()));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A call of the engine returned an error.
    #[error(transparent)]
    Failed(FailedCall),
    /// The engine could not be loaded.
    #[error(transparent)]
    Load(sys::LoadError),
    /// Only the vendor's wrapper was found, and it lacks this function.
    #[error(
        "{} has no {call}: it is the vendor's wrapper for Python, which has a part of the graph engine, and nothing \
         else was found; install the CANN toolkit (its development files), set ASCEND_HOME_PATH to it and build this \
         program again",
        library.display()
    )]
    OnlyWrapper {
        /// The function of the engine.
        call: &'static str,
        /// The wrapper.
        library: &'static Path,
    },
    /// The library that was found is the shim, which does not run tensors that other code created.
    #[error(
        "{call} takes tensors of other code with the vendor's wrapper only; {} compiles, loads and executes graphs: \
         use `graph.compile(session, current)`, then load the graph and call `execute`", library.display()
    )]
    OnlyWithWrapper {
        /// The function of the engine.
        call: &'static str,
        /// The shim.
        library: &'static Path,
    },
    /// The vendor's wrapper calls allocators through a fixed number of functions of this crate, and all of them are in
    /// use.
    #[error(
        "this process has {} allocators registered with the vendor's wrapper, and this crate supports no more: \
         unregister one that is no longer needed",
        sys::ALLOCATORS
    )]
    TooManyAllocators,
    /// The engine has no allocators on this product.
    #[error(
        "the graph engine does not support external allocators on {product}, an Atlas 200I/500 A2 inference product; \
         load the graph without one, with `load_on`{}",
        Cited(PRODUCT)
    )]
    Product {
        /// The library's name for the system on chip.
        product: String,
    },
    /// The process already has an engine; there can be only one.
    #[error("the graph engine is already initialised: use that `Engine` instead of creating a second{}", Cited(TAKEN))]
    Taken,
    /// Sessions exist: of runtimes, ones whose teardown failed, or ones that ended with a device that was reset by force. These
    /// cannot be closed any more, so the engine cannot be closed in this process. It can still open sessions.
    #[error("the graph engine cannot be finalised: {}{}", sessions_left(*count, *lost), Cited(SESSIONS_LEFT))]
    SessionsLeft {
        /// How many.
        count: usize,
        /// How many of them were lost with a device that was reset by force.
        lost: usize,
    },
    /// The engine has set this device for itself, because its options say so, and resets it at its end. The device was reset
    /// by force, so that would be one reset too many.
    #[error(
        "the graph engine cannot be finalised: device {device}, which it has set for itself, was reset by force since: end \
         the process, and next time close the engine before `recover`, `reset_by_force` or `close_by_force` may reset that \
         device{}",
        Cited(WAS_RESET)
    )]
    DeviceWasReset {
        /// The device.
        device: i32,
    },
    /// A runtime has a context of its own, and sessions need the default context of the device.
    #[error(
        "a session works in the default context of its device, and this is another one: open the runtime with \
         `Setup::builder().default_context(true)`{}",
        Cited(NOT_DEFAULT)
    )]
    NotDefaultContext,
    /// A device or a runtime is of another library than the engine.
    #[error(
        "the context is of another library than the one for which the engine was initialised: take the device from the \
         engine's `Acl`, or open the runtime with its `Library`{}",
        Cited(OTHER_LIBRARY)
    )]
    OtherLibrary,
    /// A graph, its registration or outputs were used with another session.
    #[error("the {what} belongs to another session: pass the session that made it{}", Cited(OTHER_SESSION))]
    OtherSession {
        /// The kind of object.
        what: ObjectKind,
    },
    /// An engine was dropped on another thread and not closed. Only the thread that initialised it can finalise it.
    #[error(
        "the graph engine was initialised on another thread and has to be finalised there: call `Engine::init` and \
         `Engine::close` on that thread; if that thread has ended, the engine stays initialised until the process \
         ends{}",
        Cited(TAKEN)
    )]
    OtherThread,
    /// An input is missing.
    #[error("input {index} is absent: a graph takes all of its inputs, as device tensors{}", Cited(ABSENT))]
    AbsentInput {
        /// The index of the input.
        index: usize,
    },
    /// An input has more dimensions than a shape of the engine has room for. The engine does not check that.
    #[error(
        "input {index} has {rank} dimensions, and the graph engine's shapes have room for {}: join some of them{}",
        sys::MAX_RANK,
        Cited(ABSENT)
    )]
    TooManyDimensions {
        /// The index of the input.
        index: usize,
        /// How many dimensions it has.
        rank: usize,
    },
    /// The session has given each number to a graph already. The engine drops a second graph of a number.
    #[error(
        "the session has no number left for another graph: end it, and open a new one with `engine.session(...)` or \
         `engine.open_session(...)`{}",
        Cited(NO_MORE_GRAPHS)
    )]
    NoMoreGraphs,
    /// Handles still refer to outputs of the graph.
    #[error(
        "{count} execution(s) of the graph still have outputs in memory of its allocator: release them first, with \
         `outputs.release(session, current)`{}",
        Cited(OUTPUTS_IN_USE)
    )]
    OutputsInUse {
        /// The number of executions.
        count: usize,
    },
    /// Only graphs with fixed shapes accept memory of the caller.
    #[error(
        "the graph has dynamic shapes, so its memory cannot be set; register an \
         allocator instead{}",
        Cited(MEMORY)
    )]
    NotStatic,
    /// A call that set memory for the graph has failed, and the engine may have some of it.
    #[error(
        "a call that set memory for this graph has failed, and the engine may use some of that memory: load the graph as it \
         is, or remove it, add it and compile it again{}",
        Cited(MEMORY_IN_DOUBT)
    )]
    MemoryInDoubt,
    /// The given memory is too small for the graph.
    #[error("the {what} memory of the graph needs {need} bytes, but {have} were given{}", Cited(MEMORY))]
    MemoryTooShort {
        /// `constant` or `feature`.
        what: &'static str,
        /// Bytes that the graph needs.
        need: usize,
        /// Bytes that were given.
        have: usize,
    },
    /// The graph has to be rebuilt.
    #[error("the graph is stale: remove it, add it and compile it again{}", Cited(STALE))]
    Stale,
}

/// A failed call of the engine: the operation, the status, and the engine's text.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[rule(GE_08)]
pub struct FailedCall {
    /// The function of the engine.
    pub call: &'static str,
    /// The status that it returned.
    pub status: Status,
    /// The engine's text.
    pub text: Option<String>,
    /// The operation, worded to follow "could not".
    pub doing: String,
}

/// The status that a function of the engine returned. It prints as number and meaning: `0xFFFFFFFF (failed)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(u32);

impl Status {
    /// The number.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Whether the engine threw a C++ exception instead of returning a status.
    pub fn is_exception(self) -> bool {
        self.0 == sys::EXCEPTION
    }
}

impl EngineError {
    /// The rules of the library that the error is about.
    pub fn rules(&self) -> &'static [RuleId] {
        match self {
            Self::Failed(_)
            | Self::Load(_)
            | Self::OnlyWrapper { .. }
            | Self::OnlyWithWrapper { .. }
            | Self::TooManyAllocators => &[],
            Self::Product { .. } => PRODUCT,
            Self::Taken | Self::OtherThread => TAKEN,
            Self::SessionsLeft { .. } => SESSIONS_LEFT,
            Self::DeviceWasReset { .. } => WAS_RESET,
            Self::NotDefaultContext => NOT_DEFAULT,
            Self::OtherLibrary => OTHER_LIBRARY,
            Self::OtherSession { .. } => OTHER_SESSION,
            Self::AbsentInput { .. } | Self::TooManyDimensions { .. } => ABSENT,
            Self::NoMoreGraphs => NO_MORE_GRAPHS,
            Self::OutputsInUse { .. } => OUTPUTS_IN_USE,
            Self::MemoryInDoubt => MEMORY_IN_DOUBT,
            Self::NotStatic | Self::MemoryTooShort { .. } => MEMORY,
            Self::Stale => STALE,
        }
    }
}

const PRODUCT: &[RuleId] = &[GE_07];
const TAKEN: &[RuleId] = &[GE_10];
const SESSIONS_LEFT: &[RuleId] = &[GE_11];
/// Which sessions are left, and what to do.
fn sessions_left(count: usize, lost: usize) -> String {
    let close =
        "`session.close(current)`, or its runtime; where waiting for its work failed, give the device back again";
    match count - lost.min(count) {
        0 => format!(
            "{lost} session(s) were lost with a device that was reset by force, and cannot be closed any more: end the process"
        ),
        _ if lost == 0 => format!("{count} session(s) still exist: close each with {close}"),
        left => format!(
            "{count} session(s) still exist: close {left} of them, each with {close}; the other {lost} were lost with a device \
             that was reset by force, and cannot be closed any more: end the process then"
        ),
    }
}

const WAS_RESET: &[RuleId] = &[DEV_07, DEV_08];
const NOT_DEFAULT: &[RuleId] = &[GE_18];
const OTHER_LIBRARY: &[RuleId] = &[GE_18];
const OTHER_SESSION: &[RuleId] = &[GE_11];
const ABSENT: &[RuleId] = &[GE_19];
const NO_MORE_GRAPHS: &[RuleId] = &[GE_24];
const OUTPUTS_IN_USE: &[RuleId] = &[GE_21];
const MEMORY: &[RuleId] = &[GE_23];
const MEMORY_IN_DOUBT: &[RuleId] = &[GE_22, GE_23];
const STALE: &[RuleId] = &[GE_25];

impl ExtensionError for EngineError {
    fn rules(&self) -> &'static [RuleId] {
        self.rules()
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        Extension::of(error).into()
    }
}

impl From<sys::Status> for Status {
    fn from(number: sys::Status) -> Self {
        Self(number)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meaning = match self.0 {
            sys::FAILED => "failed",
            sys::EXCEPTION => "a C++ exception",
            _ => "a code of the engine",
        };
        write!(f, "{:#X} ({meaning})", self.0)
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Status({self})")
    }
}

impl fmt::Display for FailedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "could not {}: {} answered {}", self.doing, self.call, self.status)?;
        self.text.iter().try_for_each(|text| write!(f, "; the engine says: {text}"))
    }
}

impl std::error::Error for FailedCall {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_ends_with_the_rules_that_the_error_is_about_and_says_them_once() {
        let samples = [
            EngineError::Product { product: "Ascend310B4".into() },
            EngineError::Taken,
            EngineError::SessionsLeft { count: 1, lost: 0 },
            EngineError::SessionsLeft { count: 1, lost: 1 },
            EngineError::SessionsLeft { count: 3, lost: 1 },
            EngineError::DeviceWasReset { device: 1 },
            EngineError::NotDefaultContext,
            EngineError::OtherLibrary,
            EngineError::OtherSession { what: crate::kinds::GRAPH },
            EngineError::OtherThread,
            EngineError::AbsentInput { index: 0 },
            EngineError::TooManyDimensions { index: 0, rank: 26 },
            EngineError::NoMoreGraphs,
            EngineError::OutputsInUse { count: 1 },
            EngineError::NotStatic,
            EngineError::MemoryInDoubt,
            EngineError::MemoryTooShort { what: "feature", need: 2, have: 1 },
            EngineError::Stale,
        ];
        for error in samples {
            let rules = Cited(error.rules()).to_string();
            let message = Error::from(error).to_string();
            let words = message.strip_suffix(&rules);
            assert!(!rules.is_empty() && words.is_some_and(|words| !words.contains("GE-")), "{message}");
        }
    }

    #[test]
    fn a_failed_call_says_what_was_done_and_what_the_engine_answered() {
        let failed = |status: u32, text: Option<&str>| {
            let text = text.map(str::to_owned);
            FailedCall { call: "LoadGraph", status: status.into(), text, doing: "load a graph".into() }.to_string()
        };
        assert_eq!(
            failed(0x0003_0001, None),
            "could not load a graph: LoadGraph answered 0x30001 (a code of the engine)"
        );
        let said = failed(sys::EXCEPTION, Some("bad_alloc"));
        assert!(said.ends_with("answered 0xFFFFFF00 (a C++ exception); the engine says: bad_alloc"), "{said}");
    }
}
