//! Streams with an allocator that is registered in a session, for any graph that runs there.

use super::{Added, Compiled, Graph, Session, WithAllocator};
use crate::raw_tensors::{RawInputs, RawOutputTensors};
use ascendcl::allocator::PoolAllocator;
use ascendcl::stream::{IdleProof, Stream, Undecided};
use ascendcl::{Brand, Current, DeviceAllocator, Error, Failed, Scoped};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};

/// A stream with an allocator that is registered for it in a session. It runs graphs that were not compiled and loaded
/// by this crate.
///
/// A compiled graph has its own [registration](Graph::register). A value that is dropped stays registered until
/// [`Session::collect`] or the end of the session.
#[must_use = "the stream and the allocator are in here; `unregister` gives them back"]
#[rule(GE_04)]
pub struct SessionStream<C: Brand, A: DeviceAllocator> {
    /// The row of a graph that the engine never had. It keeps the registration, like the rows of graphs.
    registration: Graph<C, WithAllocator<A>>,
}

assert_impl_all!(SessionStream<Scoped<'static>, PoolAllocator>: Send);
assert_not_impl_any!(SessionStream<Scoped<'static>, PoolAllocator>: Sync, Clone);

impl<C: Brand> Session<C> {
    /// Registers an allocator for a stream (`Session::RegisterExternalAllocator`): before the first graph runs there,
    /// since nothing but [`SessionStream::run`] can run there.
    ///
    /// # Errors
    ///
    /// The stream and the allocator as they were: [`EngineError::Product`](crate::EngineError::Product) on products
    /// without this function (GE-07); [`Error::AllocatorOfOtherContext`] when the allocator [has no
    /// memory](DeviceAllocator::serves) for this context;
    /// [`EngineError::TooManyAllocators`](crate::EngineError::TooManyAllocators) where the vendor's wrapper tells no
    /// more of them apart; or [`EngineError::Failed`](crate::EngineError::Failed).
    #[rule(GE_01, GE_06, GE_08)]
    pub fn register<A: DeviceAllocator>(
        &mut self,
        current: &Current<C>,
        stream: Stream<C, Undecided>,
        allocator: A,
    ) -> Result<SessionStream<C, A>, Failed<(Stream<C, Undecided>, A)>> {
        // A forked child takes no lock, and the row needs one.
        let row = match self.row().check_usable(current).and_then(|()| self.row().registration_row(current)) {
            Ok(row) => row,
            Err(error) => return Err(Failed { error, value: (stream, allocator) }),
        };
        let registration = Graph::new(row.clone()).into_state::<Compiled>(());
        registration
            .register(self, current, stream, allocator)
            .map(|registration| SessionStream { registration })
            .map_err(|failed| {
                self.row().forget(&row);
                let (_, stream, allocator) = failed.value;
                Failed { error: failed.error, value: (stream, allocator) }
            })
    }
}

impl<C: Brand, A: DeviceAllocator> SessionStream<C, A> {
    /// Queues one run of a graph on this stream (`Session::RunGraphWithStreamAsync`), with tensors that other code
    /// created. The first run compiles and loads the graph. When its work is done, the graph can be removed: see
    /// [`idle`](Self::idle).
    ///
    /// Only the vendor's `libge_runtime_wrapper.so` has this function. With the shim, compile, load and execute a graph
    /// instead.
    ///
    /// # Errors
    ///
    /// [`Error::StillRunning`] when the graph's last run is not known to be done;
    /// [`EngineError::OnlyWithWrapper`](crate::EngineError::OnlyWithWrapper); or
    /// [`EngineError::Failed`](crate::EngineError::Failed), for example when the allocator has no memory.
    #[rule(GE_02, GE_15, GE_16, GE_20)]
    pub fn run(
        &mut self,
        session: &mut Session<C>,
        current: &Current<C>,
        graph: &mut Graph<C, Added>,
        inputs: &RawInputs,
    ) -> Result<RawOutputTensors, Error> {
        let registration = &self.registration.row;
        session.row().owns(current, registration)?;
        let stream = registration.stream();
        session.row().run_raw(current, registration, &*stream.lend(current)?, &graph.row, inputs)
    }

    /// Waits for the stream. No graph can run there while the returned proof exists: see [`Graph::idle`].
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when work failed or could not be waited for.
    #[rule(GE_05)]
    pub fn idle<'i>(
        &'i mut self,
        session: &mut Session<C>,
        current: &Current<C>,
    ) -> Result<IdleProof<'i, C, A>, Error> {
        self.registration.idle(session, current)
    }

    /// Replaces the allocator and returns it.
    ///
    /// # Errors
    ///
    /// Both as they were: as for [`Graph::replace`].
    #[rule(GE_03)]
    pub fn replace<B: DeviceAllocator>(
        self,
        session: &mut Session<C>,
        current: &Current<C>,
        allocator: B,
    ) -> Result<(SessionStream<C, B>, A), Failed<(Self, B)>> {
        match self.registration.replace(session, current, allocator) {
            Ok((registration, before)) => Ok((SessionStream { registration }, before)),
            Err(Failed { error, value: (registration, allocator) }) => {
                Err(Failed { error, value: (Self { registration }, allocator) })
            }
        }
    }

    /// Waits for the stream and ends the registration (`Session::UnregisterExternalAllocator`). Returns the stream and
    /// the allocator.
    ///
    /// # Errors
    ///
    /// The stream with its allocator, as it was: [`Error::BlocksInUse`] while a graph that has run here is not removed,
    /// or a tensor of it not released; or [`EngineError::Failed`](crate::EngineError::Failed).
    #[rule(GE_09, GE_21)]
    pub fn unregister(
        self,
        session: &mut Session<C>,
        current: &Current<C>,
    ) -> Result<(Stream<C, Undecided>, A), Failed<Self>> {
        match self.registration.unregister(session, current) {
            Ok((registration, stream, allocator)) => {
                session.row().forget(&registration.row);
                Ok((stream, allocator))
            }
            Err(Failed { error, value: registration }) => Err(Failed { error, value: Self { registration } }),
        }
    }

    /// Calls `look` with the allocator, for example to read its statistics. `None` when the stream was destroyed and
    /// the allocator with it. This crate holds no lock during the call: see [`Stream::with_allocator`].
    pub fn with_allocator<R>(&self, look: impl FnOnce(&A) -> R) -> Option<R> {
        self.registration.with_allocator(look)
    }

    /// Whether the allocator panicked while the engine called it, or got back what it had not given.
    pub fn allocator_misbehaved(&self) -> bool {
        self.registration.allocator_misbehaved()
    }
}

impl<C: Brand, A: DeviceAllocator> fmt::Debug for SessionStream<C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionStream").finish_non_exhaustive()
    }
}
