//! Methods that captures and captured graphs do not have. They exist only for the compiler's messages.

use super::{Capture, CapturedGraph, OperandAccess};
use crate::brand::Brand;
use crate::current::Current;
use crate::error::Error;
use crate::memory::DeviceBuffer;
use crate::model::{BoundModel, IndexOrName};
use crate::stream::{DefaultStream, Pending};
use core::marker::PhantomData;

/// No type implements it.
#[diagnostic::on_unimplemented(
    message = "a stream that is being captured cannot be waited for",
    label = "what is captured does not run before a replay",
    note = "GRAPH-04: waits, queries and copies at once are no part of a capture: replay the graph afterwards, and wait for \
            the replay: `stream.replay(current, graph)?.wait(current)?`",
    note = "see `ascendcl-explain GRAPH-04`"
)]
pub trait WaitsInACapture {
    /// The compiler's message needs a method. No type has it, so its result may have any type.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

/// No type implements it.
#[diagnostic::on_unimplemented(
    message = "the default stream cannot be captured",
    label = "expected an explicit stream whose work uses the library's own allocator",
    note = "GRAPH-03: the library refuses the default stream: capture a stream of your own, \
            `current.stream()?.without_allocator()`",
    note = "see `ascendcl-explain GRAPH-03`"
)]
pub trait CapturesTheDefaultStream {}

/// No type implements it.
#[diagnostic::on_unimplemented(
    message = "a graph cannot be taken apart or reached while a replay is in flight",
    label = "this graph is being replayed",
    note = "GRAPH-07, GRAPH-05: wait for the replay first: `let mut graph = pending.wait(current)?;`",
    note = "see `ascendcl-explain GRAPH-07`"
)]
pub trait ReachesARunningGraph {
    /// The compiler's message needs a method. No type has it, so its result may have any type.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

/// No type implements it.
#[diagnostic::on_unimplemented(
    message = "a captured graph cannot be aborted",
    label = "a replay ends by itself",
    note = "GRAPH-10: wait for the replay: `pending.wait_within(current, limit)?`; a device that hangs is recovered as a whole: \
            `device.recover(thread, limit)?`",
    note = "see `ascendcl-explain GRAPH-10`"
)]
pub trait AbortsAGraph {
    /// A value of any type: there is no such function.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

/// No type implements it.
#[diagnostic::on_unimplemented(
    message = "this model is in a captured graph: its memory and its shapes stay as they were captured",
    label = "each replay uses the memory that the capture was made with",
    note = "GRAPH-05, GRAPH-07: what a graph uses stays in place until the graph is destroyed",
    note = "take the graph apart first: `let model = graph.into_operands(current)?`; to give it other numbers: \
            `operands.write(current, input, &numbers)?`",
    note = "see `ascendcl-explain GRAPH-05`"
)]
pub trait TakenApart {
    /// The compiler's message needs a method. No type has it, so its result may have any type.
    #[doc(hidden)]
    fn never<R>(&self) -> R;
}

impl<C: Brand, K> Capture<'_, C, K> {
    /// Not available. This function exists only for the compiler's message (GRAPH-04).
    #[doc(hidden)]
    pub fn synchronize(&self) -> Result<(), Error>
    where
        Self: WaitsInACapture,
    {
        self.never()
    }

    /// Not available. This function exists only for the compiler's message (GRAPH-04).
    #[doc(hidden)]
    pub fn is_complete(&self) -> Result<bool, Error>
    where
        Self: WaitsInACapture,
    {
        self.never()
    }
}

impl<C: Brand> DefaultStream<C> {
    /// Not available. This function exists only for the compiler's message (GRAPH-03).
    #[doc(hidden)]
    pub fn capture<M, G, P>(
        &mut self,
        current: &mut Current<C>,
        mode: M,
        operands: G,
        program: P,
    ) -> PhantomData<(M, G, P)>
    where
        Self: CapturesTheDefaultStream,
    {
        let _ = (current, mode, operands, program);
        PhantomData
    }
}

impl<C: Brand, G> CapturedGraph<C, G> {
    /// Not available. This function exists only for the compiler's message (GRAPH-10).
    #[doc(hidden)]
    pub fn abort(&self, _: &Current<C>) -> Result<(), Error>
    where
        Self: AbortsAGraph,
    {
        self.never()
    }
}

impl<C: Brand, G> Pending<C, CapturedGraph<C, G>> {
    /// Not available. This function exists only for the compiler's message (GRAPH-10).
    #[doc(hidden)]
    pub fn abort(&self, _: &Current<C>) -> Result<(), Error>
    where
        Self: AbortsAGraph,
    {
        self.never()
    }

    /// Not available. This function exists only for the compiler's message (GRAPH-07).
    #[doc(hidden)]
    pub fn into_operands(self, _: &Current<C>) -> Result<G, Error>
    where
        Self: ReachesARunningGraph,
    {
        self.never()
    }

    /// Not available. This function exists only for the compiler's message (GRAPH-05).
    #[doc(hidden)]
    pub fn operands(&mut self, _: &Current<C>) -> Result<G, Error>
    where
        Self: ReachesARunningGraph,
    {
        self.never()
    }
}

impl<C: Brand> OperandAccess<'_, BoundModel<C>> {
    /// Not available. This function exists only for the compiler's message (GRAPH-05).
    #[doc(hidden)]
    pub fn exchange_input<'n, E>(
        &mut self,
        _: &Current<C>,
        _: impl Into<IndexOrName<'n>>,
        _: DeviceBuffer<C, E>,
    ) -> Result<DeviceBuffer<C, E>, Error>
    where
        Self: TakenApart,
    {
        self.never()
    }

    /// Not available. This function exists only for the compiler's message (GRAPH-05).
    #[doc(hidden)]
    pub fn exchange_output<'n, E, F>(
        &mut self,
        _: &Current<C>,
        _: impl Into<IndexOrName<'n>>,
        _: DeviceBuffer<C, E>,
    ) -> Result<DeviceBuffer<C, F>, Error>
    where
        Self: TakenApart,
    {
        self.never()
    }

    /// Not available. This function exists only for the compiler's message (GRAPH-05).
    #[doc(hidden)]
    pub fn replace_output<'n, E>(
        &mut self,
        _: &Current<C>,
        _: impl Into<IndexOrName<'n>>,
        _: DeviceBuffer<C, E>,
    ) -> Result<DeviceBuffer<C, E>, Error>
    where
        Self: TakenApart,
    {
        self.never()
    }

    /// Not available. This function exists only for the compiler's message (GRAPH-05).
    #[doc(hidden)]
    pub fn reshape(&mut self, _: &Current<C>, _: &[&[usize]]) -> Result<(), Error>
    where
        Self: TakenApart,
    {
        self.never()
    }

    /// Not available. This function exists only for the compiler's message (GRAPH-05).
    #[doc(hidden)]
    pub fn run(&mut self, _: &mut Current<C>) -> Result<(), Error>
    where
        Self: TakenApart,
    {
        self.never()
    }
}
