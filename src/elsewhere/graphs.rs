//! What streams do with graphs.

use crate::brand::Brand;
use crate::capture::{Capture, Captured, CapturedGraph};
use crate::current::Current;
use crate::error::Error;
use crate::stream::{Stream, StreamState};
use core::ops::{Index, IndexMut};

elsewhere! {
    /// A graph that runs by itself.
    ReplayedByStreams:
        "a stream replays a graph",
        "call this on the stream, and pass the graph to it",
        "GRAPH-07: `let graph = stream.replay(current, graph)?.wait(current)?;`",
        "see `ascendcl-explain GRAPH-07`";

    /// Outputs of a graph, which its operands have.
    ReadThroughOperands:
        "a graph has what its tasks use, and lends it between replays",
        "the graph itself has no elements",
        "GRAPH-05: `graph.operands(current)?` lends the buffers and models; `graph.into_operands(current)?` gives them back",
        "see `ascendcl-explain GRAPH-05`";

    /// A capture with a begin and an end.
    CapturedInAClosure:
        "a capture is a closure, so it always ends on the stream and thread of its beginning",
        "the capture is one call",
        "GRAPH-01, GRAPH-02: `stream.capture(current, mode, model, |capture, mut model| capture.execute(&mut model))?`",
        "see `ascendcl-explain GRAPH-01`";

    /// A capture and events.
    OrderedByItsBranches:
        "a capture orders its tasks by their place and by branches, not by events",
        "no method of a capture has this name",
        "GRAPH-06: tasks of one branch run in their order; a second stream: `capture.fork(&mut side, |capture, branch| ...)?`",
        "memory goes from branch to branch behind an event of this crate: `branch.adopt_after(capture, name)?`",
        "see `ascendcl-explain GRAPH-06`";
}

/// An operand in its capture, as if its work had run.
///
/// No type implements it.
#[diagnostic::on_unimplemented(
    message = "nothing runs inside of a capture, so its operands have no elements there",
    label = "this is the name of an operand of the graph",
    note = "GRAPH-04: the elements are read and written between replays: `graph.operands(current)?` lends the operands",
    note = "inside, tasks take the name: `capture.copy_to_host(&device, &mut host)?`",
    note = "see `ascendcl-explain GRAPH-04`"
)]
pub trait ReadBetweenReplays {
    /// What an index would find. It is unknown, so the compiler has nothing more to say about its use.
    #[doc(hidden)]
    type Found;
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>() -> R;
}

#[doc(hidden)]
impl<C: Brand, K> Capture<'_, C, K> {
    pub fn record<E>(&mut self, _: E) -> Result<(), Error>
    where
        Self: OrderedByItsBranches,
    {
        <Self as OrderedByItsBranches>::never()
    }

    pub fn wait_for<E>(&mut self, _: E) -> Result<(), Error>
    where
        Self: OrderedByItsBranches,
    {
        <Self as OrderedByItsBranches>::never()
    }
}

#[doc(hidden)]
impl<C: Brand, G> CapturedGraph<C, G> {
    pub fn launch<Q>(&self, _: Q) -> Result<(), Error>
    where
        Self: ReplayedByStreams,
    {
        <Self as ReplayedByStreams>::never()
    }

    pub fn execute<Q>(&self, _: Q) -> Result<(), Error>
    where
        Self: ReplayedByStreams,
    {
        <Self as ReplayedByStreams>::never()
    }

    pub fn replay<P, Q>(&self, _: P, _: Q) -> Result<(), Error>
    where
        Self: ReplayedByStreams,
    {
        <Self as ReplayedByStreams>::never()
    }

    pub fn read<E>(&self, _: &Current<C>, _: usize) -> Result<Vec<E>, Error>
    where
        Self: ReadThroughOperands,
    {
        <Self as ReadThroughOperands>::never()
    }

    pub fn to_vec<E>(&self, _: &Current<C>) -> Result<Vec<E>, Error>
    where
        Self: ReadThroughOperands,
    {
        <Self as ReadThroughOperands>::never()
    }
}

#[doc(hidden)]
impl<C: Brand, S: StreamState> Stream<C, S> {
    pub fn begin_capture(&self) -> Result<(), Error>
    where
        Self: CapturedInAClosure,
    {
        <Self as CapturedInAClosure>::never()
    }

    pub fn end_capture(&self) -> Result<(), Error>
    where
        Self: CapturedInAClosure,
    {
        <Self as CapturedInAClosure>::never()
    }
}

#[doc(hidden)]
impl<T, K> Captured<'_, T, K> {
    pub fn to_vec<P>(&self, _: P) -> Result<Vec<u8>, Error>
    where
        Self: ReadBetweenReplays,
    {
        <Self as ReadBetweenReplays>::never()
    }

    pub fn read<P, Q>(&self, _: P, _: Q) -> Result<Vec<u8>, Error>
    where
        Self: ReadBetweenReplays,
    {
        <Self as ReadBetweenReplays>::never()
    }

    pub fn write<P, Q, R>(&mut self, _: P, _: Q, _: R) -> Result<(), Error>
    where
        Self: ReadBetweenReplays,
    {
        <Self as ReadBetweenReplays>::never()
    }

    pub fn copy_from<P, Q>(&mut self, _: P, _: Q) -> Result<(), Error>
    where
        Self: ReadBetweenReplays,
    {
        <Self as ReadBetweenReplays>::never()
    }

    pub fn copy_to<P, Q>(&self, _: P, _: Q) -> Result<(), Error>
    where
        Self: ReadBetweenReplays,
    {
        <Self as ReadBetweenReplays>::never()
    }

    pub fn slice<P>(&self, _: P) -> Result<Self, Error>
    where
        Self: ReadBetweenReplays,
    {
        <Self as ReadBetweenReplays>::never()
    }

    pub fn slice_mut<P>(&mut self, _: P) -> Result<Self, Error>
    where
        Self: ReadBetweenReplays,
    {
        <Self as ReadBetweenReplays>::never()
    }

    pub fn fill<P>(&mut self, _: P)
    where
        Self: ReadBetweenReplays,
    {
        <Self as ReadBetweenReplays>::never()
    }
}

#[doc(hidden)]
impl<T, K, I> Index<I> for Captured<'_, T, K>
where
    Self: ReadBetweenReplays,
{
    type Output = <Self as ReadBetweenReplays>::Found;

    fn index(&self, _: I) -> &Self::Output {
        <Self as ReadBetweenReplays>::never()
    }
}

#[doc(hidden)]
impl<T, K, I> IndexMut<I> for Captured<'_, T, K>
where
    Self: ReadBetweenReplays,
{
    fn index_mut(&mut self, _: I) -> &mut Self::Output {
        <Self as ReadBetweenReplays>::never()
    }
}
