//! One allocator for several streams, of which one runs at a time.

use super::state::{CanRegister, Fresh, StreamState, With};
use super::{Operand, Pending, Stream};
use crate::allocator::DeviceAllocator;
use crate::brand::{Brand, Unnamed};
use crate::current::Current;
use crate::error::{Error, Undone};
use crate::ffi::{Registered, serves};
use crate::life_cycle::leads;
use crate::model::Prepared;
use ascendcl_macros::rule;
use core::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The one right to run work that uses a shared allocator (ALLOC-10).
///
/// There is one permit per allocator. [`begin`](Self::begin) spends it on a [`Turn`] of one stream, and only
/// [`Turn::finish`], which synchronises that stream, gives it back: two running streams with one allocator cannot be
/// written down. A permit that is lost is not made up for: the streams of its group cannot run again.
#[must_use = "losing the permit means that no stream of its group can ever run again"]
#[rule(ALLOC_10, ALLOC_11)]
pub struct Permit<'c, A: DeviceAllocator, N = Unnamed> {
    allocator: Arc<Registered<A>>,
    _brand: Brand<'c, N>,
}

/// A stream of a group that shares an allocator. It runs work in a [`Turn`] only.
pub struct Member<'c, A: DeviceAllocator, N = Unnamed> {
    stream: Stream<'c, With<A>, N>,
}

/// A stream of the group, and the right to run on it.
#[must_use = "the group cannot run again until `finish` gives the permit back"]
pub struct Turn<'c, 'm, A: DeviceAllocator, N = Unnamed> {
    permit: Permit<'c, A, N>,
    member: &'m Member<'c, A, N>,
}

impl<'c, A: DeviceAllocator, N> Permit<'c, A, N> {
    /// Makes a group out of an allocator; streams are [attached](Self::attach) to it.
    ///
    /// # Errors
    ///
    /// The allocator, with [`Error::OtherContext`], when it [has no memory](DeviceAllocator::serves) for this context.
    pub fn new(current: &Current<'c, N>, allocator: A) -> Result<Self, Undone<A>> {
        if let Err(error) = serves(&allocator, current.id()) {
            return Err(Undone { error, value: allocator });
        }
        let registered = Registered::vacant();
        registered.put(allocator);
        Ok(Self { allocator: registered, _brand: Brand::NEW })
    }

    /// Registers the allocator on a stream (`aclrtAllocatorRegister`), which becomes a member of the group.
    ///
    /// # Errors
    ///
    /// The stream as it was: [`Error::UnsupportedProduct`] (ALLOC-02) or [`Error::Vendor`].
    pub fn attach<S: StreamState + CanRegister>(
        &self,
        current: &Current<'c, N>,
        stream: Stream<'c, S, N>,
    ) -> Result<Member<'c, A, N>, Undone<Stream<'c, S, N>>> {
        leads!(stream: S, CanRegister => With<A>);
        match stream.tell(current, self.allocator.members(), self.allocator.clone()) {
            Ok(()) => Ok(Member { stream: stream.into_state(Arc::downgrade(&self.allocator)) }),
            Err(error) => Err(Undone { error, value: stream }),
        }
    }

    pub(super) fn registered(&self) -> &Arc<Registered<A>> {
        &self.allocator
    }

    /// Spends the permit on a turn of one stream.
    ///
    /// # Errors
    ///
    /// The permit, with [`Error::OtherGroup`], when the stream is a member of another group.
    pub fn begin<'m>(self, member: &'m Member<'c, A, N>) -> Result<Turn<'c, 'm, A, N>, Undone<Self>> {
        if Arc::as_ptr(&self.allocator) == member.stream.carries.as_ptr() {
            return Ok(Turn { permit: self, member });
        }
        Err(Undone { error: Error::OtherGroup, value: self })
    }

    /// Looks at the allocator. No stream of the group is running: having the permit is the proof, so that the allocator
    /// may release, through a method that takes `&self`, the memory of blocks that were freed (ALLOC-11).
    pub fn with_allocator<R>(&mut self, look: impl FnOnce(&A) -> R) -> Option<R> {
        self.allocator.look(look)
    }

    /// Takes the group apart and gives the allocator back.
    ///
    /// # Errors
    ///
    /// The permit as it was, while a stream is attached to the group ([detach](Member::detach) it first), the library has
    /// blocks of the allocator, or it may still call the allocator: after an attachment that failed halfway, until that
    /// stream is destroyed.
    pub fn into_allocator(self) -> Result<A, Self> {
        match self.allocator.into_allocator() {
            Ok(allocator) => Ok(allocator),
            Err(allocator) => Err(Self { allocator, _brand: Brand::NEW }),
        }
    }
}

impl<'c, A: DeviceAllocator, N> Member<'c, A, N> {
    /// Synchronises the stream, ends its registration (`aclrtAllocatorUnregister`), and gives it back.
    ///
    /// # Errors
    ///
    /// The member as it was, when the library refuses.
    pub fn detach(self, current: &Current<'c, N>) -> Result<Stream<'c, Fresh, N>, Undone<Self>> {
        leads!(stream: With<A>, CanUnregister => Fresh);
        match self.stream.tell_end(current) {
            Ok(()) => Ok(self.stream.into_state(())),
            Err(error) => Err(Undone { error, value: self }),
        }
    }
}

impl<'c, A: DeviceAllocator, N> Turn<'c, '_, A, N> {
    pub(crate) fn stream(&self) -> &Stream<'c, With<A>, N> {
        &self.member.stream
    }

    /// Queues one execution of a model on the turn's stream (`aclmdlExecuteAsync`).
    ///
    /// # Errors
    ///
    /// As for [`Stream::execute`].
    pub fn execute<M: Operand<'c, Prepared<'c, N>, N>>(
        &self,
        current: &Current<'c, N>,
        model: M,
    ) -> Result<Pending<'c, Prepared<'c, N>, N>, Undone<M>> {
        self.member.stream.execute(current, model)
    }

    /// Waits for the stream (`aclrtSynchronizeStream`) and gives the permit back.
    ///
    /// # Errors
    ///
    /// The turn as it was, when work failed or could not be waited for: the group stays with this stream.
    pub fn finish(self, current: &Current<'c, N>) -> Result<Permit<'c, A, N>, Undone<Self>> {
        self.finish_for(current, None)
    }

    /// As [`finish`](Self::finish), for at most `limit` (STREAM-16).
    ///
    /// # Errors
    ///
    /// As for [`finish`](Self::finish); when the time was up, the error's code [`is_timeout`](crate::Code::is_timeout).
    pub fn finish_within(self, current: &Current<'c, N>, limit: Duration) -> Result<Permit<'c, A, N>, Undone<Self>> {
        self.finish_for(current, Some(limit))
    }

    fn finish_for(self, current: &Current<'c, N>, limit: Option<Duration>) -> Result<Permit<'c, A, N>, Undone<Self>> {
        match current.ledger().synchronize(self.member.stream.queue(), limit) {
            Ok(()) => Ok(self.permit),
            Err(error) => Err(Undone { error, value: self }),
        }
    }
}

impl<A: DeviceAllocator, N> fmt::Debug for Permit<'_, A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Permit<{}>", core::any::type_name::<A>())
    }
}

impl<A: DeviceAllocator, N> fmt::Debug for Member<'_, A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("stream", &self.stream).finish()
    }
}

impl<A: DeviceAllocator, N> fmt::Debug for Turn<'_, '_, A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").field("member", self.member).finish()
    }
}
