//! Allocators as the library is told of them: descriptors, and the streams that they are registered on.

use super::Api;
use super::allocator::{Elsewhere, Kept, Members};
use super::descriptor::{AddressFn, AllocateFn, AllocateNearFn, FreeFn};
use crate::error::Error;
use ascendcl_macros::rule;
use ascendcl_sys::types::*;
use core::mem::transmute;
use std::sync::Arc;

/// A descriptor that the library knows, and what keeps its object in place.
#[derive(Debug)]
#[rule(ALLOC_08)]
pub(crate) struct Registration {
    descriptor: aclrtAllocatorDesc,
    keeps: Kept,
}

// SAFETY: the descriptor belongs to the process; it is only handed back to the library.
unsafe impl Send for Registration {}

impl Registration {
    /// Makes a descriptor, sets all its members, and registers it on a stream (ALLOC-06, ALLOC-07).
    ///
    /// The object of `members` stays in place while `keeps` does, and the functions take that object. After a failure
    /// the library calls whom it called `before`.
    ///
    /// # Errors
    ///
    /// With the registration, which keeps nothing any more, when the library may have it all the same.
    #[rule(ALLOC_06)]
    pub(super) fn make(
        api: Api,
        stream: aclrtStream,
        members: Members,
        keeps: Kept,
        before: Option<&Self>,
    ) -> Result<Self, (Error, Option<Self>)> {
        let made = Self::described(api, members, keeps).map_err(|error| (error, None))?;
        let Err(error) = made.tell(api, stream) else { return Ok(made) };
        // The library may have taken it all the same, and the allocator goes back to the caller.
        let certain = error.is_a_refusal()
            || before.map_or_else(|| made.end(api, stream), |before| before.tell(api, stream)).is_ok();
        if !certain {
            return Err((error, Some(Self { keeps: Arc::new(Elsewhere), ..made })));
        }
        // The first error is the one to report.
        let _ = made.destroy_descriptor(api);
        Err((error, None))
    }

    /// A descriptor with all its members, which no stream has yet.
    fn described(api: Api, members: Members, keeps: Kept) -> Result<Self, Error> {
        api.may_be_called()?;
        let doing = || "register an allocator".to_owned();
        // SAFETY: takes nothing; a null answer is an error (ERR-06).
        let descriptor =
            unsafe { api.library().aclrtAllocatorCreateDesc() }.map_err(|lacks| api.lacks(lacks, doing()))?;
        if descriptor.is_null() {
            return Err(Error::NullAnswer { call: "aclrtAllocatorCreateDesc" });
        }
        let made = Self { descriptor, keeps };
        match made.set(api, members) {
            Ok(()) => Ok(made),
            Err(error) => {
                // The first error is the one to report.
                let _ = made.destroy_descriptor(api);
                Err(error)
            }
        }
    }

    #[allow(clippy::missing_transmute_annotations, reason = "the target is what the setter takes")]
    fn set(&self, api: Api, members: Members) -> Result<(), Error> {
        let (library, descriptor) = (api.library(), self.descriptor);
        let doing = || "fill in an allocator descriptor".to_owned();
        // SAFETY: the descriptor is alive; the library stores the value.
        let code = unsafe { library.aclrtAllocatorSetObjToDesc(descriptor, aclrtAllocator(members.object.as_ptr())) };
        api.done("aclrtAllocatorSetObjToDesc", code, doing)?;
        // SAFETY: the C types of objects and blocks are transparent pointers, so that the two function types have the
        // same ABI; the library stores the value.
        let code = unsafe {
            library.aclrtAllocatorSetAllocFuncToDesc(descriptor, Some(transmute::<AllocateFn, _>(members.allocate)))
        };
        api.done("aclrtAllocatorSetAllocFuncToDesc", code, doing)?;
        // SAFETY: as above.
        let code =
            unsafe { library.aclrtAllocatorSetFreeFuncToDesc(descriptor, Some(transmute::<FreeFn, _>(members.free))) };
        api.done("aclrtAllocatorSetFreeFuncToDesc", code, doing)?;
        // SAFETY: as above.
        let code = unsafe {
            library.aclrtAllocatorSetAllocAdviseFuncToDesc(
                descriptor,
                Some(transmute::<AllocateNearFn, _>(members.advise)),
            )
        };
        api.done("aclrtAllocatorSetAllocAdviseFuncToDesc", code, doing)?;
        // SAFETY: as above.
        let code = unsafe {
            library.aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
                descriptor,
                Some(transmute::<AddressFn, _>(members.address_of)),
            )
        };
        api.done("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", code, doing)
    }

    /// Takes the registration from the stream, which is synchronised (ALLOC-12). The library no longer calls the
    /// allocator; the descriptor is still there, to be [told](Self::tell) again or [forgotten](Self::forgotten).
    pub(super) fn end(&self, api: Api, stream: aclrtStream) -> Result<(), Error> {
        // SAFETY: the stream is alive (the caller is inside its gate).
        let code = unsafe { api.library().aclrtAllocatorUnregister(stream) };
        api.done("aclrtAllocatorUnregister", code, || "unregister an allocator".into())
    }

    pub(super) fn keeps(&self) -> &Kept {
        &self.keeps
    }

    /// Tells the library to call the allocator for work on this stream.
    pub(super) fn tell(&self, api: Api, stream: aclrtStream) -> Result<(), Error> {
        // SAFETY: the stream is alive (the caller is inside its gate), the descriptor has all its members, and the object
        // and functions stay usable while this value, which keeps them, stands in the stream's row.
        let code = unsafe { api.library().aclrtAllocatorRegister(stream, self.descriptor) };
        api.done("aclrtAllocatorRegister", code, || "register an allocator".into())
    }

    /// Destroys the descriptor (ALLOC-08), when the library no longer calls the allocator: the registration has ended, or
    /// another one has taken its place. Gives back what kept the object in place.
    pub(super) fn forgotten(self, api: Api) -> Kept {
        // No row keeps it: a descriptor that the library refuses to destroy twice is lost, and nothing else.
        let _ = self.destroy_descriptor(api).or_else(|_| self.destroy_descriptor(api));
        self.keeps
    }

    fn destroy_descriptor(&self, api: Api) -> Result<(), Error> {
        // SAFETY: made by `described`, and destroyed once: all callers drop the value, and call again only when the library refused.
        let code = unsafe { api.library().aclrtAllocatorDestroyDesc(self.descriptor) };
        api.done("aclrtAllocatorDestroyDesc", code, || "destroy an allocator descriptor".into())
    }
}
