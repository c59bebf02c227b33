//! What can go wrong with the graph engine.

use crate::error::{Cited, Error};
use ascendcl_ge_sys as sys;
use ascendcl_macros::rule;
use ascendcl_rules::{GE_07, GE_10, GE_11, GE_19, GE_21, GE_23, GE_25, INIT_02, RuleId};
use core::fmt;
use std::path::Path;

/// Why the graph engine cannot do it, or did not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A call of the engine answered with an error.
    #[error(transparent)]
    Failed(FailedCall),
    /// The engine could not be loaded.
    #[error(transparent)]
    Load(sys::LoadError),
    /// Only the vendor's wrapper was found, and it lacks this.
    #[error(
        "{} has no {call}: it is the vendor's wrapper for Python, with a part of the graph engine, and nothing else was \
         found; install the CANN toolkit (its development files), set ASCEND_HOME_PATH to it and build this program again",
        library.display()
    )]
    OnlyWrapper {
        /// The function of the engine.
        call: &'static str,
        /// The wrapper.
        library: &'static Path,
    },
    /// The library that was found has the whole engine, and runs no tensors that other code has made.
    #[error(
        "{call} takes tensors that other code has made with the vendor's wrapper only; {} compiles, loads and executes: \
         use `graph.compile(session, current)`, and `execute` when it is loaded", library.display()
    )]
    OnlyWithWrapper {
        /// The function of the engine.
        call: &'static str,
        /// The shim.
        library: &'static Path,
    },
    /// The vendor's wrapper calls allocators by functions of this crate, of which there are so many.
    #[error(
        "the vendor's wrapper has {} allocators in this process, and this crate tells no more of them apart: unregister \
         one that is not needed any more",
        sys::ALLOCATORS
    )]
    TooManyAllocators,
    /// The engine takes no allocator on this product.
    #[error(
        "the graph engine takes no allocator of the caller's on {product}, an Atlas 200I/500 A2 inference product; load \
         the graph without one, with `load_on`{}",
        Cited(PRODUCT)
    )]
    Product {
        /// The system on chip, as the library names it.
        product: String,
    },
    /// The engine is one per process, and there is one.
    #[error(
        "the graph engine is initialised already: pass that `Engine` on instead of making a second{}",
        Cited(TAKEN)
    )]
    Taken,
    /// Sessions are left that could not be taken down.
    #[error(
        "the graph engine cannot be finalised: {count} session(s) are left, whose work could not be waited for{}",
        Cited(SESSIONS_LEFT)
    )]
    SessionsLeft {
        /// How many.
        count: usize,
    },
    /// An engine was dropped on another thread and not closed: it has to be finalised where it was initialised.
    #[error(
        "the graph engine was initialised on another thread, and has to be finalised there: call `Engine::init` and \
         `Engine::close` on that thread; if that thread has ended, the engine stays initialised until the process ends{}",
        Cited(TAKEN)
    )]
    OtherThread,
    /// The library was to be finalised under an engine that is initialised.
    #[error(
        "the graph engine is still initialised, and works with the library: close the `Engine` first; for one that was \
         dropped, call `Engine::init` on the same thread again, and `Engine::close`{}",
        Cited(STILL_INITIALISED)
    )]
    StillInitialised,
    /// An input was left out.
    #[error("input {index} is absent: a graph takes all of its inputs, as device tensors{}", Cited(ABSENT))]
    AbsentInput {
        /// Which.
        index: usize,
    },
    /// Outputs of a graph still have a name.
    #[error(
        "{count} execution(s) of the graph still have outputs, whose memory is its allocator's: release them first, with \
         `outputs.release(session, current)`{}",
        Cited(OUTPUTS_IN_USE)
    )]
    OutputsInUse {
        /// Of how many executions.
        count: usize,
    },
    /// Only graphs with fixed shapes take memory of the caller's.
    #[error(
        "the graph has shapes that are chosen at each execution, and takes no memory of the caller's; register an \
         allocator instead{}",
        Cited(MEMORY)
    )]
    NotStatic,
    /// The memory that was to be set does not hold what the graph needs.
    #[error("the {what} memory of the graph takes {need} bytes, {have} were given{}", Cited(MEMORY))]
    MemoryTooShort {
        /// `constant` or `feature`.
        what: &'static str,
        /// Bytes that the graph needs.
        need: usize,
        /// Bytes that were given.
        have: usize,
    },
    /// The graph has to be built anew.
    #[error("the graph is stale: remove it, add it and compile it again{}", Cited(STALE))]
    Stale,
}

/// A call of the engine that failed: what was being done, what it answered, and what it said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[rule(GE_08)]
pub struct FailedCall {
    /// The function of the engine.
    pub call: &'static str,
    /// What it answered.
    pub status: Status,
    /// The engine's text.
    pub text: Option<String>,
    /// What was being done, to be read after "could not".
    pub doing: String,
}

/// What a function of the engine answered. It prints as number and meaning: `0xFFFFFFFF (failed)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(u32);

impl Status {
    /// The number.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Whether the engine threw a C++ exception, instead of answering.
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
            Self::StillInitialised => STILL_INITIALISED,
            Self::SessionsLeft { .. } => SESSIONS_LEFT,
            Self::AbsentInput { .. } => ABSENT,
            Self::OutputsInUse { .. } => OUTPUTS_IN_USE,
            Self::NotStatic | Self::MemoryTooShort { .. } => MEMORY,
            Self::Stale => STALE,
        }
    }
}

const PRODUCT: &[RuleId] = &[GE_07];
const TAKEN: &[RuleId] = &[GE_10];
const STILL_INITIALISED: &[RuleId] = &[INIT_02, GE_10];
const SESSIONS_LEFT: &[RuleId] = &[GE_11];
const ABSENT: &[RuleId] = &[GE_19];
const OUTPUTS_IN_USE: &[RuleId] = &[GE_21];
const MEMORY: &[RuleId] = &[GE_23];
const STALE: &[RuleId] = &[GE_25];

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        Self::Engine(Box::new(error))
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
            EngineError::SessionsLeft { count: 1 },
            EngineError::OtherThread,
            EngineError::StillInitialised,
            EngineError::AbsentInput { index: 0 },
            EngineError::OutputsInUse { count: 1 },
            EngineError::NotStatic,
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
