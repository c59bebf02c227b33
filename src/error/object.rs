//! The kinds of objects that errors name.

use super::foreign_kind::ForeignKind;
use crate::device_allocator::ContextId;
use ascendcl_rules::{
    ALLOC_12, COPY_01, CTX_06, DATA_05, DATA_08, DATA_10, DEV_08, DEV_10, EVENT_06, GRAPH_07, MEM_02, MEM_11, MODEL_01,
    MODEL_04, MODEL_06, MODEL_07, MODEL_09, MODEL_14, OP_04, OP_07, RuleId, STREAM_05, STREAM_08, STREAM_09,
};
use core::fmt;

/// The kind of object that an error names.
///
/// The kinds are constants and not variants. With a variant called `Stream`, the compiler would write
/// `ascendcl::Stream` in every message about streams.
///
/// ```
/// use ascendcl::{Error, error::ObjectKind};
///
/// let error = Error::Gone { what: ObjectKind::EVENT };
/// assert_eq!(error.to_string(), "the event was already destroyed [EVENT-06]");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectKind(Kind);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Runtime,
    Device,
    Stream,
    Work,
    Event,
    Allocator,
    Model,
    ModelTensors,
    ModelInput,
    ModelInputMemory,
    ModelOutput,
    Workspace,
    Weights,
    Operator,
    OperatorTensor,
    CapturedGraph,
    Attached,
    DeviceMemory,
    PinnedMemory,
    PageableMemory,
    RegisteredMemory,
    CopySource,
    CopyDestination,
    CopyCounterpart,
    AddressSpace,
    Foreign(&'static ForeignKind),
}

impl ObjectKind {
    /// A kind of object of a crate beside this one.
    pub const fn foreign(kind: &'static ForeignKind) -> Self {
        Self(Kind::Foreign(kind))
    }

    /// A [`Runtime`](crate::Runtime).
    pub const RUNTIME: Self = Self(Kind::Runtime);
    /// A device.
    pub const DEVICE: Self = Self(Kind::Device);
    /// A stream.
    pub const STREAM: Self = Self(Kind::Stream);
    /// Work in flight.
    pub const WORK: Self = Self(Kind::Work);
    /// An event.
    pub const EVENT: Self = Self(Kind::Event);
    /// An allocator of the caller.
    pub const ALLOCATOR: Self = Self(Kind::Allocator);
    /// A model.
    pub const MODEL: Self = Self(Kind::Model);
    /// The inputs and outputs that a model was bound with.
    pub const MODEL_TENSORS: Self = Self(Kind::ModelTensors);
    /// One input of a model.
    pub const MODEL_INPUT: Self = Self(Kind::ModelInput);
    /// Memory of the program for an input of a model.
    pub const MODEL_INPUT_MEMORY: Self = Self(Kind::ModelInputMemory);
    /// One output of a model.
    pub const MODEL_OUTPUT: Self = Self(Kind::ModelOutput);
    /// Memory that models work in.
    pub const WORKSPACE: Self = Self(Kind::Workspace);
    /// Memory for a model's weights.
    pub const WEIGHTS: Self = Self(Kind::Weights);
    /// An operator with its tensors.
    pub const OPERATOR: Self = Self(Kind::Operator);
    /// One input or output of an operator.
    pub const OPERATOR_TENSOR: Self = Self(Kind::OperatorTensor);
    /// A graph that was captured from a stream.
    pub const CAPTURED_GRAPH: Self = Self(Kind::CapturedGraph);
    /// An object of other code that is [attached](crate::raw::Attach) to a context.
    pub const ATTACHED: Self = Self(Kind::Attached);
    /// Memory of a device.
    pub const DEVICE_MEMORY: Self = Self(Kind::DeviceMemory);
    /// Host memory that the library allocated.
    pub const PINNED_MEMORY: Self = Self(Kind::PinnedMemory);
    /// Host memory of the program.
    pub const PAGEABLE_MEMORY: Self = Self(Kind::PageableMemory);
    /// Host memory of the program that is registered with the library.
    pub const REGISTERED_MEMORY: Self = Self(Kind::RegisteredMemory);
    /// The source of a copy.
    pub const COPY_SOURCE: Self = Self(Kind::CopySource);
    /// The destination of a copy.
    pub const COPY_DESTINATION: Self = Self(Kind::CopyDestination);
    /// The other side of a copy from or to a buffer.
    pub const COPY_COUNTERPART: Self = Self(Kind::CopyCounterpart);
    /// The address space.
    pub const ADDRESS_SPACE: Self = Self(Kind::AddressSpace);

    #[cfg(test)]
    pub(super) const ALL: [Self; 25] = [
        Self::RUNTIME,
        Self::DEVICE,
        Self::STREAM,
        Self::WORK,
        Self::EVENT,
        Self::ALLOCATOR,
        Self::MODEL,
        Self::MODEL_TENSORS,
        Self::MODEL_INPUT,
        Self::MODEL_INPUT_MEMORY,
        Self::MODEL_OUTPUT,
        Self::WORKSPACE,
        Self::WEIGHTS,
        Self::OPERATOR,
        Self::OPERATOR_TENSOR,
        Self::CAPTURED_GRAPH,
        Self::ATTACHED,
        Self::DEVICE_MEMORY,
        Self::PINNED_MEMORY,
        Self::PAGEABLE_MEMORY,
        Self::REGISTERED_MEMORY,
        Self::COPY_SOURCE,
        Self::COPY_DESTINATION,
        Self::COPY_COUNTERPART,
        Self::ADDRESS_SPACE,
    ];

    fn name(self) -> &'static str {
        match self.0 {
            Kind::Runtime => "runtime",
            Kind::Device => "device",
            Kind::Stream => "stream",
            Kind::Work => "work",
            Kind::Event => "event",
            Kind::Allocator => "allocator",
            Kind::Model => "model",
            Kind::ModelTensors => "inputs and outputs of a model",
            Kind::ModelInput => "input of the model",
            Kind::ModelInputMemory => "memory for an input of the model",
            Kind::ModelOutput => "output of the model",
            Kind::Workspace => "working memory of the models",
            Kind::Weights => "memory for the weights",
            Kind::Operator => "operator with its tensors",
            Kind::OperatorTensor => "tensor of the operator",
            Kind::CapturedGraph => "captured graph",
            Kind::Attached => "attached object",
            Kind::DeviceMemory => "device memory",
            Kind::PinnedMemory => "pinned host memory",
            Kind::PageableMemory => "pageable host memory",
            Kind::RegisteredMemory => "registered host memory",
            Kind::CopySource => "source of the copy",
            Kind::CopyDestination => "destination of the copy",
            Kind::CopyCounterpart => "other side of the copy",
            Kind::AddressSpace => "address space",
            Kind::Foreign(kind) => kind.name,
        }
    }

    /// The verb for the object's end, for [`Gone`](super::Error::Gone).
    pub(super) fn end_in_words(self) -> &'static str {
        match self.0 {
            Kind::Runtime => "closed: open another one",
            Kind::Device => "reset by force: take it again",
            _ => "destroyed",
        }
    }

    /// The rules that forbid ending or changing the object while queued work may use it
    /// ([`StillRunning`](super::Error::StillRunning)).
    pub(super) fn rules_of_use(self) -> &'static [RuleId] {
        match self.0 {
            Kind::Stream | Kind::Work => &[STREAM_05],
            Kind::Allocator => &[ALLOC_12],
            Kind::Model => &[MODEL_14],
            Kind::ModelTensors | Kind::ModelInput | Kind::ModelInputMemory | Kind::ModelOutput => &[DATA_10],
            Kind::Workspace => &[MODEL_04, MODEL_06],
            Kind::Weights => &[MODEL_09],
            Kind::Operator => &[OP_04, MEM_02],
            Kind::CapturedGraph => &[GRAPH_07],
            Kind::Foreign(kind) => kind.rules_of_use,
            Kind::Attached => &[DEV_10],
            Kind::Event => &[EVENT_06],
            Kind::DeviceMemory
            | Kind::PinnedMemory
            | Kind::PageableMemory
            | Kind::RegisteredMemory
            | Kind::OperatorTensor
            | Kind::CopySource
            | Kind::CopyDestination
            | Kind::CopyCounterpart => &[MEM_02],
            Kind::Runtime | Kind::Device | Kind::AddressSpace => &[],
        }
    }

    /// The rules that forbid using the object after its end ([`Gone`](super::Error::Gone)).
    pub(super) fn rules_of_life(self) -> &'static [RuleId] {
        match self.0 {
            Kind::Stream => &[STREAM_08],
            Kind::Event => &[EVENT_06],
            Kind::Allocator => &[ALLOC_12],
            Kind::Model => &[MODEL_14],
            Kind::ModelTensors | Kind::ModelInput | Kind::ModelInputMemory | Kind::ModelOutput => &[DATA_05],
            Kind::Operator => &[OP_07],
            Kind::CapturedGraph => &[GRAPH_07],
            Kind::Foreign(kind) => kind.rules_of_life,
            Kind::Attached => &[DEV_10],
            Kind::Weights => &[MODEL_09],
            Kind::Workspace => &[MODEL_04],
            Kind::DeviceMemory
            | Kind::PinnedMemory
            | Kind::PageableMemory
            | Kind::RegisteredMemory
            | Kind::OperatorTensor
            | Kind::CopySource
            | Kind::CopyDestination
            | Kind::CopyCounterpart => &[MEM_02],
            Kind::Runtime => &[CTX_06],
            Kind::Device => &[DEV_08],
            Kind::Work | Kind::AddressSpace => &[],
        }
    }

    /// The rules that forbid using it while another context is current ([`WrongContext`](super::Error::WrongContext)).
    pub(super) fn rules_of_context(self) -> &'static [RuleId] {
        match self.0 {
            Kind::Stream
            | Kind::Work
            | Kind::Event
            | Kind::Allocator
            | Kind::Operator
            | Kind::CapturedGraph
            | Kind::Attached => &[STREAM_09],
            Kind::Model
            | Kind::ModelTensors
            | Kind::ModelInput
            | Kind::ModelInputMemory
            | Kind::ModelOutput
            | Kind::Workspace
            | Kind::Weights => &[MODEL_01],
            Kind::DeviceMemory
            | Kind::PinnedMemory
            | Kind::PageableMemory
            | Kind::RegisteredMemory
            | Kind::OperatorTensor
            | Kind::CopySource
            | Kind::CopyDestination
            | Kind::CopyCounterpart => &[MEM_11],
            Kind::Foreign(kind) => kind.rules_of_context,
            Kind::Runtime | Kind::Device | Kind::AddressSpace => &[],
        }
    }

    /// The rules about the object's size ([`TooShort`](super::Error::TooShort),
    /// [`LengthMismatch`](super::Error::LengthMismatch)).
    pub(super) fn rules_of_size(self) -> &'static [RuleId] {
        match self.0 {
            Kind::Workspace | Kind::Weights => &[MODEL_07],
            Kind::ModelInput | Kind::ModelInputMemory | Kind::ModelOutput | Kind::ModelTensors => &[DATA_08],
            Kind::DeviceMemory
            | Kind::PinnedMemory
            | Kind::PageableMemory
            | Kind::RegisteredMemory
            | Kind::OperatorTensor
            | Kind::CopySource
            | Kind::CopyDestination
            | Kind::CopyCounterpart => &[COPY_01],
            Kind::Runtime
            | Kind::Device
            | Kind::Stream
            | Kind::Work
            | Kind::Event
            | Kind::Allocator
            | Kind::Model
            | Kind::Operator
            | Kind::CapturedGraph
            | Kind::Attached
            | Kind::AddressSpace
            | Kind::Foreign(_) => &[],
        }
    }
}

/// A context for a message, if there is one.
pub(super) fn context_in_words(context: Option<ContextId>) -> String {
    context.map_or_else(|| "no context".to_owned(), |context| format!("context {context}"))
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectKind({})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each kind with the rules of its use, its life and its size.
    const TABLE: &str = "\
        runtime | - | CTX-06 | - | -
        device | - | DEV-08 | - | -
        stream | STREAM-05 | STREAM-08 | - | STREAM-09
        work | STREAM-05 | - | - | STREAM-09
        event | EVENT-06 | EVENT-06 | - | STREAM-09
        allocator | ALLOC-12 | ALLOC-12 | - | STREAM-09
        model | MODEL-14 | MODEL-14 | - | MODEL-01
        inputs and outputs of a model | DATA-10 | DATA-05 | DATA-08 | MODEL-01
        input of the model | DATA-10 | DATA-05 | DATA-08 | MODEL-01
        memory for an input of the model | DATA-10 | DATA-05 | DATA-08 | MODEL-01
        output of the model | DATA-10 | DATA-05 | DATA-08 | MODEL-01
        working memory of the models | MODEL-04 MODEL-06 | MODEL-04 | MODEL-07 | MODEL-01
        memory for the weights | MODEL-09 | MODEL-09 | MODEL-07 | MODEL-01
        operator with its tensors | OP-04 MEM-02 | OP-07 | - | STREAM-09
        tensor of the operator | MEM-02 | MEM-02 | COPY-01 | MEM-11
        captured graph | GRAPH-07 | GRAPH-07 | - | STREAM-09
        attached object | DEV-10 | DEV-10 | - | STREAM-09
        device memory | MEM-02 | MEM-02 | COPY-01 | MEM-11
        pinned host memory | MEM-02 | MEM-02 | COPY-01 | MEM-11
        pageable host memory | MEM-02 | MEM-02 | COPY-01 | MEM-11
        registered host memory | MEM-02 | MEM-02 | COPY-01 | MEM-11
        source of the copy | MEM-02 | MEM-02 | COPY-01 | MEM-11
        destination of the copy | MEM-02 | MEM-02 | COPY-01 | MEM-11
        other side of the copy | MEM-02 | MEM-02 | COPY-01 | MEM-11
        address space | - | - | - | -";

    #[test]
    fn each_kind_names_its_rules() {
        let cited = |rules: &[RuleId]| match rules {
            [] => "-".to_owned(),
            rules => rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        };
        let row = |kind: &ObjectKind| {
            let rules = [kind.rules_of_use(), kind.rules_of_life(), kind.rules_of_size(), kind.rules_of_context()];
            let rules = rules.map(cited);
            format!("{kind} | {}", rules.join(" | "))
        };
        let expected: Vec<_> = TABLE.lines().map(str::trim).collect();
        assert_eq!(ObjectKind::ALL.iter().map(row).collect::<Vec<_>>(), expected);
    }
}
