//! Copies between the devices of two contexts.

use crate::brand::{Brand, INSIDE, InScope, Inside, Mark, Name};
use crate::context::Context;
use crate::current::Current;
use crate::device_allocator::ContextId;
use crate::element::Element;
use crate::error::{Error, Failed, ObjectKind};
use crate::ffi::{Lent, LentSide, Owner};
use crate::ledger::Ledger;
use crate::memory::DeviceBuffer;
use crate::runtime::Runtime;
use crate::stream::sealed_destination::Buffer;
use crate::stream::{CopyScope, Destination, Pending, Source, StreamOps, same_length};
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::{assert_impl_all, assert_not_impl_any};

/// Access of work of context `C` to the device memory of context `P`, which is on another device.
///
/// [`Current::with_peer`] lends it and keeps the other context open during the closure. The access is in one direction:
/// streams of `C`'s device copy from or to the other device's memory.
#[rule(DEV_13)]
pub struct PeerAccess<C: Brand, P: Brand> {
    own: Owner,
    peer: ContextId,
    _brands: (Mark<C>, Mark<P>),
}

assert_impl_all!(PeerAccess<crate::Scoped<'static>, crate::Scoped<'static>>: Send, Sync);
assert_not_impl_any!(PeerAccess<crate::Scoped<'static>, crate::Scoped<'static>>: Clone);

/// A context whose memory another context can access: a [`Context`] of a scope, or a [`Runtime`].
pub trait PeerContext: sealed::Sealed {}

impl<C: InScope> PeerContext for Context<C> {}
impl<N: Name> PeerContext for Runtime<N> {}

mod sealed {
    use super::{Brand, Context, Error, InScope, Inside, Ledger, Name, Runtime};

    /// A context that is open.
    pub struct Opened<'a>(pub(super) &'a Ledger);

    pub trait Sealed {
        type Brand: Brand;

        /// Runs `program` while the context is open.
        fn while_open<R>(&self, program: impl FnOnce(Opened<'_>) -> R, key: Inside) -> Result<R, Error>;
    }

    /// The scope is open as long as a reference to its context exists.
    impl<C: InScope> Sealed for Context<C> {
        type Brand = C;

        fn while_open<R>(&self, program: impl FnOnce(Opened<'_>) -> R, _: Inside) -> Result<R, Error> {
            Ok(program(Opened(self.ledger())))
        }
    }

    impl<N: Name> Sealed for Runtime<N> {
        type Brand = N;

        fn while_open<R>(&self, program: impl FnOnce(Opened<'_>) -> R, _: Inside) -> Result<R, Error> {
            self.while_open(|ledger| program(Opened(ledger)))
        }
    }
}

impl<C: Brand> Current<C> {
    /// Gives work of this context's device access to the memory of another device, and runs `program` with the access
    /// (`aclrtDeviceEnablePeerAccess`). First it asks the library whether access is possible
    /// (`aclrtDeviceCanAccessPeer`).
    ///
    /// Copies take place in a [`copy_scope`](Self::copy_scope), which waits for them. It borrows the other context's
    /// buffers. These have to be idle, so the copies run after all earlier work on them, and are complete when the
    /// other context uses them again.
    ///
    /// ```
    /// use ascendcl::{Acl, DeviceBuffer, Library, Thread};
    ///
    /// ascendcl::names!(Vision, Speech);
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (acl, mut thread) = (Acl::init(Library::Simulator)?, Thread::new()?);
    /// let (first, second) = (acl.device(&mut thread, 0)?, acl.device(&mut thread, 1)?);
    /// let seen = first.named_context::<Vision, _, _>(&mut thread, |vision, thread| {
    ///     second.named_context::<Speech, _, _>(thread, |speech, thread| {
    ///         let heard = speech.enter(thread, |current| current.upload(&[1_u8, 2, 3]))??;
    ///         vision.enter(thread, |current| {
    ///             let stream = current.stream()?;
    ///             current.with_peer(speech, |current, access| {
    ///                 let room = current.device_buffer(3)?;
    ///                 let copy = current.copy_scope(|current, copies| {
    ///                     copies.copy_from_peer(current, &stream, access, &heard, room)
    ///                 })??;
    ///                 copy.wait(current)?.to_vec(current)
    ///             })?
    ///         })?
    ///     })
    /// })???;
    /// assert_eq!(seen, [1, 2, 3]);
    /// # first.reset(&mut thread)?;
    /// # second.reset(&mut thread)?;
    /// # acl.close()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The access stays enabled in the library until this context's device is reset.
    ///
    /// # Errors
    ///
    /// [`Error::NoPeerAccess`] when both contexts are on one device, or when the library says that access is
    /// impossible. [`Error::Gone`] when the other context is a closed runtime. [`Error::OtherLibrary`] when the other
    /// context belongs to another library. [`Error::MissingFunction`] on releases that lack one of the functions.
    /// [`Error::Vendor`]. The program did not run then.
    #[rule(DEV_13, COPY_08, MEM_11)]
    pub fn with_peer<P: PeerContext, R>(
        &mut self,
        peer: &P,
        program: impl FnOnce(&mut Self, &PeerAccess<C, P::Brand>) -> R,
    ) -> Result<R, Error> {
        peer.while_open(
            |sealed::Opened(other)| {
                self.enable_access_to(other)?;
                let own = Owner::of(self.id());
                let access = PeerAccess { own, peer: other.id(), _brands: (Mark::NEW, Mark::NEW) };
                Ok(program(self, &access))
            },
            INSIDE,
        )?
    }

    fn enable_access_to(&self, other: &Ledger) -> Result<(), Error> {
        let (api, device, peer) = (self.ledger().api(), self.device_id(), other.device());
        if !api.is_same_library(other.api()) {
            return Err(Error::OtherLibrary { what: ObjectKind::DEVICE_MEMORY });
        }
        if device == peer || !api.can_access_peer(device, peer)? {
            return Err(Error::NoPeerAccess { device, peer });
        }
        api.enable_peer_access(peer)
    }
}

impl<'env, C: Brand> CopyScope<'_, 'env, C> {
    /// Queues a copy from a buffer of another device (`aclrtMemcpyAsync`). The buffer is borrowed until the scope ends.
    ///
    /// # Errors
    ///
    /// Returns the destination unchanged, with [`Error::LengthMismatch`], [`Error::OtherStream`] when it is in flight
    /// on another stream, [`Error::WrongContext`] when the other buffer, the access or the scope belongs to another runtime
    /// with the same name, or [`Error::Vendor`].
    #[rule(COPY_08, MEM_11)]
    pub fn copy_from_peer<P: Brand, E: Element, D: Destination<C, E>>(
        &self,
        current: &Current<C>,
        stream: &StreamOps<C>,
        access: &'env PeerAccess<C, P>,
        from: &'env DeviceBuffer<P, E>,
        to: D,
    ) -> Result<Pending<C, DeviceBuffer<C, E>>, Failed<D>> {
        let (here, queue) = (current.here(), stream.queue());
        let ready = to.usable_on(queue).and_then(|()| same_length(from.len(), to.operand_value(INSIDE).room()));
        let lent = Lent { block: from.block(), context: access.peer, with_access: access.own };
        let copy = || {
            self.borrowed().copy_between(
                here,
                queue,
                to.operand_value(INSIDE).block_at_this_end(),
                lent,
                LentSide::Source,
            )
        };
        match ready.and_then(|()| copy()) {
            Ok(number) => {
                let past = to.past_of_operand(INSIDE);
                Ok(Pending::new(to.into_written_output(INSIDE), queue, number).after(past))
            }
            Err(error) => Err(Failed { error, value: to }),
        }
    }

    /// Queues a copy to a buffer of another device (`aclrtMemcpyAsync`). The buffer is borrowed until the scope ends.
    ///
    /// # Errors
    ///
    /// Returns the source unchanged, with the errors of [`copy_from_peer`](Self::copy_from_peer).
    #[rule(COPY_08, MEM_11)]
    pub fn copy_to_peer<P: Brand, E: Element, F: Source<C, E>>(
        &self,
        current: &Current<C>,
        stream: &StreamOps<C>,
        access: &'env PeerAccess<C, P>,
        from: F,
        to: &'env mut DeviceBuffer<P, E>,
    ) -> Result<Pending<C, F::Kept>, Failed<F>> {
        let (here, queue) = (current.here(), stream.queue());
        let ready = from.usable_on(queue).and_then(|()| same_length(from.operand_value(INSIDE).room(), to.len()));
        let lent = Lent { block: to.block(), context: access.peer, with_access: access.own };
        let copy = || {
            self.borrowed().copy_between(
                here,
                queue,
                from.operand_value(INSIDE).block_at_this_end(),
                lent,
                LentSide::Destination,
            )
        };
        match ready.and_then(|()| copy()) {
            Ok(number) => {
                let past = from.past_of_operand(INSIDE);
                Ok(Pending::new(from.taken_by_work(INSIDE), queue, number).after(past))
            }
            Err(error) => Err(Failed { error, value: from }),
        }
    }
}

impl<C: Brand, P: Brand> fmt::Debug for PeerAccess<C, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerAccess").field("peer", &self.peer).finish()
    }
}
