//! Streams: queues of work on a device.

// rustdoc lists the methods of a type in the order of these modules. The modules are in the order of use, so `rustfmt`
// does not sort them.
mod allocator;
mod copy;

mod event;
mod host_fn;

mod order;

mod copy_scope;
mod default;
mod destination;
mod group;
mod idle_proof;
mod mapped;
mod operand;
mod ops;
mod options;
mod past;
mod payload;

mod pending;

mod future;

mod rows;
mod several;
mod source;
mod state;
mod together;
mod undecided;
mod untouched; // MODEL-17: no bound says it; `pending.wait(current)?` returns what was waited for
mod watch;
mod when_done;

use crate::brand::owners::StreamOfTwo;
use crate::brand::{Brand, Scoped};
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::ffi::RawStream;
use crate::ledger::end;
use crate::life_cycle::leads;
use crate::panics::after_dropping;
use ascendcl_macros::rule;
use core::fmt;
use core::ops::Deref;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;

pub(crate) use copy::{Copied, in_flight};
pub use copy_scope::CopyScope;
pub(crate) use copy_scope::same_length;
pub(crate) use default::sealed as sealed_default;
pub use default::{DefaultStream, TakesAllocator};
pub use destination::Destination;
pub(crate) use destination::sealed as sealed_destination;
pub use future::Completion;
pub use group::{AllocatorGroup, GroupStream, GroupTurn};
pub use host_fn::HostFnResult;
pub use idle_proof::{IdleProof, ProvesIdle};
pub use mapped::Mapped;
pub use operand::Operand;
pub use ops::StreamOps;
pub use options::StreamOptions;
pub(crate) use past::Past;
pub use payload::Payload;
pub(crate) use payload::sealed as sealed_payload;
pub use pending::Pending;
pub use source::Source;
pub use state::{
    CanDecline, CanExecute, CanRegister, CanRegisterDescriptor, CanReplace, CanUnregister, CustomAllocator,
    DefaultAllocator, RawAllocator, StreamState, Undecided,
};
pub(crate) use untouched::Waited;
pub use when_done::WhenDone;

/// An explicit stream (`aclrtCreateStream`): work queued on it runs in order, beside the program.
///
/// A stream dereferences to its [`StreamOps`]: copies, sets, events, callbacks and waits, which all streams have. The
/// type `S` says what was decided about the allocator of work that allocates:
///
/// * [`Undecided`]: a new stream. It takes no work that allocates, such as models.
/// * [`DefaultAllocator`], after [`without_allocator`](Self::without_allocator): the library allocates.
/// * [`CustomAllocator<A>`], after [`register`](Self::register): the allocator `A` of the program allocates.
/// * [`RawAllocator`], after [`register_descriptor`](Self::register_descriptor): C functions of the program allocate.
///
/// One thread uses a stream at a time: it can be sent, not shared (THREAD-03). A stream that is dropped is destroyed by
/// [`Current::collect`] or the end of its scope.
///
/// ```
/// # use ascendcl::{Library, RunError};
/// ascendcl::run(Library::Simulator, |current| {
///     let stream = current.stream()?;
///     let zeros = stream.set_bytes(current, current.device_buffer::<u8>(4)?, 0)?;
///     // The program goes on beside the device, and then waits.
///     let zeros = zeros.wait(current)?;
///     assert_eq!(zeros.to_vec(current)?, [0; 4]);
///     stream.destroy(current)?;
///     Ok::<_, ascendcl::Error>(())
/// })?;
/// # Ok::<(), RunError<ascendcl::Error>>(())
/// ```
#[must_use = "a stream that is dropped is destroyed by `collect` or at the end of its scope; `destroy` shows the errors"]
#[rule(THREAD_03, STREAM_01, STREAM_04, STREAM_09)]
#[diagnostic::on_move(
    message = "this stream was destroyed, or its state has changed",
    note = "STREAM-08, ALLOC-09: a change of state returns the stream: `let stream = stream.register(current, allocator)?;`"
)]
pub struct Stream<
    C: Brand, // CTX-02: of every context: `struct S<C: Brand> { stream: Stream<C> }`; of a runtime: `Stream<Vision>`
    S: StreamState = Undecided,
> {
    tasks: StreamOps<C>,
    carries: S::Carries,
}

assert_impl_all!(Stream<Scoped<'static>>: Send);
assert_not_impl_any!(Stream<Scoped<'static>>: Sync, Clone);

#[doc(hidden)]
impl<C: Brand, S: StreamState> Stream<C, S> {
    #[allow(clippy::should_implement_trait, reason = "nothing meets its bound, which has the words of the message")]
    pub fn clone(&self) -> Self
    where
        Self: StreamOfTwo,
    {
        self.never()
    }
}

impl<C: Brand> Current<C> {
    /// Creates a stream (`aclrtCreateStream`): a new one at each call. The stream that each context already has is the
    /// [`default_stream`](Self::default_stream).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`]; 207008 when the device has no more streams, also after destroying dropped ones whose work is
    /// over.
    #[rule(CTX_12, STREAM_11)]
    #[inline]
    pub fn stream(&self) -> Result<Stream<C, Undecided>, Error> {
        leads!(stream: Start --> Undecided : Create);
        self.ledger().create_stream(self.here()).map(Stream::of)
    }
}

impl<C: Brand> Stream<C, Undecided> {
    pub(crate) fn of(queue: Arc<RawStream>) -> Self {
        Self { tasks: StreamOps::new(queue), carries: () }
    }
}

impl<C: Brand, S: StreamState> Stream<C, S> {
    /// The same stream in another state, and what it carried in this one.
    fn exchange<T: StreamState>(self, carries: T::Carries) -> (Stream<C, T>, S::Carries) {
        let Self { tasks, carries: before } = self;
        (Stream { tasks, carries }, before)
    }

    fn into_state<T: StreamState>(self, carries: T::Carries) -> Stream<C, T> {
        self.exchange(carries).0
    }

    /// Waits for the stream's work and destroys it (`aclrtSynchronizeStreamWithTimeout`, repeatedly,
    /// `aclrtDestroyStream`; STREAM-05).
    ///
    /// # Errors
    ///
    /// Returns the stream unchanged if its work failed or the library refuses. A descriptor of its allocator that the
    /// library refuses to destroy is left to [`Current::collect`] and the end of the scope, which report that.
    #[must_use = "ERR-01: a failed call gives its object back: `?`, or look at the `Err`; see `ascendcl-explain ERR-01`"]
    #[rule(STREAM_05, STREAM_06, STREAM_07, STREAM_08)]
    #[inline]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn destroy( // STREAM-06, STREAM-09: while its own context is current: `context.enter(thread, |current| ...)`
        self, // STREAM-08: a stream is destroyed once and last: for another one, call `current.stream()`
        current: &Current<C>,
    ) -> Result<(), Failed<Self>> {
        leads!(stream: Undecided --> End : Destroy, stream: DefaultAllocator --> End : Destroy);
        leads!(stream: CustomAllocator --> End : Destroy, stream: RawAllocator --> End : Destroy);
        let (ledger, here) = (current.ledger(), current.here());
        let at_once = |stream: &Self| ledger.destroy_stream_at_once(here, stream.queue());
        end(self, at_once, |stream| stream.destroy_after_checks(current))
    }

    fn destroy_after_checks(self, current: &Current<C>) -> Result<(), Failed<Self>> {
        // The allocator, if the stream had one, is dropped last.
        let mut kept = Vec::new();
        match current.ledger().destroy_stream(self.queue(), None, &mut kept) {
            Err(error) if !self.queue().is_gone() => Err(Failed { error, value: self }),
            // A descriptor that the library keeps is the scope's to destroy, and to report.
            _ => after_dropping(kept, Ok(())),
        }
    }
}

impl<C: Brand, S: StreamState> Deref for Stream<C, S> {
    type Target = StreamOps<C>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.tasks
    }
}

impl<C: Brand, S: StreamState> fmt::Debug for Stream<C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.queue().shown_as("Stream", f)
    }
}
