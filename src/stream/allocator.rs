//! Deciding on a stream's allocator.

use super::Stream;
use super::state::{
    CanDecline, CanRegister, CanRegisterDescriptor, CompleteDescriptor, CustomAllocator, DefaultAllocator,
    RawAllocator, StreamState, Undecided,
};
use crate::allocator::descriptor::{Descriptor, HasAddress, HasAllocate, HasFree, HasObject};
use crate::brand::Brand;
use crate::current::Current;
use crate::device_allocator::DeviceAllocator;
use crate::error::{Error, Failed, ObjectKind};
use crate::ffi::{KeptAllocator, KeptByCaller, Members, Registered, Site, WeakRegisteredOf, check_serves};
use crate::life_cycle::leads;
use crate::panics::after_dropping;
use ascendcl_macros::rule;
use std::sync::Arc;

impl<C: Brand, S: StreamState> Stream<C, S> {
    /// Lets the library allocate the memory of this stream's work, for the rest of the stream's life.
    #[rule(ALLOC_15)]
    pub fn without_allocator(
        self, // ALLOC-15: decided once for a stream: `let stream = current.stream()?.without_allocator();` before a loop
    ) -> Stream<C, DefaultAllocator>
    where
        S: CanDecline,
    {
        leads!(stream: S, CanDecline => DefaultAllocator);
        self.into_state(())
    }

    /// Waits for the stream's work and registers an allocator (`aclrtAllocatorRegister`), which moves into the stream: it
    /// serves this stream and no other (ALLOC-10). Work that is queued here from now on gets its memory from it.
    ///
    /// # Errors
    ///
    /// Returns the stream and the allocator unchanged, with [`Error::UnsupportedProduct`] on products without this
    /// function (ALLOC-02), [`Error::AllocatorOfOtherContext`] when the allocator [has no memory](DeviceAllocator::serves) for
    /// this context, or [`Error::Vendor`].
    #[rule(ALLOC_01, ALLOC_02, ALLOC_04, ALLOC_10, ALLOC_12, ALLOC_13, ALLOC_15)]
    #[rustfmt::skip] // The compiler's messages print the first line, and that of `self`.
    pub fn register<A: DeviceAllocator>(
        self, // ALLOC-04: the stream in its new state is returned: `let stream = stream.register(current, allocator)?;`
        current: &Current<C>,
        allocator: A,
    ) -> Result<Stream<C, CustomAllocator<A>>, Failed<(Self, A)>>
    where
        S: CanRegister,
    {
        leads!(stream: S, CanRegister => CustomAllocator<A>);
        let registered = Registered::vacant();
        let told = check_serves(&allocator, current.id())
            .and_then(|()| self.synchronize_and_register(current, registered.members(), registered.clone()));
        match told {
            Ok(kept) => {
                registered.put(allocator);
                Ok(after_dropping(kept, self.into_state(WeakRegisteredOf::new(&registered))))
            }
            Err(error) => Err(Failed { error, value: (self, allocator) }),
        }
    }

    /// Waits for the stream's work and registers an allocator that is made of C functions (`aclrtAllocatorRegister`).
    ///
    /// # Safety
    ///
    /// The functions and the object keep the promises of [`DeviceAllocator`]; the object can be
    /// used from any thread; and all of them stay usable until the stream was unregistered or destroyed. The end of the
    /// context's scope does that at the latest; when the scope reports that it could not be taken down, a later
    /// [`Device::reset`](crate::Device::reset) that succeeds does.
    ///
    /// # Errors
    ///
    /// As for [`Stream::register`].
    #[rule(ALLOC_07)]
    #[allow(unsafe_code, reason = "a declaration only: the caller vouches for the functions")]
    pub unsafe fn register_descriptor<O: HasObject, A: HasAllocate, F: HasFree, G: HasAddress>(
        self,
        current: &Current<C>,
        descriptor: Descriptor<O, A, F, G>,
    ) -> Result<Stream<C, RawAllocator>, Failed<(Self, Descriptor<O, A, F, G>)>>
    where
        S: CanRegisterDescriptor,
    {
        leads!(stream: S, CanRegisterDescriptor => RawAllocator);
        // There is no Rust value to keep: the caller keeps the object and the functions.
        let own = current.ledger().api().check_process();
        match own.and_then(|()| self.synchronize_and_register(current, descriptor.members(), KeptByCaller::kept())) {
            Ok(kept) => Ok(after_dropping(kept, self.into_state(descriptor.complete()))),
            Err(error) => Err(Failed { error, value: (self, descriptor) }),
        }
    }

    /// Synchronises the stream and makes the library call this allocator for work on it, in place of one that was
    /// registered before (ALLOC-09).
    pub(super) fn synchronize_and_register(
        &self,
        current: &Current<C>,
        members: Members,
        keeps: KeptAllocator,
    ) -> Result<Vec<KeptAllocator>, Error> {
        let ledger = current.ledger();
        ledger.supports_allocators()?;
        ledger.synchronize(Site::unproven(ledger.api()).here(), self.queue(), None)?;
        self.queue().register(ledger.api(), members, keeps)
    }

    /// Synchronises the stream and ends the registration of its allocator.
    pub(super) fn synchronize_and_unregister(&self, current: &Current<C>) -> Result<Vec<KeptAllocator>, Error> {
        let ledger = current.ledger();
        ledger.synchronize(Site::unproven(ledger.api()).here(), self.queue(), None)?;
        self.queue().unregister(ledger.api())
    }
}

impl<C: Brand> Stream<C, RawAllocator> {
    /// Synchronises the stream, ends the registration (`aclrtAllocatorUnregister`), and gives the descriptor back. Its
    /// object and functions are no longer used.
    ///
    /// # Errors
    ///
    /// Returns the stream with its allocator unchanged.
    pub fn unregister(self, current: &Current<C>) -> Result<(Stream<C, Undecided>, CompleteDescriptor), Failed<Self>> {
        leads!(stream: RawAllocator, CanUnregister => Undecided);
        match self.synchronize_and_unregister(current) {
            Ok(kept) => Ok(after_dropping(kept, self.exchange(()))),
            Err(error) => Err(Failed { error, value: self }),
        }
    }
}

impl<C: Brand, A> Stream<C, CustomAllocator<A>> {
    /// Lends the allocator to a closure while it is registered, for example to read its statistics. Returns `None` if
    /// the allocator was dropped together with its stream, or lost with it ([`Recovered::Reset`](crate::Recovered)).
    ///
    /// This crate holds no lock while the closure runs, and the library may call the allocator at the same time. So the
    /// closure may wait for work that needs the allocator.
    pub fn with_allocator<R>(&self, look: impl FnOnce(&A) -> R) -> Option<R>
    where
        A: DeviceAllocator,
    {
        self.carries.upgrade()?.look(look)
    }

    /// Whether one of these happened:
    /// * The allocator panicked while the library called it. The library then got a null pointer, and a block that was
    ///   to be freed is lost.
    /// * The library returned a block that it did not have. The call was ignored.
    #[rule(CB_09)]
    pub fn allocator_misbehaved(&self) -> bool
    where
        A: DeviceAllocator,
    {
        self.carries.upgrade().is_some_and(|registered| registered.misbehaved())
    }

    /// Synchronises the stream, registers another allocator in the place of this one (`aclrtAllocatorRegister`;
    /// ALLOC-09), and gives this one back. Its memory may now be released (ALLOC-11).
    ///
    /// # Errors
    ///
    /// Returns the stream with its allocator, and the other allocator unchanged, with [`Error::BlocksInUse`] while the
    /// library has blocks of this one although the stream is synchronised, [`Error::StillRunning`] while it is inside
    /// it; [`Error::AllocatorOfOtherContext`]; or [`Error::Vendor`].
    #[rule(ALLOC_09, ALLOC_11)]
    pub fn replace<B: DeviceAllocator>(
        self,
        current: &Current<C>,
        allocator: B,
    ) -> Result<(Stream<C, CustomAllocator<B>>, A), Failed<(Self, B)>>
    where
        A: DeviceAllocator,
    {
        leads!(stream: CustomAllocator<A>, CanReplace => CustomAllocator<B>);
        let registered = Registered::vacant();
        let ledger = current.ledger();
        let register = || self.queue().register(ledger.api(), registered.members(), registered.clone());
        let replaced = check_serves(&allocator, current.id())
            .and_then(|()| ledger.supports_allocators())
            .and_then(|()| self.take_allocator(current, register));
        match replaced {
            Ok((before, kept)) => {
                registered.put(allocator);
                Ok(after_dropping(kept, (self.into_state(WeakRegisteredOf::new(&registered)), before)))
            }
            Err(error) => Err(Failed { error, value: (self, allocator) }),
        }
    }

    /// Synchronises the stream, ends the registration (`aclrtAllocatorUnregister`), and gives the allocator back. Its
    /// memory may now be released (ALLOC-11), and the stream can be decided anew.
    ///
    /// # Errors
    ///
    /// Returns the stream with its allocator unchanged, with [`Error::BlocksInUse`] while the library has blocks of it
    /// although the stream is synchronised, [`Error::StillRunning`] while it is inside it; or [`Error::Vendor`].
    #[rule(ALLOC_11, ALLOC_12, ALLOC_20)]
    pub fn unregister(self, current: &Current<C>) -> Result<(Stream<C, Undecided>, A), Failed<Self>>
    where
        A: DeviceAllocator,
    {
        leads!(stream: CustomAllocator<A>, CanUnregister => Undecided);
        match self.take_allocator(current, || self.queue().unregister(current.ledger().api())) {
            Ok((allocator, kept)) => Ok(after_dropping(kept, (self.into_state(()), allocator))),
            Err(error) => Err(Failed { error, value: self }),
        }
    }

    /// Synchronises the stream and takes the allocator out of its registration, which `end` ends or replaces in the
    /// library. If `end` fails, the allocator is put back. Also returns what earlier registrations kept; the caller drops
    /// that last.
    fn take_allocator(
        &self,
        current: &Current<C>,
        end: impl FnOnce() -> Result<Vec<KeptAllocator>, Error>,
    ) -> Result<(A, Vec<KeptAllocator>), Error>
    where
        A: DeviceAllocator,
    {
        current.ledger().synchronize(current.here(), self.queue(), None)?;
        let registered = self.allocator()?;
        let allocator = registered.take()?;
        match end() {
            Ok(kept) => Ok((allocator, kept)),
            Err(error) => {
                registered.put(allocator);
                Err(error)
            }
        }
    }

    /// The allocator, which the stream's row owns while it is registered.
    pub(super) fn allocator(&self) -> Result<Arc<Registered<A>>, Error>
    where
        A: DeviceAllocator,
    {
        self.carries.upgrade().ok_or(Error::Gone { what: ObjectKind::ALLOCATOR })
    }
}
