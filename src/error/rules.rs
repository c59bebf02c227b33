//! The rules that an error names.

use super::{Error, InputError};
use ascendcl_rules::{
    ALLOC_02, ALLOC_09, ALLOC_10, ALLOC_12, ALLOC_18, CB_01, CB_09, COPY_01, COPY_09, COPY_10, CTX_05, CTX_08, CTX_11,
    DATA_06, DATA_07, DATA_08, DEV_08, DEV_10, DEV_11, DEV_13, ERR_02, ERR_06, EVENT_04, EVENT_07, GRAPH_04, GRAPH_05,
    GRAPH_06, GRAPH_09, MEM_02, MEM_07, MEM_08, MEM_11, MEM_14, MODEL_04, MODEL_06, MODEL_09, MODEL_17, MODEL_20,
    RuleId, STREAM_04, STREAM_17, THREAD_01, THREAD_05,
};
use core::fmt;

impl Error {
    /// The rules of the library that the error is about. Empty if it is not about a rule, or if the rule is unknown.
    ///
    /// The error's message ends with them, in brackets.
    pub fn rules(&self) -> &'static [RuleId] {
        match self {
            Self::Vendor(error) => error.code.rules(),
            Self::Input(error) => error.rules(),
            Self::Extension(error) => error.rules(),
            Self::LibraryInUse { user } => user.rules,
            Self::NotTakenDown { reason, .. } => reason.downcast_ref::<Self>().map_or(&[], Self::rules),
            Self::NotClosed(error) => error.rules(),
            Self::ActorEnded { cause } => cause.as_ref().map_or(&[], |cause| cause.rules()),
            Self::Forked { .. } => FORKED,
            Self::CurrentChanged { .. } => CURRENT_CHANGED,
            Self::CurrentElsewhere { .. } => CURRENT_ELSEWHERE,
            Self::UnsupportedProduct { .. } => UNSUPPORTED_PRODUCT,
            Self::OtherGroup => OTHER_GROUP,
            Self::AllocatorOfOtherContext { .. } => ALLOCATOR_OF_OTHER_CONTEXT,
            Self::WorkFailed { .. } => WORK_FAILED,
            Self::BlocksInUse { .. } => BLOCKS_IN_USE,
            Self::OutputNotAllocated { .. } => OUTPUT_NOT_ALLOCATED,
            Self::NullAnswer { .. } => NULL_ANSWER,
            Self::ThreadTaken => THREAD_TAKEN,
            Self::InsideCallback => INSIDE_CALLBACK,
            Self::NoSuchDevice { .. } => NO_SUCH_DEVICE,
            Self::NoDeviceNamed { .. } => NO_DEVICE_NAMED,
            Self::DeviceShared { .. } => DEVICE_SHARED,
            Self::ObjectsLeft { .. } => OBJECTS_LEFT,
            Self::OtherStream { .. } => OTHER_STREAM,
            Self::NotCovered => NOT_COVERED,
            Self::EventsOfTwoStreams => EVENTS_OF_TWO_STREAMS,
            Self::OtherDevice { .. } => OTHER_DEVICE,
            Self::NoSuchPart { .. } => NO_SUCH_PART,
            Self::Misaligned { .. } => MISALIGNED,
            Self::NotRegistered => NOT_REGISTERED,
            Self::NoSuchRows { .. } | Self::RowsOnDevice => NO_SUCH_ROWS,
            Self::NoPeerAccess { .. } => NO_PEER_ACCESS,
            Self::CallbackPanicked { .. } => CALLBACK_PANICKED,
            Self::CallbackLost => CALLBACK_LOST,
            Self::StillRunning { what } => what.rules_of_use(),
            Self::InDoubt { .. } => IN_DOUBT,
            Self::MisalignedPart { .. } => MISALIGNED_PART,
            Self::StillShared | Self::InputIsShared { .. } => STILL_SHARED,
            Self::WorkspaceTaken => WORKSPACE_TAKEN,
            Self::OtherWorkspace => OTHER_WORKSPACE,
            Self::AllocatorInDoubt => ALLOCATOR_IN_DOUBT,
            Self::Gone { what } => what.rules_of_life(),
            Self::WrongContext { what, .. } => what.rules_of_context(),
            Self::TooShort { what, .. } | Self::LengthMismatch { what, .. } => what.rules_of_size(),
            Self::WeightsOfOtherModel { .. } => WEIGHTS_OF_OTHER_MODEL,
            Self::NotExecuted => NOT_EXECUTED,
            Self::NoSuchInput { .. } => InputError::COUNT,
            Self::WorkspaceBusy { .. } => WORKSPACE_BUSY,
            Self::Capturing => CAPTURING,
            Self::CaptureUnsupported(error) | Self::ConditionsUnsupported(error) => error.rules(),
            Self::InABody => IN_A_BODY,
            Self::NotPinned => NOT_PINNED,
            Self::OtherCapture => OTHER_CAPTURE,
            Self::OtherOperator { .. } | Self::HalfUpdated => UPDATES,
            Self::NotItsStream { .. } => NOT_ITS_STREAM,
            Self::OtherElement { .. } | Self::OutputType { .. } => InputError::FIT,
            Self::NoTruthValue { .. } | Self::NotWritten { .. } => NOT_WRITTEN,
            _ => &[],
        }
    }
}

pub(super) const FORKED: &[RuleId] = &[THREAD_05];
pub(super) const CURRENT_CHANGED: &[RuleId] = &[CTX_05, CTX_08];
pub(super) const CURRENT_ELSEWHERE: &[RuleId] = &[CTX_11];
pub(super) const UNSUPPORTED_PRODUCT: &[RuleId] = &[ALLOC_02];
pub(super) const OTHER_GROUP: &[RuleId] = &[ALLOC_10];
pub(super) const ALLOCATOR_OF_OTHER_CONTEXT: &[RuleId] = &[MEM_11];
pub(super) const WORK_FAILED: &[RuleId] = &[ERR_02];
pub(super) const BLOCKS_IN_USE: &[RuleId] = &[ALLOC_12];
pub(super) const OUTPUT_NOT_ALLOCATED: &[RuleId] = &[DATA_06];
pub(super) const NULL_ANSWER: &[RuleId] = &[ERR_06];
pub(super) const THREAD_TAKEN: &[RuleId] = &[THREAD_01];
pub(super) const INSIDE_CALLBACK: &[RuleId] = &[ALLOC_18, CB_01];
pub(super) const NO_SUCH_DEVICE: &[RuleId] = &[DEV_11];
pub(super) const NO_DEVICE_NAMED: &[RuleId] = &[THREAD_01];
pub(super) const DEVICE_SHARED: &[RuleId] = &[DEV_08];
pub(super) const OBJECTS_LEFT: &[RuleId] = &[DEV_10];
pub(super) const WEIGHTS_OF_OTHER_MODEL: &[RuleId] = &[MODEL_09];
pub(super) const WORKSPACE_BUSY: &[RuleId] = &[MODEL_06];
pub(super) const NOT_EXECUTED: &[RuleId] = &[MODEL_17];
pub(super) const OTHER_STREAM: &[RuleId] = &[STREAM_04];
pub(super) const NOT_COVERED: &[RuleId] = &[STREAM_04];
pub(super) const EVENTS_OF_TWO_STREAMS: &[RuleId] = &[EVENT_04];
pub(super) const OTHER_DEVICE: &[RuleId] = &[EVENT_07];
pub(super) const NO_SUCH_PART: &[RuleId] = &[COPY_01];
pub(super) const MISALIGNED: &[RuleId] = &[COPY_09];
pub(super) const NOT_REGISTERED: &[RuleId] = &[MEM_14];
pub(super) const NO_PEER_ACCESS: &[RuleId] = &[DEV_13];
pub(super) const NO_SUCH_ROWS: &[RuleId] = &[COPY_10];
pub(super) const CALLBACK_PANICKED: &[RuleId] = &[CB_09];
pub(super) const MISALIGNED_PART: &[RuleId] = &[MEM_08];
pub(super) const STILL_SHARED: &[RuleId] = &[MEM_02];
pub(super) const IN_DOUBT: &[RuleId] = &[MEM_02];
pub(super) const WORKSPACE_TAKEN: &[RuleId] = &[MODEL_04];
pub(super) const ALLOCATOR_IN_DOUBT: &[RuleId] = &[ALLOC_09, ALLOC_12];
pub(super) const CAPTURING: &[RuleId] = &[GRAPH_04];
pub(super) const NOT_PINNED: &[RuleId] = &[GRAPH_05];
pub(super) const OTHER_WORKSPACE: &[RuleId] = &[MODEL_04];
pub(super) const OTHER_CAPTURE: &[RuleId] = &[GRAPH_06];
pub(super) const NOT_ITS_STREAM: &[RuleId] = &[ALLOC_10, GRAPH_05];
pub(super) const IN_A_BODY: &[RuleId] = &[GRAPH_06, GRAPH_09];
pub(super) const UPDATES: &[RuleId] = &[GRAPH_09];
pub(super) const NOT_WRITTEN: &[RuleId] = &[MEM_07];
pub(super) const CALLBACK_LOST: &[RuleId] = &[STREAM_17];

impl InputError {
    pub(super) const COUNT: &[RuleId] = &[DATA_07];
    pub(super) const FIT: &[RuleId] = &[DATA_08];
    pub(super) const GEAR: &[RuleId] = &[MODEL_20];

    /// The rules of the library that the error is about.
    pub fn rules(&self) -> &'static [RuleId] {
        match self {
            Self::Count { .. } | Self::OutputCount { .. } | Self::NoSuchName { .. } | Self::GivenTwice { .. } => {
                Self::COUNT
            }
            Self::Gear { .. } => Self::GEAR,
            Self::Element { .. }
            | Self::Shape { .. }
            | Self::OutputShape { .. }
            | Self::Length { .. }
            | Self::Bytes { .. } => Self::FIT,
        }
    }
}

/// The end of a message that names rules: ` [ALLOC-02]`, or nothing.
///
/// ```
/// use ascendcl::error::Cited;
///
/// assert_eq!(Cited(&[ascendcl_rules::GE_10]).to_string(), " [GE-10]");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cited(pub &'static [RuleId]);

impl fmt::Display for Cited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.0.split_first() else { return Ok(()) };
        write!(f, " [{first}")?;
        others.iter().try_for_each(|rule| write!(f, ", {rule}"))?;
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::ElementType;
    use crate::error::{ObjectKind, VendorError};
    use ascendcl_rules::{CTX_12, STREAM_09, STREAM_11};
    use std::sync::Arc;
    use std::time::Duration;

    /// One error of each variant that names rules. Where the rules depend on the kind of object, one for each kind.
    #[expect(clippy::too_many_lines, reason = "a list: one sample per error")]
    fn samples() -> Vec<Error> {
        let vendor = |code: i32| {
            let (call, doing) = ("aclrtCreateStream", "create a stream".to_owned());
            Error::Vendor(Box::new(VendorError { call, code: code.into(), text: None, doing }))
        };
        let (name, text) = (String::from("images"), String::from("[1]"));
        let mut samples = vec![
            vendor(207_008),
            vendor(107_003),
            vendor(500_001),
            Error::Forked { loaded_in: 1, here: 2 },
            Error::CurrentChanged { expected: "context 0x10".into(), found: "none".into() },
            Error::CurrentElsewhere { threads: 1 },
            Error::UnsupportedProduct { product: "Ascend310B4".into(), what: "an allocator of the caller's" },
            Error::OtherGroup,
            Error::NullAnswer { call: "aclmdlCreateDesc" },
            Error::ThreadTaken,
            Error::OwnJob,
            Error::InsideCallback,
            Error::NoSuchDevice { id: 8, count: 2 },
            Error::NoDeviceNamed { in_use: 1 },
            Error::DeviceShared { device: 0, takes: 2, held: "src/main.rs:7:9".into() },
            Error::DeviceShared { device: 0, takes: 1, held: "".into() },
            Error::ObjectsLeft { device: 0, stuck: "1 stream(s)".into() },
            Error::WeightsOfOtherModel { expected: "one".into(), found: "another".into() },
            Error::NotExecuted,
            Error::OtherStream { what: ObjectKind::WORK },
            Error::NotCovered,
            Error::EventsOfTwoStreams,
            Error::OtherDevice { what: ObjectKind::EVENT, expected: 0, found: 1 },
            Error::NoSuchPart { what: ObjectKind::COPY_SOURCE, start: 0, end: 2, length: 1 },
            Error::Misaligned { past: 4, alignment: 64 },
            Error::NotRegistered,
            Error::NoSuchRows { width: 2, height: 3, pitch: 4 },
            Error::RowsOnDevice,
            Error::NoPeerAccess { device: 0, peer: 1 },
            Error::CallbackPanicked { message: "no".into() },
            Error::CallbackLost,
            Error::InDoubt { what: ObjectKind::DEVICE_MEMORY },
            Error::WorkspaceTaken,
            Error::OtherWorkspace,
            Error::AllocatorInDoubt,
            Error::Capturing,
            Error::CaptureUnsupported(Box::new(vendor(207_000))),
            Error::NotPinned,
            Error::UnreadableModel { path: "a.om".into(), reason: std::io::ErrorKind::NotFound.into() },
            Error::NotTakenDown { what: "profiler", reason: "it is busy".into() },
            Error::OtherCapture,
            Error::ActorEnded { cause: None },
            Error::ActorEnded { cause: Some(Arc::new(vendor(107_003))) },
            Error::StillShared,
            Error::InputIsShared { name: "images".into() },
            Error::NotShared { name: "images".into() },
            Error::MisalignedPart { past: 4, alignment: 64 },
            Error::CannotCast { bytes: 6, size: 4, past: 0, alignment: 4 },
            Error::OtherElement { found: ElementType::F32, asked: ElementType::U8 },
            Error::NoTruthValue { byte: 2 },
            Error::NotWritten { what: ObjectKind::DEVICE_MEMORY },
            Error::NoSuchInput { index: 1, count: 1 },
            Error::NoSuchOutput { index: 1, count: 1 },
            Error::SimulatorNotBuiltIn,
            InputError::Count { expected: 1, found: 0, names: "`images`".into() }.into(),
            InputError::Element { name: name.clone(), expected: ElementType::F32, found: ElementType::U8 }.into(),
            InputError::Shape { name: name.clone(), expected: text.clone(), found: text.clone() }.into(),
            InputError::OutputCount { expected: 1, found: 0, names: "`probabilities`".into() }.into(),
            InputError::OutputShape { name, expected: text.clone(), found: text.clone() }.into(),
            InputError::NoSuchName { name: "pixels".into(), names: "`images`".into() }.into(),
            InputError::GivenTwice { name: "images".into() }.into(),
            Error::NoOutputNamed { name: "labels".into(), names: "`probabilities`".into() },
            Error::WorkspaceBusy { waited: Duration::from_secs(1) },
            InputError::Length { shape: text, expected: 1, found: 2 }.into(),
        ];
        for what in ObjectKind::ALL {
            samples.extend([
                Error::StillRunning { what },
                Error::Gone { what },
                Error::WrongContext { what, owner: None, current: None },
                Error::TooShort { what, need: 2, have: 1 },
                Error::LengthMismatch { what, expected: 2, found: 1 },
            ]);
        }
        samples
    }

    #[test]
    fn a_message_ends_with_the_rules_that_the_error_is_about_and_says_them_once() {
        for error in samples() {
            let message = error.to_string();
            let words = message.strip_suffix(&Cited(error.rules()).to_string());
            assert!(words.is_some_and(|words| !words.contains("-0") && !words.contains("-1")), "{message}");
        }
    }

    #[test]
    fn a_message_about_the_wrong_object_names_the_right_one_or_the_repair() {
        let (f32, u8) = (ElementType::F32, ElementType::U8);
        let repairs = [
            (Error::OtherGroup, "detach it"),
            (Error::OtherLibrary { what: ObjectKind::EVENT }, "use objects of one library"),
            (Error::OtherCapture, "`adopt_after`"),
            (Error::CaptureBroken { reason: "no".into() }, "begin a new one"),
            (Error::CannotCast { bytes: 6, size: 4, past: 0, alignment: 4 }, "take a part"),
            (Error::OutputType { name: "scores".into(), found: f32, asked: u8 }, "ask for f32"),
            (Error::UnknownElement { name: "scores".into(), element: ElementType::Other(9) }, "give it a fixed shape"),
            (Error::WorkspaceBusy { waited: Duration::from_secs(1) }, "try again"),
        ];
        for (error, repair) in repairs {
            assert!(error.to_string().contains(repair), "{error}");
        }
    }

    /// A report prints an error and then its sources.
    #[test]
    fn no_error_has_a_source_whose_text_it_contains() {
        use std::error::Error as _;
        for error in samples() {
            let said = error.to_string();
            assert!(error.source().is_none_or(|source| !said.contains(&source.to_string())), "{said}");
        }
    }

    #[test]
    fn a_code_that_tells_names_its_rules_and_another_none() {
        let rules = |code: i32| crate::error::Code::from(code).rules();
        assert_eq!(rules(207_008), [CTX_12, STREAM_11]);
        assert_eq!(rules(107_003), [STREAM_09]);
        assert!(rules(500_001).is_empty());
        assert_eq!(Cited(rules(207_008)).to_string(), " [CTX-12, STREAM-11]");
    }
}
