//! The kinds of objects that errors name.

use super::foreign_kind::ForeignKind;
use crate::device_allocator::ContextId;
use ascendcl_rules::{
    ALLOC_12, COPY_01, CTX_06, DATA_05, DATA_08, DATA_10, DEV_08, DEV_10, EVENT_06, GRAPH_07, MEM_02, MEM_11, MODEL_01,
    MODEL_04, MODEL_06, MODEL_07, MODEL_09, MODEL_14, OP_04, OP_07, RuleId, STREAM_05, STREAM_08, STREAM_09, STREAM_22,
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
pub struct ObjectKind(&'static Kind);

/// What messages say of a kind. It is behind a pointer, because each operation has room for an error in its result.
type Kind = ForeignKind;

/// A kind of the crate, with the rules about its use, its life and its context.
const fn kind(
    name: &'static str,
    rules_of_use: &'static [RuleId],
    rules_of_life: &'static [RuleId],
    rules_of_context: &'static [RuleId],
) -> Kind {
    Kind { name, rules_of_use, rules_of_life, rules_of_context }
}

/// Inputs or outputs of a model.
const fn tensors(name: &'static str) -> Kind {
    kind(name, &[DATA_10], &[DATA_05], &[MODEL_01])
}

const fn memory(name: &'static str) -> Kind {
    kind(name, &[MEM_02], &[MEM_02], &[MEM_11])
}

impl ObjectKind {
    /// A kind of object of a crate beside this one.
    pub const fn foreign(kind: &'static ForeignKind) -> Self {
        Self(kind)
    }

    /// A [`Runtime`](crate::Runtime).
    pub const RUNTIME: Self = Self(&kind("runtime", &[], &[CTX_06], &[]));
    /// A device.
    pub const DEVICE: Self = Self(&kind("device", &[], &[DEV_08], &[]));
    /// A stream.
    pub const STREAM: Self = Self(&kind("stream", &[STREAM_05], &[STREAM_08], &[STREAM_09]));
    /// Work in flight.
    pub const WORK: Self = Self(&kind("work", &[STREAM_05], &[], &[STREAM_09]));
    /// An event.
    pub const EVENT: Self = Self(&kind("event", &[EVENT_06, STREAM_22], &[EVENT_06], &[STREAM_09]));
    /// An allocator of the caller.
    pub const ALLOCATOR: Self = Self(&kind("allocator", &[ALLOC_12], &[ALLOC_12], &[STREAM_09]));
    /// A model.
    pub const MODEL: Self = Self(&kind("model", &[MODEL_14], &[MODEL_14], &[MODEL_01]));
    /// The inputs and outputs that a model was bound with.
    pub const MODEL_TENSORS: Self = Self(&tensors("inputs and outputs of a model"));
    /// One input of a model.
    pub const MODEL_INPUT: Self = Self(&tensors("input of the model"));
    /// Memory of the program for an input of a model.
    pub const MODEL_INPUT_MEMORY: Self = Self(&tensors("memory for an input of the model"));
    /// One output of a model.
    pub const MODEL_OUTPUT: Self = Self(&tensors("output of the model"));
    /// Memory for an output of a model.
    pub const MODEL_OUTPUT_MEMORY: Self = Self(&tensors("memory for an output of the model"));
    /// Memory that models work in.
    pub const WORKSPACE: Self =
        Self(&kind("working memory of the models", &[MODEL_04, MODEL_06], &[MODEL_04], &[MODEL_01]));
    /// Memory for a model's weights.
    pub const WEIGHTS: Self = Self(&kind("memory for the weights", &[MODEL_09], &[MODEL_09], &[MODEL_01]));
    /// An operator with its tensors.
    pub const OPERATOR: Self = Self(&kind("operator with its tensors", &[OP_04, MEM_02], &[OP_07], &[STREAM_09]));
    /// One input or output of an operator.
    pub const OPERATOR_TENSOR: Self = Self(&memory("tensor of the operator"));
    /// A graph that was captured from a stream.
    pub const CAPTURED_GRAPH: Self = Self(&kind("captured graph", &[GRAPH_07], &[GRAPH_07], &[STREAM_09]));
    /// An object of other code that is [attached](crate::raw::Attach) to a context.
    pub const ATTACHED: Self = Self(&kind("attached object", &[DEV_10], &[DEV_10], &[STREAM_09]));
    /// Memory of a device.
    pub const DEVICE_MEMORY: Self = Self(&memory("device memory"));
    /// Host memory that the library allocated.
    pub const PINNED_MEMORY: Self = Self(&memory("pinned host memory"));
    /// Host memory of the program.
    pub const PAGEABLE_MEMORY: Self = Self(&memory("pageable host memory"));
    /// Host memory of the program that is registered with the library.
    pub const REGISTERED_MEMORY: Self = Self(&memory("registered host memory"));
    /// The source of a copy.
    pub const COPY_SOURCE: Self = Self(&memory("source of the copy"));
    /// The destination of a copy.
    pub const COPY_DESTINATION: Self = Self(&memory("destination of the copy"));
    /// The other side of a copy from or to a buffer.
    pub const COPY_COUNTERPART: Self = Self(&memory("other side of the copy"));
    /// The address space.
    pub const ADDRESS_SPACE: Self = Self(&kind("address space", &[], &[], &[]));

    #[cfg(test)]
    pub(super) const ALL: [Self; 26] = [
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
        Self::MODEL_OUTPUT_MEMORY,
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
        self.0.name
    }

    /// The verb for the object's end, for [`Gone`](super::Error::Gone).
    pub(super) fn end_in_words(self) -> &'static str {
        match self {
            Self::RUNTIME => "closed: open another one",
            Self::DEVICE => "reset by force: take it again",
            _ => "destroyed",
        }
    }

    /// What may still use an object, and what to do ([`StillRunning`](super::Error::StillRunning)).
    pub(super) fn user(self) -> &'static str {
        match self {
            Self::EVENT => {
                "a call of another context; let the stream that waits for it make room in its queue, and end this again"
            }
            Self::ALLOCATOR => {
                "a stream that has it; detach that stream from the group, unregister its allocator, or destroy it first"
            }
            _ => {
                "queued work; synchronise its stream first, or the whole context after a failed run without a stream \
                 (`current.synchronize()?`)"
            }
        }
    }

    /// The rules that forbid ending or changing the object while queued work may use it
    /// ([`StillRunning`](super::Error::StillRunning)).
    pub(super) fn rules_of_use(self) -> &'static [RuleId] {
        self.0.rules_of_use
    }

    /// The rules that forbid using the object after its end ([`Gone`](super::Error::Gone)).
    pub(super) fn rules_of_life(self) -> &'static [RuleId] {
        self.0.rules_of_life
    }

    /// The rules that forbid using it while another context is current ([`WrongContext`](super::Error::WrongContext)).
    pub(super) fn rules_of_context(self) -> &'static [RuleId] {
        self.0.rules_of_context
    }

    /// What a [`TooShort`](super::Error::TooShort) object needs its bytes for, where that is not clear.
    pub(super) fn needed_for(self) -> &'static str {
        match self {
            Self::WORKSPACE => " for all models that are loaded onto it, together",
            _ => "",
        }
    }

    /// The rules about the object's size ([`TooShort`](super::Error::TooShort),
    /// [`LengthMismatch`](super::Error::LengthMismatch)).
    pub(super) fn rules_of_size(self) -> &'static [RuleId] {
        match self {
            Self::WORKSPACE | Self::WEIGHTS => &[MODEL_07],
            Self::MODEL_TENSORS
            | Self::MODEL_INPUT
            | Self::MODEL_INPUT_MEMORY
            | Self::MODEL_OUTPUT
            | Self::MODEL_OUTPUT_MEMORY => &[DATA_08],
            Self::DEVICE_MEMORY
            | Self::PINNED_MEMORY
            | Self::PAGEABLE_MEMORY
            | Self::REGISTERED_MEMORY
            | Self::OPERATOR_TENSOR
            | Self::COPY_SOURCE
            | Self::COPY_DESTINATION
            | Self::COPY_COUNTERPART => &[COPY_01],
            _ => &[],
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
        event | EVENT-06 STREAM-22 | EVENT-06 | - | STREAM-09
        allocator | ALLOC-12 | ALLOC-12 | - | STREAM-09
        model | MODEL-14 | MODEL-14 | - | MODEL-01
        inputs and outputs of a model | DATA-10 | DATA-05 | DATA-08 | MODEL-01
        input of the model | DATA-10 | DATA-05 | DATA-08 | MODEL-01
        memory for an input of the model | DATA-10 | DATA-05 | DATA-08 | MODEL-01
        output of the model | DATA-10 | DATA-05 | DATA-08 | MODEL-01
        memory for an output of the model | DATA-10 | DATA-05 | DATA-08 | MODEL-01
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
