//! What is measured, and how much the safe layer may add.

/// An operation. Its discriminant is its place in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Copy,
    CopyAndWait,
    Set,
    Record,
    WaitFor,
    CallBack,
    Execute,
    Replay,
    Synchronize,
    CopyNow,
    Run,
    Enter,
    Stream,
    Event,
    Buffer,
    Allocator,
    Pool,
}

/// How it is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Raw,
    Sys,
    Safe,
    Runtime,
}

pub(crate) const SIDES: [Side; 4] = [Side::Raw, Side::Sys, Side::Safe, Side::Runtime];

impl Operation {
    pub(crate) const ALL: [Self; 17] = [
        Self::Copy,
        Self::CopyAndWait,
        Self::Set,
        Self::Record,
        Self::WaitFor,
        Self::CallBack,
        Self::Execute,
        Self::Replay,
        Self::Synchronize,
        Self::CopyNow,
        Self::Run,
        Self::Enter,
        Self::Stream,
        Self::Event,
        Self::Buffer,
        Self::Allocator,
        Self::Pool,
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    pub(crate) fn name(self) -> String {
        format!("{self:?}")
    }

    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Copy => "queue a copy",
            Self::CopyAndWait => "queue a copy and wait for it",
            Self::Set => "queue a set",
            Self::Record => "record an event",
            Self::WaitFor => "let a stream wait for an event",
            Self::CallBack => "queue a callback",
            Self::Execute => "queue a model",
            Self::Replay => "replay a graph of 100 tasks",
            Self::Synchronize => "synchronise a stream",
            Self::CopyNow => "copy synchronously",
            Self::Run => "run a bound model",
            Self::Enter => "enter a context and leave it",
            Self::Stream => "make and destroy a stream",
            Self::Event => "make and destroy an event",
            Self::Buffer => "make and free a device buffer",
            Self::Allocator => "a block of an allocator, out and back",
            Self::Pool => "a block of a pool, out and back",
        }
    }

    /// What the safe layer should add at most.
    pub(crate) fn goal(self) -> u64 {
        match self {
            Self::Copy | Self::Set | Self::Record | Self::WaitFor | Self::CallBack | Self::Execute | Self::Replay => 40,
            Self::CopyAndWait => 60,
            Self::Synchronize | Self::CopyNow | Self::Run => 20,
            Self::Enter | Self::Stream | Self::Event | Self::Buffer | Self::Allocator => 100,
            Self::Pool => 200,
        }
    }

    /// What it may add today, with a little room for another machine's `memcpy`. An operation that gets cheaper gets a lower
    /// limit.
    pub(crate) fn limit(self) -> u64 {
        match self {
            Self::Copy => 55,
            Self::CopyAndWait => 94,
            Self::Set => 40,
            Self::Record => 40,
            Self::WaitFor => 38,
            Self::CallBack => 40,
            Self::Execute => 59,
            Self::Replay => 40,
            Self::Synchronize => 46,
            Self::CopyNow => 23,
            Self::Run => 38,
            Self::Enter => 100,
            Self::Stream => 118,
            Self::Event => 89,
            Self::Buffer => 99,
            Self::Allocator => 100,
            Self::Pool => 200,
        }
    }
}

impl Side {
    pub(crate) fn named(name: &str) -> Option<Self> {
        SIDES.into_iter().find(|side| side.name() == name)
    }

    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}
