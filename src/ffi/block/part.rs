//! Parts of blocks, and blocks that have several handles.
//!
//! A part is a block that keeps another one. It has its own stamp, and the [`HandleStamp`] in it refers to the block of which
//! it is a part. A part is inside a handle, or behind a pointer of the object that uses it. It has no row in the
//! ledger: the whole has one, and the ledger keeps that row as long as there are parts.
//!
//! All parts of a *shared* block are read only, and may overlap. Parts of a block that was *split* do not overlap, and
//! each may be written. The types of the handles say which of the two a part is.

use super::{Home, RawBuffer};
use crate::error::Error;
use crate::ffi::RawStream;
use crate::ffi::sharing::{HandleStamp, NotOnly, Stamped};
use crate::ffi::shelf::{Row, Shelf, ShelfPlace};
use crate::ffi::stamp::LastUse;
use ascendcl_macros::rule;
use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::AtomicBool;
use std::sync::Arc;

/// The alignment of the library's blocks, in bytes.
const DEVICE_ALIGNMENT: usize = 64;

impl Stamped for Arc<RawBuffer> {
    fn last_use(&self) -> &LastUse {
        &self.last_use
    }
}

impl Row for RawBuffer {
    #[inline]
    fn place(&self) -> &ShelfPlace {
        &self.place
    }

    #[inline]
    fn refers_to_nothing(&self) -> bool {
        !self.is_part()
    }
}

impl RawBuffer {
    /// Whether this is a part: it keeps another block, and is not freed itself.
    pub(crate) fn is_part(&self) -> bool {
        self.last_use.row().is_some()
    }

    /// An error unless a model or an operator can use the memory: a part must be aligned like the library's blocks.
    #[rule(MEM_08)]
    pub(crate) fn check_tensor_alignment(&self) -> Result<(), Error> {
        match self.start.addr().get() % DEVICE_ALIGNMENT {
            past if self.is_part() && past > 0 => Err(Error::MisalignedPart { past, alignment: DEVICE_ALIGNMENT }),
            _ => Ok(()),
        }
    }

    /// The first part: the whole block. The caller has its only handle.
    pub(crate) fn into_part(block: Arc<Self>) -> Self {
        let (start, bytes, home, owner) = (block.start, block.bytes, block.home, block.owner);
        let (layout, freed, last_use) = (Layout::new::<()>(), AtomicBool::new(false), HandleStamp::first(block));
        Self { place: ShelfPlace::none(), start, bytes, home, layout, last_use, freed, owner }
    }

    /// The same bytes again, with a stamp of its own.
    #[inline]
    pub(crate) fn clone_part(&self) -> Self {
        self.sub_block(0, self.bytes)
    }

    /// Another part of the same whole: `bytes` bytes from `start` on, counted from the start of this part. `None` if
    /// this part does not contain them.
    pub(crate) fn part(&self, start: usize, bytes: usize) -> Option<Self> {
        (start.checked_add(bytes)? <= self.bytes).then(|| self.sub_block(start, bytes))
    }

    /// The part of this part that has these bytes. If this block is not a part, nothing would keep those bytes, so the result is
    /// empty and frees nothing.
    #[inline]
    fn sub_block(&self, start: usize, bytes: usize) -> Self {
        // A part without bytes may begin behind the last byte. An empty tensor needs the address of a byte (DATA-03),
        // so it gets the first one.
        let start = if start < self.bytes { start } else { 0 };
        let start = NonNull::new(self.at(start)).unwrap_or(self.start);
        let (bytes, home) = if self.is_part() { (bytes, self.home) } else { (0, Home::Adopted) };
        Self {
            place: ShelfPlace::none(),
            start,
            bytes,
            home,
            last_use: self.last_use.another(),
            freed: AtomicBool::new(false),
            ..*self
        }
    }

    /// A part of this part, which is about to be dropped. The new part refers to the whole, not to this part: otherwise
    /// parts of parts would form a chain of any length, and dropping the chain could overflow the stack. If this part
    /// is in doubt, so is the new one.
    fn part_at(&self, start: NonNull<c_void>, bytes: usize) -> Self {
        let part = self.sub_block(start.addr().get().saturating_sub(self.start.addr().get()), bytes);
        if self.is_in_doubt() {
            part.last_use.mark_in_doubt();
        }
        part
    }

    /// The whole, if this is its only handle and no work uses any of it any more.
    ///
    /// # Errors
    ///
    /// [`Error::StillShared`] when there are others, [`Error::StillRunning`] when queued work may use the whole.
    #[rule(MEM_02, MEM_11)]
    pub(crate) fn only_handle(&mut self, streams: &Shelf<RawStream>) -> Result<&Arc<Self>, Error> {
        self.check_current()?;
        let what = self.home.kind();
        let only = self.last_use.only(|stream, number| streams.has_passed(stream, number), || streams.are_idle());
        only.map_err(|why| match why {
            NotOnly::Shared => Error::StillShared,
            NotOnly::InUse => Error::StillRunning { what },
        })
    }

    /// The block behind the last part: the whole itself if this part covers it, else this part alone. Nothing else uses
    /// it any more.
    ///
    /// # Errors
    ///
    /// Returns the part unchanged, with the errors of [`only_handle`](Self::only_handle).
    #[allow(clippy::result_large_err, reason = "the part comes back as it was")]
    pub(crate) fn into_only(mut self, streams: &Shelf<RawStream>) -> Result<Arc<Self>, (Error, Self)> {
        let (start, bytes) = (self.start, self.bytes);
        match self.only_handle(streams) {
            Ok(whole) if whole.start == start && whole.bytes == bytes => Ok(Arc::clone(whole)),
            Ok(whole) if whole.is_part() => Ok(Arc::new(whole.part_at(start, bytes))),
            Ok(_) => Ok(Arc::new(self)),
            Err(error) => Err((error, self)),
        }
    }
}
