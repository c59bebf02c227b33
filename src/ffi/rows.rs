//! Copies of rows (two-dimensional copies).

use super::bytes::{bytes_of, bytes_of_mut};
use super::call::call;
use super::home::Side;
use super::work::queue_alone;
use super::{Api, Here, RawBuffer, RawStream};
use crate::element::Pod;
use crate::error::{Error, ObjectKind};
use ascendcl_macros::rule;

/// The rows of a copy, in bytes. The code that creates a value has compared it with the lengths of both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawRows {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) from_pitch: usize,
    pub(crate) from_start: usize,
    pub(crate) to_pitch: usize,
    pub(crate) to_start: usize,
}

impl RawRows {
    /// The bytes of the longest row that the library copies (COPY-10).
    pub(crate) const WIDEST: usize = 5_000_000;
    /// The largest number of rows that the library copies (COPY-10).
    pub(crate) const HIGHEST: usize = 5 * 1024 * 1024;

    /// The number of bytes from the first to the last byte that is copied, in the source and in the destination.
    fn spans(self) -> [usize; 2] {
        let Some(gaps) = self.height.checked_sub(1) else { return [0, 0] };
        [self.from_pitch, self.to_pitch].map(|pitch| gaps.saturating_mul(pitch).saturating_add(self.width))
    }
}

/// An error if the program runs on the device: the library has no such copies there (COPY-10).
#[rule(COPY_10)]
fn check_on_host(api: Api) -> Result<(), Error> {
    if api.on_device() { Err(Error::RowsOnDevice) } else { Ok(()) }
}

#[cold]
fn too_short(need: usize) -> Error {
    Error::TooShort { what: ObjectKind::COPY_COUNTERPART, need, have: 0 }
}

impl RawBuffer {
    /// Copies rows of host memory to rows of the block, and returns when that is done.
    pub(crate) fn write_rows<E: Pod>(&self, here: Here<'_>, from: &[E], rows: RawRows) -> Result<(), Error> {
        let (from, [from_span, to_span]) = (bytes_of(from), rows.spans());
        check_on_host(here.api())?;
        self.check_range(here, rows.to_start, to_span)?;
        let from =
            from.get(rows.from_start..).filter(|from| from.len() >= from_span).ok_or_else(|| too_short(from_span))?;
        let (ready, kind) = (here.ready()?, here.api().direction(self.home().side(), Side::Host));
        let RawRows { width, height, from_pitch, to_pitch, .. } = rows;
        let to = self.at(rows.to_start);
        // SAFETY: the function reads `height` rows of `width` bytes of the slice, and writes as many of the block,
        // during the call. The slice has `from_span` bytes. `check_range` has compared the block's length with
        // `to_span`, and checked that the block is not in doubt. The caller has the handle, so no work uses the block
        // (MEM-02).
        let answer =
            unsafe { call!(ready.aclrtMemcpy2d(to, to_pitch, from.as_ptr().cast(), from_pitch, width, height, kind)) };
        answer.done(|| format!("copy {height} rows to {}", self.home().kind()))
    }

    /// Copies rows of the block to rows of host memory, and returns when that is done.
    pub(crate) fn read_rows<E: Pod>(&self, here: Here<'_>, to: &mut [E], rows: RawRows) -> Result<(), Error> {
        let (to, [from_span, to_span]) = (bytes_of_mut(to), rows.spans());
        check_on_host(here.api())?;
        self.check_range(here, rows.from_start, from_span)?;
        let to = to.get_mut(rows.to_start..).filter(|to| to.len() >= to_span).ok_or_else(|| too_short(to_span))?;
        let (ready, kind) = (here.ready()?, here.api().direction(Side::Host, self.home().side()));
        let RawRows { width, height, from_pitch, to_pitch, .. } = rows;
        let from = self.at(rows.from_start);
        // SAFETY: the function reads `height` rows of `width` bytes of the block, and writes as many of the slice,
        // during the call. The slice has `to_span` bytes and is borrowed exclusively. `check_range` has compared the
        // block's length with `from_span`, and checked that the block is not in doubt. The caller has the handle, so no
        // work writes the block (MEM-02).
        let answer = unsafe {
            call!(ready.aclrtMemcpy2d(to.as_mut_ptr().cast(), to_pitch, from, from_pitch, width, height, kind))
        };
        answer.done(|| format!("copy {height} rows from {}", self.home().kind()))
    }
}

impl RawStream {
    /// Queues a copy of rows. Both blocks are marked as in use until a synchronise covers the copy.
    pub(crate) fn copy_rows(
        &self,
        here: Here<'_>,
        to: &RawBuffer,
        from: &RawBuffer,
        rows: RawRows,
    ) -> Result<u64, Error> {
        let (api, [from_span, to_span]) = (here.api(), rows.spans());
        check_on_host(api)?;
        to.check_range(here, rows.to_start, to_span)?;
        from.check_range(here, rows.from_start, from_span)?;
        let uses = [to.last_use(), from.last_use()];
        if to.is_pageable() || from.is_pageable() {
            self.wait_for_uses(api, &uses)?;
        }
        let kind = api.direction(to.home().side(), from.home().side());
        let RawRows { width, height, from_pitch, to_pitch, .. } = rows;
        let (to, from) = (to.at(rows.to_start), from.at(rows.from_start));
        // SAFETY: the function asks for a live stream, and for memory that stays until the copy is done (MEM-02). The
        // caller has the stream's handle. `check_range` has compared the spans with the lengths of both blocks, which
        // are freed only when a synchronise has covered this submission (the stamps).
        let queued = unsafe {
            queue_alone!(self, here, "queue a copy of rows", uses, |stream| {
                aclrtMemcpy2dAsync(to, to_pitch, from, from_pitch, width, height, kind, stream)
            })
        };
        queued.map_err(Error::from)
    }
}
