//! Copies. A synchronous one does not wait for any stream.
//!
//! The direction that the caller names is checked for being one, and then not believed: where the memory is decides.

use super::memory::is_somewhere;
use crate::abi::{Address, copy};
use crate::config::if_documented;
use crate::config::switches::{self, Switch};
use crate::failure::{Answer, Failure};
use crate::machine::capture::{refuse_blocking, refuse_synchronous};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::{Named, waiting_stream};
use crate::machine::memory::{Hold, Place as Found, describe, hold};
use crate::machine::streams::stream::Stream;
use crate::machine::trouble;
use crate::machine::watch::{self, Watching};
use ascendcl_rules::{COPY_01, COPY_02, COPY_06, COPY_10, Object, Op, Place, Role};
use ascendcl_sys::types::*;
use std::sync::Arc;

pub(crate) fn aclrtMemcpy(dst: Address, dest_max: usize, src: Address, count: usize, kind: aclrtMemcpyKind) -> Answer {
    if count == 0 {
        return nothing_to_copy();
    }
    known(dst, src, kind)?;
    let shape = Shape::flat(count);
    let call = shape.uses(watch::call(Op::Use, dst), dst, src, kind);
    let call = call.room(dst, dest_max).copies(dst, src, count).begin()?;
    fits(count, dest_max)?;
    // There is nothing to do, wherever.
    if dst == src {
        return call.end(Ok(()));
    }
    current_context()?;
    refuse_synchronous()?;
    call.end(Job::new(dst, src, shape)?.run_now())
}

/// Whether an asynchronous copy takes place in the call: with a newer driver it does when either side is ordinary host memory
/// and the stream is not captured. The stream has to be alive, and may be of any context.
fn happens_at_once(dst: Address, src: Address, shape: Shape, stream: aclrtStream) -> Answer<bool> {
    if !switches::is_on(Switch::CopyAtOnce) {
        return Ok(false);
    }
    let stream = waiting_stream(stream)?;
    let later = stream.is_recording() || stream.is_bound();
    let is_pageable = |start, pitch| Ok(hold(start, shape.span(pitch)?)?.is_pageable());
    Ok(!later && (is_pageable(dst, shape.dpitch)? || is_pageable(src, shape.spitch)?))
}

fn copy_now(dst: Address, src: Address, shape: Shape, kind: aclrtMemcpyKind) -> Answer {
    let call = shape.uses(watch::call(Op::Use, dst), dst, src, kind).begin()?;
    call.end(Job::new(dst, src, shape)?.run_now())
}

pub(crate) fn aclrtMemcpyAsync(
    dst: Address,
    dest_max: usize,
    src: Address,
    count: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> Answer {
    if count == 0 {
        return nothing_to_copy();
    }
    known(dst, src, kind)?;
    let named = Named::find(stream)?;
    fits(count, dest_max)?;
    let shape = Shape::flat(count);
    // On a thread without a context the copy is refused below, and the checker hears of it.
    if current_context().is_ok() {
        not_on_host_alone(kind, dst, src)?;
        if dst != src && happens_at_once(dst, src, shape, stream)? {
            return copy_now(dst, src, shape, kind);
        }
    }
    let call = shape.uses(watch::call(Op::Use, stream).queue(stream), dst, src, kind);
    let call = call.room(dst, dest_max).copies(dst, src, count).blocking_for(&[dst, src]).begin()?;
    if dst == src && current_context().is_ok() {
        // The checker has heard of the call. Nothing is queued, so nothing is in flight afterwards.
        drop(call);
        return Ok(());
    }
    let stream = named.for_work()?;
    call.end(Job::new(dst, src, shape)?.submit(&stream))
}

pub(crate) fn aclrtMemcpy2d(
    dst: Address,
    dpitch: usize,
    src: Address,
    spitch: usize,
    width: usize,
    height: usize,
    kind: aclrtMemcpyKind,
) -> Answer {
    if width == 0 || height == 0 {
        return nothing_to_copy();
    }
    let shape = Shape::plane(dst, src, Shape { width, height, dpitch, spitch }, kind)?;
    if kind == aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE {
        return Err(Failure::invalid("rows are copied from device to device on a stream alone"));
    }
    shape.check_size()?;
    let call = shape.extent(shape.uses(watch::call(Op::Use, dst), dst, src, kind), dst, src).begin()?;
    current_context()?;
    refuse_synchronous()?;
    call.end(Job::new(dst, src, shape)?.run_now())
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclrtMemcpy2dAsync(
    dst: Address,
    dpitch: usize,
    src: Address,
    spitch: usize,
    width: usize,
    height: usize,
    kind: aclrtMemcpyKind,
    stream: aclrtStream,
) -> Answer {
    if width == 0 || height == 0 {
        return nothing_to_copy();
    }
    let shape = Shape::plane(dst, src, Shape { width, height, dpitch, spitch }, kind)?;
    let named = Named::find(stream)?;
    shape.check_size()?;
    if happens_at_once(dst, src, shape, stream)? {
        return copy_now(dst, src, shape, kind);
    }
    let call = shape.uses(watch::call(Op::Use, stream).queue(stream), dst, src, kind);
    let call = shape.extent(call, dst, src).blocking_for(&[dst, src]).begin()?;
    let stream = named.for_work()?;
    call.end(Job::new(dst, src, shape)?.submit(&stream))
}

/// A copy, with its memory kept in place.
struct Job {
    to: Address,
    from: Address,
    shape: Shape,
    holds: [Hold; 2],
}

impl Job {
    fn new(to: Address, from: Address, shape: Shape) -> Answer<Self> {
        let holds = [hold(to, shape.span(shape.dpitch)?)?, hold(from, shape.span(shape.spitch)?)?];
        Ok(Self { to, from, shape, holds })
    }

    /// Runs it in the middle of the call.
    fn run_now(&self) -> Answer {
        trouble::before_work()?;
        self.run();
        Ok(())
    }

    fn run(&self) {
        let Shape { width, height, dpitch, spitch } = self.shape;
        for row in 0..height {
            copy(self.to.offset(row * dpitch), self.from.offset(row * spitch), width);
        }
    }

    /// Memory of the caller that is not pinned may be freed after the call. So the call waits for the copy, which still
    /// runs in its order on the stream (COPY-05).
    fn submit(self, stream: &Arc<Stream>) -> Answer {
        let pageable = self.holds.iter().any(Hold::is_pageable);
        if pageable {
            refuse_blocking(stream, "a copy of memory that is not pinned waits until it has run")?;
            stream.refuse_self_wait()?;
        }
        // A captured copy reads its source at each replay.
        let watched = !stream.is_recording() && !stream.is_bound();
        let Shape { width, height, spitch, .. } = self.shape;
        let bytes = watch::Bytes { start: self.from, width, rows: height, pitch: spitch };
        let source = watched.then(|| watch::source(stream.named(), bytes)).flatten();
        if watched && self.shape.is_flat() {
            watch::destination(stream.named(), self.to, self.shape.width);
        }
        let position = stream.submit_each(move |_| {
            source.into_iter().for_each(watch::source_is_read);
            self.run();
            Ok(())
        })?;
        if pageable && !stream.is_persistent() { stream.finished(position, None) } else { Ok(()) }
    }
}

/// Rows, and the distances between their starts.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    width: usize,
    height: usize,
    dpitch: usize,
    spitch: usize,
}

impl Shape {
    fn is_flat(&self) -> bool {
        self.height == 1
    }

    pub(super) fn flat(count: usize) -> Self {
        Self { width: count, height: 1, dpitch: count, spitch: count }
    }

    /// A two-dimensional copy's shape. The AscendCL layer looks at the pitches first, and then at the direction (100000).
    fn plane(dst: Address, src: Address, shape: Self, kind: aclrtMemcpyKind) -> Answer<Self> {
        is_somewhere(dst, COPY_01).and(is_somewhere(src, COPY_01))?;
        let Self { width, dpitch, spitch, .. } = shape;
        if width > dpitch || width > spitch {
            let text = format!("the rows are {width} wide, with pitches of {dpitch} and {spitch}");
            return Err(of_a_plane(Failure::invalid(text)));
        }
        let directions = [
            aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE,
            aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST,
            aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE,
            aclrtMemcpyKind::ACL_MEMCPY_DEFAULT,
        ];
        if !directions.contains(&kind) {
            let text = format!("a two-dimensional copy has no direction {}", kind.0);
            return Err(of_a_plane(Failure::invalid(text)));
        }
        Ok(shape)
    }

    /// The runtime below takes no larger one (107000).
    fn check_size(&self) -> Answer {
        const WIDEST: usize = 5_000_000;
        const HIGHEST: usize = 5 * 1024 * 1024;
        let Self { width, height, .. } = self;
        if *width > WIDEST || *height > HIGHEST {
            let text =
                format!("the rows are {width} wide, and there are {height}; {WIDEST} and {HIGHEST} are the limits");
            return Err(of_a_plane(Failure::refused(text)));
        }
        Ok(())
    }

    /// Tells the memory that a copy uses: of several rows the first and the last, because what is between the rows is not
    /// touched.
    pub(super) fn uses(&self, call: Watching, dst: Address, src: Address, kind: aclrtMemcpyKind) -> Watching {
        let (to, from) = sides(kind);
        let last = self.height.saturating_sub(1);
        let rows = if self.height == 0 {
            &[][..]
        } else if last == 0 {
            &[0][..]
        } else {
            &[0, last][..]
        };
        rows.iter().fold(call, |call, row| {
            let [to_row, from_row] = [self.dpitch, self.spitch].map(|pitch| row.saturating_mul(pitch));
            call.writes(dst.offset(to_row), self.width, Role::Target, to).reads(
                src.offset(from_row),
                self.width,
                Role::Source,
                from,
            )
        })
    }

    /// Tells from where to where the rows are on both sides. Rows that do not fit into any memory are refused later.
    fn extent(&self, call: Watching, dst: Address, src: Address) -> Watching {
        match (self.span(self.dpitch), self.span(self.spitch)) {
            (Ok(to), Ok(from)) => call.room(dst, to).whole(src, from),
            _ => call,
        }
    }

    /// From the first byte to the last.
    fn span(&self, pitch: usize) -> Answer<usize> {
        let Some(gaps) = self.height.checked_sub(1) else {
            return Ok(0);
        };
        let span = gaps.checked_mul(pitch).and_then(|start| start.checked_add(self.width));
        span.ok_or_else(|| Failure::invalid("the rows do not fit into any memory"))
    }
}

/// Where the direction says that destination and source are.
fn sides(kind: aclrtMemcpyKind) -> (Option<Place>, Option<Place>) {
    match kind {
        aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST => (Some(Place::Host), Some(Place::Host)),
        aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE => (Some(Place::Device), Some(Place::Host)),
        aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST => (Some(Place::Host), Some(Place::Device)),
        aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE => (Some(Place::Device), Some(Place::Device)),
        _ => (None, None),
    }
}

fn known(dst: Address, src: Address, kind: aclrtMemcpyKind) -> Answer {
    is_somewhere(dst, COPY_01).and(is_somewhere(src, COPY_01))?;
    if kind > aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE {
        let failure = Failure::invalid(format!("there is no direction {}", kind.0));
        let fix = "pass the direction that matches the addresses";
        return Err(failure
            .breaks(COPY_02, "a direction that there is", fix)
            .about(Object::memory(dst.number() as u64)));
    }
    Ok(())
}

/// The direction alone is no reason: where the memory is decides.
fn not_on_host_alone(kind: aclrtMemcpyKind, dst: Address, src: Address) -> Answer {
    let on_host = |address| !matches!(describe(address).map(|found| found.place), Some(Found::Device(_)));
    if kind == aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST && on_host(dst) && on_host(src) {
        let failure = Failure::unsupported("a stream does not copy from host to host");
        let fix = "copy in host memory with aclrtMemcpy, or with a function of the language";
        let failure = failure.breaks(COPY_06, "memory of a device on one side", fix);
        return Err(failure.about(Object::memory(dst.number() as u64)));
    }
    Ok(())
}

/// The vendor's library looks at nothing else then. By the manual a copy has something to copy.
fn nothing_to_copy() -> Answer {
    if_documented(|| Failure::invalid("there is nothing to copy: the size is 0"))
}

/// The shape of a two-dimensional copy is not as COPY-10 says.
fn of_a_plane(failure: Failure) -> Failure {
    failure.breaks(
        COPY_10,
        "a width of at most either pitch and 5,000,000 bytes, at most 5 * 1024 * 1024 rows, and a direction that there is",
        "pass widths and pitches in bytes, and copy a larger area in parts",
    )
}

/// More is written than the call says that there is room for (COPY-01).
pub(super) fn too_long(failure: Failure) -> Failure {
    let fix = "pass the size of the destination as its capacity, and copy no more than that";
    failure.breaks(COPY_01, "no more bytes than the capacity of the destination", fix)
}

/// The written bytes have to fit (107000).
pub(super) fn fits(count: usize, room: usize) -> Answer {
    if count > room {
        let failure = Failure::refused(format!("{count} bytes do not fit into {room}"));
        return Err(too_long(failure));
    }
    Ok(())
}
