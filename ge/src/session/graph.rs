//! Graphs of a session.

use super::Session;
use super::state::{Added, CanCompile, CanSetMemory, Carried, Compiled, GraphState, WithAllocator, WithMemory};
use crate::error::EngineError;
use crate::ffi::{RawGraph, idle};
use crate::graph_source::GraphSummary;
use crate::marks::{Mark, SessionOfOneThread};
use ascendcl::error::ObjectKind;
use ascendcl::raw::{AllocatorFunctions, AllocatorSlot, KeptElement, SlotKeeper};
use ascendcl::stream::{IdleProof, Stream, Undecided};
use ascendcl::{Brand, Current, DeviceAllocator, DeviceBuffer, Error, Failed, Scoped};
use ascendcl_macros::rule;
use ascendcl_rules::graph::{CanRegister, CanRemove};
use ascendcl_rules::leads;
use core::ffi::c_void;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

/// A graph of a session.
///
/// `S` states its progress. During an execution it is in a [`Pending`](ascendcl::Pending), so it cannot be executed
/// twice at a time, and cannot be removed. A dropped graph is removed by [`Session::collect`] or the end of the session.
#[must_use = "a graph that is dropped is removed by `collect` or at the end of its session; `remove` shows the errors"]
#[rule(GE_14, GE_24)]
#[diagnostic::on_move(
    message = "this graph executes, or its state has changed",
    note = "GE-05, GE-08, GE-20: each step returns the graph: `let graph = graph.load(session, current)?;`, and `wait(current)?` after an execution"
)]
pub struct Graph<C: Brand, S: GraphState = Added> {
    pub(super) row: Arc<RawGraph>,
    pub(super) carries: S::Carries,
    _brand: Mark<C>,
    _not_shared: SessionOfOneThread,
}

assert_impl_all!(Graph<Scoped<'static>>: Send);
assert_not_impl_any!(Graph<Scoped<'static>>: Sync, Clone);

/// Memory for a graph's constants, and its working memory.
type Memory<C, E, F> = (DeviceBuffer<C, E>, DeviceBuffer<C, F>);

impl<C: Brand> Graph<C, Added> {
    pub(super) fn new(row: Arc<RawGraph>) -> Self {
        Self { row, carries: (), _brand: Mark::NEW, _not_shared: SessionOfOneThread::NEW }
    }
}

impl<C: Brand, S: GraphState> Graph<C, S> {
    pub(super) fn into_state<T: GraphState>(self, carries: T::Carries) -> Graph<C, T> {
        self.with_state(|_| carries)
    }

    pub(super) fn with_state<T: GraphState>(self, carry: impl FnOnce(S::Carries) -> T::Carries) -> Graph<C, T> {
        let Self { row, carries, _brand, _not_shared } = self;
        Graph { row, carries: carry(carries), _brand, _not_shared }
    }

    /// Compiles the graph for the session's device (`Session::CompileGraph`).
    ///
    /// # Errors
    ///
    /// The graph, unchanged: [`Error::StillRunning`] when work that uses it is not known to be done, or
    /// [`EngineError::Failed`].
    #[rule(GE_14)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn compile( // GE-11: with the session that added the graph: `session.add(current, source, &options)?`
        self,
        session: &mut Session<C>,
        current: &Current<C>,
    ) -> Result<Graph<C, Compiled>, Failed<Self>>
    where
        S: CanCompile,
    {
        leads!(graph: S, CanCompile => Compiled);
        match session.row().compile(current, &self.row) {
            Ok(()) => Ok(self.into_state(())),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// Registers an allocator for a stream (`Session::RegisterExternalAllocator`). Both move into the graph. This
    /// allocator provides the memory for loading and executing the graph, and for the outputs.
    ///
    /// # Errors
    ///
    /// The graph, the stream and the allocator, unchanged: [`EngineError::Product`] on products without this function
    /// (GE-07), [`Error::AllocatorOfOtherContext`] when the allocator [has no memory](DeviceAllocator::serves) for this
    /// context, [`EngineError::MemoryInDoubt`] after [`set_memory`](Self::set_memory) has failed halfway, or
    /// [`EngineError::Failed`].
    #[rule(GE_01, GE_04, GE_06, GE_07, GE_08, GE_18)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn register<A: DeviceAllocator>( // GE-06, GE-18: for a stream of the session's context: `current.stream()?`
        self, // GE-08: the graph is in the result: `let graph = graph.register(...)?;`
        session: &mut Session<C>,
        current: &Current<C>,
        stream: Stream<C, Undecided>,
        allocator: A,
    ) -> Result<Graph<C, WithAllocator<A>>, Failed<(Self, Stream<C, Undecided>, A)>>
    where
        S: CanRegister,
    {
        leads!(graph: S, CanRegister => WithAllocator<A>);
        let done = supports_allocators(current.soc_name().unwrap_or_default()).and_then(|()| {
            session.row().check_no_memory(&self.row)?;
            let (slot, functions, keeps) = slot_for(current, &allocator)?;
            session.row().register(current, &self.row, &stream, functions, keeps).map(|_| slot)
        });
        match fill(done, allocator) {
            Ok(slot) => {
                self.row.keep_stream(stream.keep());
                Ok(self.into_state(slot))
            }
            Err(failed) => Err(failed.map(|allocator| (self, stream, allocator))),
        }
    }

    /// Gives the graph memory for its constants and working memory (`Session::SetGraphConstMemoryBase`,
    /// `Session::UpdateGraphFeatureMemoryBase`), of the sizes in its [summary](Graph::summary). The memory stays with
    /// the graph until it is removed.
    ///
    /// # Errors
    ///
    /// The graph, and the buffers unless the engine may have taken them: [`EngineError::NotStatic`],
    /// [`EngineError::MemoryTooShort`], [`Error::InDoubt`] for memory that work may use that could not be waited for,
    /// [`Error::StillRunning`] when work that uses the graph is not known to be done, or [`EngineError::Failed`].
    ///
    /// If the buffers do not come back, the engine may use one of them. This method and [`register`](Self::register) then
    /// return [`EngineError::MemoryInDoubt`]. The graph can be loaded as it is, or removed.
    #[rule(GE_22, GE_23)]
    pub fn set_memory<E: KeptElement, F: KeptElement>(
        self,
        session: &mut Session<C>,
        current: &Current<C>,
        constants: DeviceBuffer<C, E>,
        features: DeviceBuffer<C, F>,
    ) -> Result<Graph<C, WithMemory>, Failed<(Self, Option<Memory<C, E, F>>)>>
    where
        S: CanSetMemory,
    {
        leads!(graph: S, CanSetMemory => WithMemory);
        let sizes = [constants.len() * size_of::<E>(), features.len() * size_of::<F>()];
        let fits = session.row().summary(current, &self.row).and_then(|summary| {
            session.row().check_idle(current, &self.row)?;
            session.row().check_no_memory(&self.row)?;
            [constants.as_raw(), features.as_raw()].into_iter().try_for_each(check_tensor_alignment)?;
            constants.check_usable(current).and_then(|()| features.check_usable(current))?;
            holds(&summary, sizes)
        });
        if let Err(error) = fits {
            return Err(Failed { error, value: (self, Some((constants, features))) });
        }
        match session.row().set_memory(current, &self.row, [constants.keep(), features.keep()]) {
            Ok(()) => Ok(self.into_state(())),
            Err(error) => Err(Failed { error, value: (self, None) }),
        }
    }

    /// Waits for the graph's work and removes the graph from the session (`Session::RemoveGraph`). Ends the
    /// registration of an allocator (`Session::UnregisterExternalAllocator`). Returns the values that moved into the
    /// graph: the stream and the allocator. For a loaded graph without an allocator, the second value is `()`.
    ///
    /// # Errors
    ///
    /// The graph: [`EngineError::OutputsInUse`] while outputs of it have a handle; [`Error::BlocksInUse`] when the
    /// engine still has blocks of the allocator after it has removed the graph; or [`EngineError::Failed`].
    #[rule(GE_09, GE_21, GE_24)]
    pub fn remove(self, session: &mut Session<C>, current: &Current<C>) -> Result<S::Left<C>, Failed<Self>>
    where
        S: CanRemove,
    {
        match self.take_off(session, current) {
            Ok(left) => Ok(left),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    fn take_off(&self, session: &mut Session<C>, current: &Current<C>) -> Result<S::Left<C>, Error> {
        let row = session.row();
        row.owns(current, &self.row)?;
        self.row.synchronize(current)?;
        row.remove(current, &self.row)?;
        let allocator = self.give_up(|| row.unregister(current, &self.row))?;
        let stream = self.row.leave_stream().map(|stream| stream.into_stream(current)).transpose()?;
        row.forget(&self.row);
        S::left(stream, allocator).ok_or(Error::Gone { what: ObjectKind::STREAM })
    }

    /// Takes the allocator out of its registration. `tell` tells the engine that the registration ends. If `tell`
    /// fails, the allocator stays.
    fn give_up(
        &self,
        tell: impl FnOnce() -> Result<Option<SlotKeeper>, Error>,
    ) -> Result<<S::Carries as Carried>::Allocator, Error> {
        let allocator = self.carries.take()?;
        match tell() {
            Ok(kept) => {
                drop(kept);
                Ok(allocator)
            }
            Err(error) => {
                self.carries.put(allocator);
                Err(error)
            }
        }
    }
}

impl<C: Brand> Graph<C, Compiled> {
    /// The memory that the graph needs (`Session::GetCompiledGraphSummary`).
    ///
    /// # Errors
    ///
    /// [`EngineError::Failed`].
    pub fn summary(&self, session: &mut Session<C>, current: &Current<C>) -> Result<GraphSummary, Error> {
        session.row().summary(current, &self.row)
    }
}

impl<C: Brand, A: DeviceAllocator> Graph<C, WithAllocator<A>> {
    /// Waits for the graph's stream, replaces its allocator by another one, and returns the old one.
    ///
    /// # Errors
    ///
    /// The graph with its allocator, and the other allocator, unchanged: [`Error::BlocksInUse`],
    /// [`Error::AllocatorOfOtherContext`] or [`EngineError::Failed`].
    #[rule(GE_03)]
    pub fn replace<B: DeviceAllocator>(
        self,
        session: &mut Session<C>,
        current: &Current<C>,
        allocator: B,
    ) -> Result<(Graph<C, WithAllocator<B>>, A), Failed<(Self, B)>> {
        leads!(graph: WithAllocator<A>, CanReplace => WithAllocator<B>);
        let owns = session.row().owns(current, &self.row).and_then(|()| slot_for(current, &allocator));
        let replaced = owns.and_then(|(slot, functions, keeps)| {
            // Queued work may use memory that was returned to the allocator: a load that failed halfway, for example.
            self.row.synchronize(current)?;
            let kept = self.row.stream();
            let stream = kept.lend(current)?;
            let before = self.give_up(|| session.row().register(current, &self.row, &stream, functions, keeps))?;
            Ok((slot, before))
        });
        match replaced {
            Ok((slot, before)) => match slot.put(allocator) {
                Ok(()) => Ok((self.into_state(slot), before)),
                Err(failed) => Err(failed.map(|allocator| (self, allocator))),
            },
            Err(error) => Err(Failed { error, value: (self, allocator) }),
        }
    }

    /// Ends the registration (`Session::UnregisterExternalAllocator`), and returns the stream and the allocator.
    ///
    /// # Errors
    ///
    /// The graph with its allocator, unchanged: [`Error::BlocksInUse`] or [`EngineError::Failed`].
    #[rule(GE_09)]
    pub fn unregister(
        self,
        session: &mut Session<C>,
        current: &Current<C>,
    ) -> Result<(Graph<C, Compiled>, Stream<C, Undecided>, A), Failed<Self>> {
        leads!(graph: WithAllocator<A>, CanUnregister => Compiled);
        let ended = session.row().owns(current, &self.row).and_then(|()| {
            self.row.synchronize(current)?;
            let allocator = self.give_up(|| session.row().unregister(current, &self.row))?;
            let stream = self.row.leave_stream().ok_or(Error::Gone { what: ObjectKind::STREAM })?;
            Ok((allocator, stream.into_stream(current)?))
        });
        match ended {
            Ok((allocator, stream)) => Ok((self.into_state(()), stream, allocator)),
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

impl<C: Brand, A: DeviceAllocator, S: GraphState<Carries = AllocatorSlot<A>>> Graph<C, S> {
    /// Calls `look` with the allocator, for example to read its statistics. Returns `None` if the graph was removed,
    /// and the allocator with it. This crate holds no lock during the call: see [`Stream::with_allocator`].
    pub fn with_allocator<R>(&self, look: impl FnOnce(&A) -> R) -> Option<R> {
        self.carries.with_allocator(look)
    }

    /// Whether the allocator panicked while the engine called it, or got a block back that it had not allocated: see
    /// [`Stream::allocator_misbehaved`].
    pub fn allocator_misbehaved(&self) -> bool {
        self.carries.misbehaved()
    }

    /// Waits for the graph's stream (`aclrtSynchronizeStreamWithTimeout`, repeatedly). The graph cannot be executed while
    /// the returned proof exists. So the allocator may return memory to the system ([`IdleProof::trim`]).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when work failed or could not be waited for. Then there is no proof, and no memory is
    /// returned.
    #[rule(GE_05)]
    pub fn idle<'i>(
        &'i mut self,
        session: &mut Session<C>,
        current: &Current<C>,
    ) -> Result<IdleProof<'i, C, A>, Error> {
        session.row().owns(current, &self.row)?;
        idle(&self.row, &mut self.carries, current)
    }
}

/// A slot for an allocator that is about to be registered, its functions, and the value that keeps it.
type Slot<A> = (AllocatorSlot<A>, AllocatorFunctions, SlotKeeper);

fn slot_for<C: Brand, A: DeviceAllocator>(current: &Current<C>, allocator: &A) -> Result<Slot<A>, Error> {
    AllocatorSlot::check_serves(current, allocator)?;
    let (slot, keeps) = AllocatorSlot::new();
    let functions = slot.functions().ok_or(Error::Gone { what: ObjectKind::ALLOCATOR })?;
    Ok((slot, functions, keeps))
}

/// Puts the allocator into the slot that the engine knows, unless the call that told the engine failed.
fn fill<A: DeviceAllocator>(
    told: Result<AllocatorSlot<A>, Error>,
    allocator: A,
) -> Result<AllocatorSlot<A>, Failed<A>> {
    match told {
        Ok(slot) => slot.put(allocator).map(|()| slot),
        Err(error) => Err(Failed { error, value: allocator }),
    }
}

/// Memory for tensors begins at multiples of 64 bytes (MEM-08).
fn check_tensor_alignment(start: *mut c_void) -> Result<(), Error> {
    const ALIGNMENT: usize = 64;
    match start.addr() % ALIGNMENT {
        0 => Ok(()),
        past => Err(Error::MisalignedPart { past, alignment: ALIGNMENT }),
    }
}

/// Returns an error on products whose engine has no allocators, without calling the engine.
#[rule(GE_07)]
fn supports_allocators(product: String) -> Result<(), Error> {
    // All products that the vendor lists have them, except for the Atlas 200I/500 A2, whose chip is the Ascend 310B.
    if product.contains("310B") { Err(EngineError::Product { product }.into()) } else { Ok(()) }
}

fn holds(summary: &GraphSummary, [constants, features]: [usize; 2]) -> Result<(), Error> {
    if !summary.is_static {
        return Err(EngineError::NotStatic.into());
    }
    for (what, need, have) in [("constant", summary.constants, constants), ("feature", summary.features, features)] {
        if have < need {
            return Err(EngineError::MemoryTooShort { what, need, have }.into());
        }
    }
    Ok(())
}

impl<C: Brand, S: GraphState> fmt::Debug for Graph<C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("id", &self.row.id()).finish_non_exhaustive()
    }
}
