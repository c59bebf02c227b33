//! Access from one device to the memory of another, and copies between the two.

use super::call::call;
use super::work::queue_alone;
use super::{Api, Borrowed, Here, Owner, RawBuffer, RawStream};
use crate::device_allocator::ContextId;
use crate::error::{Error, ObjectKind};
use ascendcl_macros::rule;
use ascendcl_sys::types::aclrtMemcpyKind;
use std::sync::Arc;

/// Memory of another context that is lent to a copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lent<'env> {
    pub(crate) block: &'env RawBuffer,
    pub(crate) context: ContextId,
    /// The context whose device has access to the block.
    pub(crate) with_access: Owner,
}

/// Which side of a copy is lent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LentSide {
    Source,
    Destination,
}

impl Api {
    /// Whether work of the first device can be given access to memory of the second.
    #[rule(DEV_13)]
    pub(crate) fn can_access_peer(self, device: i32, peer: i32) -> Result<bool, Error> {
        let mut can = 0;
        // SAFETY: the function writes the answer to `can` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety"). The numbers are plain values.
        let answer = unsafe { call!(self.aclrtDeviceCanAccessPeer(&raw mut can, device, peer)) };
        answer.done(|| format!("ask whether device {device} reaches the memory of device {peer}"))?;
        Ok(can == 1)
    }

    /// Gives work of the current device access to memory of another.
    #[rule(DEV_13, COPY_08)]
    pub(crate) fn enable_peer_access(self, peer: i32) -> Result<(), Error> {
        // SAFETY: the function takes numbers by value, and no pointer. The flags are reserved as 0 (DEV-13).
        let answer = unsafe { call!(self.aclrtDeviceEnablePeerAccess(peer, 0)) };
        answer.done(|| format!("enable access to the memory of device {peer}"))
    }
}

impl<'env> Borrowed<'env> {
    /// Queues a copy between a whole block of the current context and the same number of bytes of a lent block.
    #[rule(COPY_08)]
    pub(crate) fn copy_between(
        &self,
        here: Here<'_>,
        stream: &Arc<RawStream>,
        own: &RawBuffer,
        lent: Lent<'env>,
        side: LentSide,
    ) -> Result<u64, Error> {
        let (bytes, kind) = (own.bytes(), aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE);
        self.check_can_wait_for(stream)?;
        // Another context of the same brand may be on a device without access, or of another library.
        lent.with_access.check_current(ObjectKind::COPY_COUNTERPART)?;
        own.check_bytes(here, bytes)?;
        lent.block.check_in_context(lent.context, bytes)?;
        self.uses(stream);
        let (to, from) = match side {
            LentSide::Source => (own.start(), lent.block.start()),
            LentSide::Destination => (lent.block.start(), own.start()),
        };
        // SAFETY: the function asks for a live stream, and for memory that stays until the copy is done (MEM-02). The
        // caller has the stream's handle. `check_bytes` and `check_in_context` have compared the lengths of both
        // blocks. The own block is freed only when a synchronise has covered this submission (the stamps). The handle
        // of the other block is borrowed until `'env` ends, so nobody frees that block before, and its context is open
        // while the handle is borrowed (`PeerAccess`). `copy_scope` waits for this stream before that.
        let queued = unsafe {
            queue_alone!(&**stream, here, "queue a copy between devices", [own.last_use()], |stream| {
                aclrtMemcpyAsync(to, bytes, from, bytes, kind, stream)
            })
        };
        queued.map_err(Error::from)
    }
}
