//! One allocator for several streams, of which one runs at a time.

use super::state::{CanRegister, CustomAllocator, StreamState, Undecided};
use super::{Stream, StreamOps};
use crate::brand::{Brand, Mark};
use crate::current::Current;
use crate::device_allocator::DeviceAllocator;
use crate::error::{Error, Failed, ObjectKind};
use crate::ffi::{Owner, Registered, RegisteredOf, WeakRegisteredOf, check_serves};
use crate::life_cycle::leads;
use crate::panics::after_dropping;
use ascendcl_macros::rule;
use core::fmt;
use core::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

/// The one right to run work that uses a shared allocator (ALLOC-10).
///
/// There is one group per allocator. [`begin`](Self::begin) turns it into a [`GroupTurn`] of one stream. Only
/// [`GroupTurn::finish`], which synchronises that stream, returns it. So two streams of one allocator cannot run at the
/// same time. Nothing replaces a lost group: its streams cannot run again.
///
/// Having an `AllocatorGroup` tells you that no stream of the group is running work. It does not tell you that the
/// library has returned every block of the allocator.
///
/// ```
/// use ascendcl::{allocator::PoolAllocator, operator, stream::AllocatorGroup};
/// # ascendcl::run(ascendcl::Library::Simulator, |current| {
/// let mut group = AllocatorGroup::new(current, PoolAllocator::new(current, 64 << 10)?)?;
/// let streams = [group.attach(current, current.stream()?)?, group.attach(current, current.stream()?)?];
/// for stream in &streams {
///     let turn = group.begin(stream)?;
///     let x = current.upload_tensor(&[2], &[-1.0_f32, 2.0])?;
///     let work = turn.launch(current, operator::relu(current, x)?)?;
///     group = turn.finish(current)?;
///     assert_eq!(work.wait(current)?.into_tensors(current)?.1.to_vec(current)?, [0.0, 2.0]);
/// }
/// for stream in streams {
///     stream.detach(current)?.destroy(current)?;
/// }
/// assert!(group.into_allocator().is_ok());
/// # Ok::<_, ascendcl::Error>(())
/// # })?;
/// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
/// ```
#[must_use = "losing the group means that no stream of its group can ever run again"]
#[rule(ALLOC_10, ALLOC_11)]
#[diagnostic::on_move(
    message = "a stream of this group has its turn",
    note = "ALLOC-10: one stream of a group runs at a time: `turn.finish(current)?` returns the group"
)]
pub struct AllocatorGroup<C: Brand, A> {
    // `A` has no bound here: with one, a program that passes no allocator gets an error at each mention of this type.
    allocator: RegisteredOf<A>,
    owner: Owner,
    _brand: Mark<C>,
}

/// A stream of a group that shares an allocator ([`AllocatorGroup`]). It runs work in a [`GroupTurn`] only.
pub struct GroupStream<C: Brand, A> {
    stream: Stream<C, CustomAllocator<A>>,
}

/// A stream of the group, and the right to run on it. See [`AllocatorGroup`].
///
/// Having a `GroupTurn` tells you that no other stream of the group runs work until [`finish`](Self::finish).
#[must_use = "the group cannot run again until `finish` gives the group back"]
pub struct GroupTurn<'m, C: Brand, A> {
    group: AllocatorGroup<C, A>,
    member: &'m GroupStream<C, A>,
}

impl<C: Brand, A> AllocatorGroup<C, A> {
    /// Makes a group out of an allocator; streams are [attached](Self::attach) to it.
    ///
    /// # Errors
    ///
    /// The allocator, with [`Error::AllocatorOfOtherContext`], when it [has no memory](DeviceAllocator::serves) for this context.
    pub fn new(current: &Current<C>, allocator: A) -> Result<Self, Failed<A>>
    where
        A: DeviceAllocator,
    {
        if let Err(error) = check_serves(&allocator, current.id()) {
            return Err(Failed { error, value: allocator });
        }
        let registered = Registered::vacant();
        registered.put(allocator);
        Ok(Self { allocator: RegisteredOf::new(registered), owner: Owner::current(), _brand: Mark::NEW })
    }

    /// Waits for the stream's work and registers the allocator on it (`aclrtAllocatorRegister`). The stream becomes a
    /// member of the group.
    ///
    /// # Errors
    ///
    /// Returns the stream unchanged, with [`Error::UnsupportedProduct`] (ALLOC-02) or [`Error::Vendor`].
    pub fn attach<S: StreamState + CanRegister>(
        &self,
        current: &Current<C>,
        stream: Stream<C, S>,
    ) -> Result<GroupStream<C, A>, Failed<Stream<C, S>>>
    where
        A: DeviceAllocator,
    {
        leads!(stream: S, CanRegister => CustomAllocator<A>);
        let own = self.owner.check_current(ObjectKind::ALLOCATOR);
        let told = own.and_then(|()| {
            let registered = self.registered()?;
            stream.synchronize_and_register(current, registered.members(), registered)
        });
        match told {
            Ok(kept) => {
                let stream = stream.into_state(self.allocator.downgrade());
                Ok(after_dropping(kept, GroupStream { stream }))
            }
            Err(error) => Err(Failed { error, value: stream }),
        }
    }

    fn registered(&self) -> Result<Arc<Registered<A>>, Error>
    where
        A: DeviceAllocator,
    {
        self.allocator.get().ok_or(Error::Gone { what: ObjectKind::ALLOCATOR })
    }

    pub(super) fn registration(&self) -> WeakRegisteredOf<A> {
        self.allocator.downgrade()
    }

    /// Begins the turn of one stream. The turn owns the group until it is [finished](GroupTurn::finish).
    ///
    /// # Errors
    ///
    /// The group, with [`Error::OtherGroup`], when the stream is a member of another group.
    pub fn begin<'m>(
        self, // ALLOC-10: one stream of a group runs at a time: `turn.finish(current)?` returns the group
        member: &'m GroupStream<C, A>,
    ) -> Result<GroupTurn<'m, C, A>, Failed<Self>>
    where
        A: DeviceAllocator,
    {
        if self.allocator.is(&member.stream.carries) {
            return Ok(GroupTurn { group: self, member });
        }
        Err(Failed { error: Error::OtherGroup, value: self })
    }

    /// Lends the allocator to a closure. Having the group proves that no stream of the group is running. So the allocator
    /// may release the memory of blocks that were freed, through a method that takes `&self` (ALLOC-11).
    pub fn with_allocator<R>(&mut self, look: impl FnOnce(&A) -> R) -> Option<R>
    where
        A: DeviceAllocator,
    {
        self.allocator.get()?.look(look)
    }

    /// Takes the group apart and gives the allocator back.
    ///
    /// # Errors
    ///
    /// The group unchanged. [`Error::StillRunning`] while a stream is attached to it ([detach](GroupStream::detach) the
    /// stream first), or while the library may still call the allocator. After an [`attach`](Self::attach) that failed
    /// halfway, or if the library has not destroyed the descriptor of a stream that was detached, the library may call it
    /// until that stream is destroyed. [`Error::BlocksInUse`] while the library has blocks of the allocator.
    pub fn into_allocator(self) -> Result<A, Failed<Self>>
    where
        A: DeviceAllocator,
    {
        let owner = self.owner;
        self.allocator.into_allocator().map_err(|(error, allocator)| {
            let value = Self { allocator, owner, _brand: Mark::NEW };
            Failed { error, value }
        })
    }
}

impl<C: Brand, A> GroupStream<C, A> {
    /// Synchronises the stream, ends its registration (`aclrtAllocatorUnregister`), and gives it back.
    ///
    /// # Errors
    ///
    /// Returns the member unchanged if the library refuses.
    pub fn detach(self, current: &Current<C>) -> Result<Stream<C, Undecided>, Failed<Self>>
    where
        A: DeviceAllocator,
    {
        leads!(stream: CustomAllocator<A>, CanUnregister => Undecided);
        match self.stream.synchronize_and_unregister(current) {
            Ok(kept) => Ok(after_dropping(kept, self.stream.into_state(()))),
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

impl<C: Brand, A> GroupTurn<'_, C, A> {
    pub(crate) fn stream(&self) -> &Stream<C, CustomAllocator<A>>
    where
        A: DeviceAllocator,
    {
        &self.member.stream
    }

    /// Waits for the stream (`aclrtSynchronizeStreamWithTimeout`, repeatedly) and gives the group back.
    ///
    /// # Errors
    ///
    /// Returns the turn unchanged if work failed or the wait failed: the group stays with this stream.
    pub fn finish(
        self, // ALLOC-10: work is queued before the turn ends: the next turn is `group.begin(&member)?`
        current: &Current<C>,
    ) -> Result<AllocatorGroup<C, A>, Failed<Self>>
    where
        A: DeviceAllocator,
    {
        self.finish_for(current, None)
    }

    /// As [`finish`](Self::finish), for at most `limit` (STREAM-16).
    ///
    /// # Errors
    ///
    /// As for [`finish`](Self::finish); when the limit has passed, the error's code
    /// [`is_timeout`](crate::error::Code::is_timeout).
    pub fn finish_within(self, current: &Current<C>, limit: Duration) -> Result<AllocatorGroup<C, A>, Failed<Self>>
    where
        A: DeviceAllocator,
    {
        self.finish_for(current, Some(limit))
    }

    fn finish_for(self, current: &Current<C>, limit: Option<Duration>) -> Result<AllocatorGroup<C, A>, Failed<Self>>
    where
        A: DeviceAllocator,
    {
        match current.ledger().synchronize(current.here(), self.member.stream.queue(), limit) {
            Ok(()) => Ok(self.group),
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

impl<C: Brand, A: DeviceAllocator> fmt::Debug for AllocatorGroup<C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AllocatorGroup<{}>", core::any::type_name::<A>())
    }
}

impl<C: Brand, A: DeviceAllocator> fmt::Debug for GroupStream<C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupStream").field("stream", &self.stream).finish()
    }
}

/// The queued work is part of the turn: [`GroupTurn::finish`] waits for it.
impl<C: Brand, A: DeviceAllocator> Deref for GroupTurn<'_, C, A> {
    type Target = StreamOps<C>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        self.stream()
    }
}

impl<C: Brand, A: DeviceAllocator> fmt::Debug for GroupTurn<'_, C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupTurn").field("member", self.member).finish()
    }
}
