//! Memory of the program that is registered with the library.

use super::RawBuffer;
use crate::error::{Error, ObjectKind};
use crate::ffi::call::call;
use crate::ffi::home::Home;
use crate::ffi::pages::RawPages;
use crate::ffi::shelf::Shelf;
use crate::ffi::{Api, RawStream};
use ascendcl_macros::rule;
use ascendcl_sys::constants::ACL_HOST_REG_PINNED;
use core::sync::atomic::Ordering;
use std::sync::Arc;

impl RawBuffer {
    /// Registers whole pages as pinned memory, of which `bytes` bytes are used. The row keeps the pages until the
    /// library has ended the registration.
    ///
    /// # Errors
    ///
    /// Returns the pages with the error if the library refuses.
    #[rule(MEM_14)]
    pub(crate) fn register(api: Api, pages: RawPages, bytes: usize) -> Result<Self, (Error, RawPages)> {
        let size = pages.layout().size() as u64;
        // The flag is one bit of the lower 32.
        let flags = ACL_HOST_REG_PINNED as u32;
        // SAFETY: the function asks for memory of the program that begins at a page (MEM-14) and that stays until
        // `aclrtHostUnregister`. The pages are whole. From here on the row has them, and gives them up only after that
        // call.
        let answer = unsafe { call!(api.aclrtHostRegisterV2(pages.start().as_ptr(), size, flags)) };
        if let Err(error) = answer.done(|| format!("register {size} bytes of the program's memory")) {
            return Err((error, pages));
        }
        let (start, layout) = pages.into_parts();
        Ok(Self { layout, ..Self::at_home(Home::Registered, start, bytes) })
    }

    /// Ends the registration and gives the pages back. `handle` is the only handle, so nothing refers to the memory
    /// afterwards.
    ///
    /// # Errors
    ///
    /// [`Error::NotRegistered`] for other memory; [`Error::StillRunning`] and [`Error::InDoubt`] while work may use it.
    #[rule(MEM_02, MEM_14)]
    pub(crate) fn unregister(handle: &Arc<Self>, api: Api, streams: &Shelf<RawStream>) -> Result<RawPages, Error> {
        if handle.home != Home::Registered {
            return Err(Error::NotRegistered);
        }
        if handle.last_use.is_in_doubt() {
            return Err(Error::InDoubt { what: handle.home.kind() });
        }
        if !streams.has_done(&handle.last_use) {
            return Err(Error::StillRunning { what: handle.home.kind() });
        }
        if handle.freed.swap(true, Ordering::AcqRel) {
            return Err(Error::Gone { what: ObjectKind::REGISTERED_MEMORY });
        }
        handle.pages_back(api).inspect_err(|_| handle.freed.store(false, Ordering::Release))
    }

    /// Ends the registration with the library and returns the pages. The caller has set `freed`, and knows that no work
    /// uses the pages.
    pub(super) fn pages_back(&self, api: Api) -> Result<RawPages, Error> {
        // SAFETY: the function asks for the start of registered memory (MEM-14) that no work uses (MEM-02). The home
        // shows that `register` made the block. The caller has checked the stamps, and has set `freed`, which was not
        // set before.
        let answer = unsafe { call!(api.aclrtHostUnregister(self.start.as_ptr())) };
        answer.done(|| format!("end the registration of {} bytes of the program's memory", self.bytes))?;
        // SAFETY: `from_parts` asks for the parts of one value, and that nothing else uses the memory from now on.
        // `register` took them from such a value, `freed` prevents that they are given back a second time, and the
        // caller knows that nothing uses the memory.
        Ok(unsafe { RawPages::from_parts(self.start, self.layout) })
    }
}
