//! Registers allocators on streams, by the library's allocator descriptors.

use super::admission::{Admission, CheckReason};
use super::allocator::{Keeps, KeptAllocator};
use super::answer::written;
use super::call::{Function, call, functions};
use super::members::Members;
use super::{Api, Owner};
use crate::device_allocator::{AddressFn, AllocateFn, AllocateNearFn, FreeFn};
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::*;
use core::mem::transmute;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// The descriptors that the library created for one stream, and which of them the library calls.
///
/// A descriptor has a row from its creation until the library has destroyed it, and the row keeps the object that the
/// library may call. Callers of the functions that take a stream guarantee that it is alive and synchronised.
#[derive(Debug)]
pub(super) struct Registrations {
    /// The lock is held to read or change the rows, never while the library runs.
    rows: Mutex<Rows>,
    /// Whether a descriptor was ever created. Until then there are neither rows nor a doubt.
    any: AtomicBool,
    /// Whether fast paths may queue work. After two failed calls in a row it is in doubt which allocator the library
    /// calls.
    admission: Admission,
}

#[derive(Debug, Default)]
struct Rows {
    all: Vec<Arc<Registration>>,
    /// The registration that the library calls, unless that is in doubt.
    serving: Option<Arc<Registration>>,
}

/// A descriptor that the library created, and the value that keeps its object in place.
#[derive(Debug)]
#[rule(ALLOC_08)]
struct Registration {
    descriptor: aclrtAllocatorDesc,
    keeps: KeptAllocator,
}

// SAFETY: sending the handle to another thread must not make a data race. The descriptor belongs to the process, and is
// only passed back to the library.
unsafe impl Send for Registration {}
// SAFETY: sharing the handle must not make a data race. A shared registration only copies the descriptor's handle,
// which is never written, and `KeptAllocator` is `Sync`.
unsafe impl Sync for Registration {}

impl Registrations {
    /// No registrations, for a stream of this context.
    pub(super) fn none(owner: Owner) -> Self {
        Self { rows: Mutex::default(), any: AtomicBool::new(false), admission: Admission::of(owner.number()) }
    }

    /// Reuses this for another stream, of this context. There [never were](Self::were_never) any registrations.
    #[inline]
    pub(super) fn belong_to(&mut self, owner: Owner) {
        self.admission = Admission::of(owner.number());
    }

    /// Whether work on the stream could make the library call an allocator that no longer exists.
    pub(super) fn in_doubt(&self) -> bool {
        self.admission.has(CheckReason::AllocatorInDoubt)
    }

    /// The word by which fast paths decide whether to queue work on the stream.
    #[inline]
    pub(super) fn admission(&self) -> &Admission {
        &self.admission
    }

    /// Whether no descriptor was ever created. Then there are neither rows nor a doubt.
    #[inline]
    pub(super) fn were_never(&self) -> bool {
        !self.any.load(Ordering::Acquire)
    }

    fn set_in_doubt(&self, in_doubt: bool) {
        self.admission.set(CheckReason::AllocatorInDoubt, in_doubt);
    }

    /// The keeper of the registered allocator, if there is one.
    pub(super) fn keeps(&self) -> Option<Weak<dyn Keeps>> {
        self.rows().serving.as_ref().map(|own| Arc::downgrade(&own.keeps))
    }

    /// Creates a descriptor, sets all its members, and registers it (ALLOC-04). It replaces the one that the library
    /// calls now (ALLOC-09). Returns the owners that ended registrations kept.
    ///
    /// The object of `members` stays in place while `keeps` exists, and the functions take that object. On failure the
    /// previously registered allocator stays in effect, or the registration is in doubt.
    #[rule(ALLOC_06, ALLOC_07)]
    pub(super) fn register(
        &self,
        api: Api,
        stream: aclrtStream,
        members: Members,
        keeps: KeptAllocator,
    ) -> Result<Vec<KeptAllocator>, Error> {
        let made = self.create_descriptor(api, members, keeps)?;
        if let Err(error) = made.register_on(api, stream) {
            self.undo(api, stream, &error);
            // The first error is the one to report. What could not be destroyed stays in its row.
            let _ = self.tidy(api, &mut Vec::new());
            return Err(error);
        }
        self.set_serving(Some(made));
        Ok(self.tidy_quietly(api))
    }

    /// Ends the registration, if there is one (ALLOC-12). Returns the owners that ended registrations kept.
    pub(super) fn unregister(&self, api: Api, stream: aclrtStream) -> Result<Vec<KeptAllocator>, Error> {
        self.end(api, stream).inspect_err(|error| self.undo(api, stream, error))?;
        self.set_serving(None);
        Ok(self.tidy_quietly(api))
    }

    /// Makes the library call no allocator for the stream, before the stream is destroyed. [`resume`](Self::resume)
    /// reverts this.
    pub(super) fn end(&self, api: Api, stream: aclrtStream) -> Result<(), Error> {
        if self.were_never() || (self.rows().serving.is_none() && !self.in_doubt()) {
            return Ok(());
        }
        Self::unregister_from(api, stream)?;
        self.set_in_doubt(false);
        Ok(())
    }

    /// Registers the previous allocator again.
    pub(super) fn resume(&self, api: Api, stream: aclrtStream) {
        if self.were_never() {
            return;
        }
        let serving = self.rows().serving.clone();
        if let Some(own) = serving {
            self.set_in_doubt(own.register_on(api, stream).is_err());
        }
    }

    /// Lets the library get no further memory from these allocators, because a forced reset may end the stream with its
    /// registration. [`reopen`](Self::reopen) reverts this.
    pub(super) fn shut(&self) {
        self.each(|row| row.keeps.shut());
    }

    pub(super) fn reopen(&self) {
        self.each(|row| row.keeps.reopen());
    }

    /// A forced reset has ended the stream. Ends the registration that the library still has under the stream's handle,
    /// which a new stream may get. Nobody does this later, so a refused call is made again, a few times. If the library
    /// refuses, the new stream gets no memory, because the allocator is [shut](Self::shut).
    #[rule(ALLOC_16, ALLOC_20)]
    pub(super) fn end_after_reset(&self, api: Api, stream: aclrtStream) {
        const TRIES: usize = 3;
        if self.were_never() || (self.rows().serving.is_none() && !self.in_doubt()) {
            return;
        }
        let _is_ended = (0..TRIES).any(|_| {
            // SAFETY: the function asks for a handle that is not null. It looks the handle up in its table and does not use
            // the stream: unregistering an unknown stream succeeds (ALLOC-20).
            let answer = unsafe { call!(api.aclrtAllocatorUnregister(stream)) };
            answer.is_success()
        });
    }

    fn each(&self, what: impl Fn(&Registration)) {
        if !self.were_never() {
            let rows = self.rows().all.clone();
            rows.iter().for_each(|row| what(row));
        }
    }

    /// Ends all registrations, because the stream is destroyed. What they kept is moved to `kept`.
    ///
    /// Callers may repeat this after a failure.
    pub(super) fn clear(&self, api: Api, kept: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        if self.were_never() {
            return Ok(());
        }
        self.set_serving(None);
        self.tidy(api, kept)
    }

    /// Reverts a failed call that was to change the allocator, because the call may have taken effect.
    fn undo(&self, api: Api, stream: aclrtStream, error: &Error) {
        // Else nothing was called: the library lacks the function, or a check before the call was refused.
        let changes = [functions::aclrtAllocatorRegister::NAME, functions::aclrtAllocatorUnregister::NAME];
        if !matches!(error, Error::Vendor(vendor) if changes.contains(&vendor.call)) {
            return;
        }
        let serving = self.rows().serving.clone();
        let failed = match serving {
            Some(before) => before.register_on(api, stream),
            // Unregistering succeeds if nothing is registered.
            None => Self::unregister_from(api, stream),
        };
        self.set_in_doubt(failed.is_err());
    }

    fn set_serving(&self, registration: Option<Arc<Registration>>) {
        self.rows().serving = registration;
        self.set_in_doubt(false);
    }

    /// Like [`tidy`](Self::tidy), but ignores errors: a descriptor that cannot be destroyed stays in its row until the
    /// stream ends.
    fn tidy_quietly(&self, api: Api) -> Vec<KeptAllocator> {
        let mut kept = Vec::new();
        let _ = self.tidy(api, &mut kept);
        kept
    }

    /// Destroys the descriptors that no registration uses (ALLOC-08).
    fn tidy(&self, api: Api, kept: &mut Vec<KeptAllocator>) -> Result<(), Error> {
        if self.in_doubt() {
            return Ok(());
        }
        let rows = self.rows();
        let serves = |row: &Arc<Registration>| rows.serving.as_ref().is_some_and(|own| Arc::ptr_eq(own, row));
        let over: Vec<_> = rows.all.iter().filter(|row| !serves(row)).cloned().collect();
        drop(rows);
        let mut tidied = Ok(());
        for row in over {
            match row.destroy(api) {
                Ok(()) => {
                    self.rows().all.retain(|known| !Arc::ptr_eq(known, &row));
                    kept.push(Arc::clone(&row.keeps));
                }
                Err(error) => tidied = tidied.and(Err(error)),
            }
        }
        tidied
    }

    /// Creates a descriptor with all its members, which is not registered on any stream yet. It has a row before any
    /// other call takes it.
    fn create_descriptor(&self, api: Api, members: Members, keeps: KeptAllocator) -> Result<Arc<Registration>, Error> {
        // SAFETY: the function takes no arguments, so it requires only that its signature is that of the table.
        let created = unsafe { call!(api.aclrtAllocatorCreateDesc()) };
        let call = created.call();
        let descriptor = written(created.value(|| "register an allocator".into())?, call)?;
        let made = Arc::new(Registration { descriptor, keeps });
        self.any.store(true, Ordering::Release);
        self.rows().all.push(Arc::clone(&made));
        if let Err(error) = made.set(api, members) {
            // The first error is the one to report. What could not be destroyed stays in its row.
            let _ = self.tidy(api, &mut Vec::new());
            return Err(error);
        }
        Ok(made)
    }

    fn unregister_from(api: Api, stream: aclrtStream) -> Result<(), Error> {
        // SAFETY: the function asks for a live stream. The caller is inside its gate, or has closed the gate and not
        // destroyed the stream.
        let answer = unsafe { call!(api.aclrtAllocatorUnregister(stream)) };
        answer.done(|| "unregister an allocator".into())
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Registration {
    #[allow(clippy::missing_transmute_annotations, reason = "the target is what the setter takes")]
    fn set(&self, api: Api, members: Members) -> Result<(), Error> {
        let descriptor = self.descriptor;
        let doing = || "fill in an allocator descriptor".to_owned();
        // SAFETY: the function asks for a live descriptor, in which it stores the value. `create_descriptor` created
        // it, and it is destroyed only with its row.
        let answer =
            unsafe { call!(api.aclrtAllocatorSetObjToDesc(descriptor, aclrtAllocator(members.object.as_ptr()))) };
        answer.done(doing)?;
        // SAFETY: the function asks for a live descriptor, in which it stores the value: `create_descriptor` created
        // it. `transmute` asks for the same size and ABI: the C types of objects and blocks are `repr(transparent)`
        // over a pointer (Reference, "The transparent representation").
        let answer = unsafe {
            call!(api.aclrtAllocatorSetAllocFuncToDesc(descriptor, Some(transmute::<AllocateFn, _>(members.allocate))))
        };
        answer.done(doing)?;
        // SAFETY: the function asks for a live descriptor, in which it stores the value: `create_descriptor` created
        // it. `transmute` asks for the same size and ABI: the C types of objects and blocks are `repr(transparent)`
        // over a pointer (Reference, "The transparent representation").
        let answer = unsafe {
            call!(api.aclrtAllocatorSetFreeFuncToDesc(descriptor, Some(transmute::<FreeFn, _>(members.free))))
        };
        answer.done(doing)?;
        // SAFETY: the function asks for a live descriptor, in which it stores the value: `create_descriptor` created
        // it. `transmute` asks for the same size and ABI: the C types of objects and blocks are `repr(transparent)`
        // over a pointer (Reference, "The transparent representation").
        let answer = unsafe {
            call!(api.aclrtAllocatorSetAllocAdviseFuncToDesc(
                descriptor,
                Some(transmute::<AllocateNearFn, _>(members.allocate_near)),
            ))
        };
        answer.done(doing)?;
        // SAFETY: the function asks for a live descriptor, in which it stores the value: `create_descriptor` created
        // it. `transmute` asks for the same size and ABI: the C types of objects and blocks are `repr(transparent)`
        // over a pointer (Reference, "The transparent representation").
        let answer = unsafe {
            call!(api.aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
                descriptor,
                Some(transmute::<AddressFn, _>(members.address_of)),
            ))
        };
        answer.done(doing)
    }

    /// Makes the library call this allocator for work on the stream.
    fn register_on(&self, api: Api, stream: aclrtStream) -> Result<(), Error> {
        // SAFETY: the function asks for a live stream, a descriptor with all its members (ALLOC-07), and an object and
        // functions that stay usable while they are registered (ALLOC-12). The caller is inside the stream's gate, or
        // has closed it. `create_descriptor` has set all members. This value keeps the object, and stays in the
        // stream's row.
        let answer = unsafe { call!(api.aclrtAllocatorRegister(stream, self.descriptor)) };
        answer.done(|| "register an allocator".into())
    }

    /// Destroys the descriptor. The library no longer calls the allocator: the registration has ended, or another one
    /// has taken its place.
    fn destroy(&self, api: Api) -> Result<(), Error> {
        // SAFETY: the function asks for a live descriptor that no registration uses (ALLOC-08), once.
        // `create_descriptor` created it, `tidy` selects only descriptors that are not serving, and removes the row
        // when the library has destroyed the descriptor.
        let answer = unsafe { call!(api.aclrtAllocatorDestroyDesc(self.descriptor)) };
        answer.done(|| "destroy an allocator descriptor".into())
    }
}
