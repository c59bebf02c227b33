//! When an object of other code ends.

/// Which objects of its context an [attached](crate::raw::Attach) object still needs when it is taken down.
///
/// A context ends its objects in the order of these variants. An object whose
/// [`ENDS_BEFORE`](crate::raw::Attach::ENDS_BEFORE) is `Streams` ends after models and events, and before the first
/// stream is destroyed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum EndsBefore {
    /// Before captured graphs and everything else.
    Everything,
    /// Before models and operators, and so before the memory that they work in.
    Models,
    /// Before events.
    Events,
    /// Before streams: a communicator, or a channel whose work runs on streams.
    Streams,
    /// Before memory: an executor that was given a workspace.
    Memory,
    /// Before the context itself.
    Context,
}
