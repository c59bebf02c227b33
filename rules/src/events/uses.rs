use super::object::Object;
use core::fmt;

/// A thing that a call uses besides its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Work is queued on this stream. It uses the event's objects when it runs.
    Queue(Object),
    /// Another object.
    With(Object),
    /// The dataset that a model reads.
    Inputs(Object),
    /// The dataset that a model fills.
    Outputs(Object),
    /// Memory.
    Memory {
        /// Where.
        span: Span,
        /// What is done there.
        access: Access,
        /// What for.
        role: Role,
        /// Where the call says that it is; `None` where it does not say.
        claimed: Option<Place>,
    },
    /// How much room there is for what the call writes, or how much there is of what it reads.
    Room {
        /// The number of bytes that the call states.
        said: Span,
        /// How many bytes there are, if the feed knows. For memory that the library allocated, the checker knows it
        /// itself.
        known: Option<u64>,
    },
}

/// Bytes from an address on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The first byte's address.
    pub start: u64,
    /// How many.
    pub bytes: u64,
}

/// What is done to memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Access {
    /// It is read.
    Read,
    /// It is written.
    Write,
}

listed! {
    /// What memory is used for.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    #[non_exhaustive]
    pub enum Role {
        /// A copy reads it.
        Source,
        /// A copy or a fill writes it.
        Target,
        /// A model or an operator reads it.
        Input,
        /// A model or an operator writes it.
        Output,
        /// A model's working memory.
        Workspace,
        /// A model's weights.
        Weights,
        /// The file of a model, in memory.
        Image,
        /// The program's own instructions read or write it.
        Instruction,
        /// A value that streams set and wait for. It puts them in order, so its uses need no order.
        Signal,
        /// What a data buffer or an allocation describes.
        Contents,
    }
}

/// Where memory is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// On a device.
    Device,
    /// On the host: pinned or ordinary memory.
    Host,
}

impl Span {
    /// `bytes` from `start`.
    pub const fn new(start: u64, bytes: u64) -> Self {
        Self { start, bytes }
    }

    /// The address after the last byte.
    pub const fn end(self) -> u64 {
        self.start.saturating_add(self.bytes)
    }

    /// Whether the spans have a byte in common.
    pub const fn overlaps(self, other: Self) -> bool {
        self.bytes > 0 && other.bytes > 0 && self.start < other.end() && other.start < self.end()
    }

    /// Whether it contains all of `other`.
    pub const fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end() <= self.end()
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes at {:#x}", self.bytes, self.start)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "device",
            Self::Host => "host",
        })
    }
}

impl Role {
    /// In words, after "as".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "the source of a copy",
            Self::Target => "the destination of a copy or fill",
            Self::Input => "an input",
            Self::Output => "an output",
            Self::Workspace => "working memory",
            Self::Weights => "weights",
            Self::Image => "a model's file",
            Self::Instruction => "an operand of an instruction",
            Self::Signal => "a value that streams wait for",
            Self::Contents => "contents",
        }
    }
}
