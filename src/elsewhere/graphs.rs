//! What streams do with graphs.

use crate::brand::Brand;
use crate::capture::CapturedGraph;
use crate::current::Current;
use crate::error::Error;
use crate::stream::{Stream, StreamState};

elsewhere! {
    /// A graph that runs by itself.
    ReplayedByStreams:
        "a stream replays a graph",
        "the stream is asked, and gets the graph",
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
