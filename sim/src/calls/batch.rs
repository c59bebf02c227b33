//! Many copies in one call.
//!
//! Nothing is copied when one of them cannot be. They go between host and device alone. An attribute says for a run of
//! copies where both sides are; the run begins at the attribute's index and ends before that of the next (COPY-11).

use super::copy::{Shape, too_long};
use super::wanted;
use crate::abi::{Address, In, Out, copy};
use crate::failure::{Answer, Failure};
use crate::machine::capture::refuse_blocking;
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::{Named, waiting_stream};
use crate::machine::memory::{Hold, Place, describe, hold};
use crate::machine::watch;
use ascendcl_rules::{COPY_11, Op};
use ascendcl_sys::types::*;
use core::ffi::c_void;

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclrtMemcpyBatch(
    dsts: In<'_, *mut c_void>,
    dest_maxs: In<'_, usize>,
    srcs: In<'_, *mut c_void>,
    sizes: In<'_, usize>,
    num_batches: usize,
    attrs: In<'_, aclrtMemcpyBatchAttr>,
    attrs_indexes: In<'_, usize>,
    num_attrs: usize,
    mut fail_index: Out<'_, usize>,
) -> Answer {
    wanted(&fail_index)?;
    let arrays = Arrays { dsts, dest_maxs, srcs, sizes, num_batches, attrs, attrs_indexes, num_attrs };
    run(&arrays, &mut fail_index)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclrtMemcpyBatchV2(
    dsts: In<'_, *mut c_void>,
    dest_maxs: In<'_, usize>,
    srcs: In<'_, *mut c_void>,
    sizes: In<'_, usize>,
    num_batches: usize,
    attrs: In<'_, aclrtMemcpyBatchAttr>,
    attrs_indexes: In<'_, usize>,
    num_attrs: usize,
) -> Answer {
    let arrays = Arrays { dsts, dest_maxs, srcs, sizes, num_batches, attrs, attrs_indexes, num_attrs };
    run(&arrays, &mut Out::nowhere())
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclrtMemcpyBatchAsync(
    dsts: In<'_, *mut c_void>,
    dest_maxs: In<'_, usize>,
    srcs: In<'_, *mut c_void>,
    sizes: In<'_, usize>,
    num_batches: usize,
    attrs: In<'_, aclrtMemcpyBatchAttr>,
    attrs_indexes: In<'_, usize>,
    num_attrs: usize,
    mut fail_index: Out<'_, usize>,
    stream: aclrtStream,
) -> Answer {
    wanted(&fail_index)?;
    let arrays = Arrays { dsts, dest_maxs, srcs, sizes, num_batches, attrs, attrs_indexes, num_attrs };
    submit(&arrays, &mut fail_index, stream)
}

#[allow(clippy::too_many_arguments)]
pub(crate) fn aclrtMemcpyBatchAsyncV2(
    dsts: In<'_, *mut c_void>,
    dest_maxs: In<'_, usize>,
    srcs: In<'_, *mut c_void>,
    sizes: In<'_, usize>,
    num_batches: usize,
    attrs: In<'_, aclrtMemcpyBatchAttr>,
    attrs_indexes: In<'_, usize>,
    num_attrs: usize,
    stream: aclrtStream,
) -> Answer {
    let arrays = Arrays { dsts, dest_maxs, srcs, sizes, num_batches, attrs, attrs_indexes, num_attrs };
    submit(&arrays, &mut Out::nowhere(), stream)
}

/// The arguments as they come.
struct Arrays<'a> {
    dsts: In<'a, *mut c_void>,
    dest_maxs: In<'a, usize>,
    srcs: In<'a, *mut c_void>,
    sizes: In<'a, usize>,
    num_batches: usize,
    attrs: In<'a, aclrtMemcpyBatchAttr>,
    attrs_indexes: In<'a, usize>,
    num_attrs: usize,
}

/// One of the copies.
struct Part {
    to: Address,
    room: usize,
    from: Address,
    size: usize,
    sides: aclrtMemcpyBatchAttr,
}

/// A copy that can be made, with its memory kept in place.
struct Ready {
    to: Address,
    from: Address,
    size: usize,
    holds: [Hold; 2],
}

/// A synchronous batch needs no context, and a capture does not refuse it.
fn run(arrays: &Arrays<'_>, fail_index: &mut Out<'_, usize>) -> Answer {
    if arrays.are_empty(fail_index)? {
        return Ok(());
    }
    arrays.check_by_itself()?;
    let parts = arrays.parts(fail_index)?;
    let first = parts.first().map_or(Address::NULL, |part| part.to);
    let call = parts.iter().fold(watch::call(Op::Use, first), |call, part| part.uses(call)).begin()?;
    let all = each(&parts, fail_index, Part::prepare)?;
    check_independent(&parts)?;
    all.iter().for_each(Ready::run);
    call.end(Ok(()))
}

fn submit(arrays: &Arrays<'_>, fail_index: &mut Out<'_, usize>, stream: aclrtStream) -> Answer {
    if arrays.are_empty(fail_index)? {
        return Ok(());
    }
    arrays.check_by_itself()?;
    let named = Named::find(stream)?;
    let parts = arrays.parts(fail_index)?;
    let call = parts.iter().fold(watch::call(Op::Use, stream).queue(stream), |call, part| part.uses(call));
    let sides: Vec<Address> = parts.iter().flat_map(|part| [part.to, part.from]).collect();
    let call = call.blocking_for(&sides).begin()?;
    current_context()?;
    let ready = each(&parts, fail_index, |part| part.not_empty().and_then(|()| part.prepare()))?;
    check_independent(&parts)?;
    let pageable = ready.iter().flat_map(|ready| &ready.holds).any(Hold::is_pageable);
    // A copy of pageable memory waits for the stream, and then happens in the call.
    let stream = if pageable { waiting_stream(stream)? } else { named.for_work()? };
    if pageable {
        refuse_blocking(&stream, "a copy of memory that is not pinned waits until it has run")?;
        stream.refuse_self_wait()?;
    }
    let watched = !stream.is_recording() && !stream.is_bound();
    let bytes = ready.iter().filter(|_| watched).map(|ready| watch::Bytes::new(ready.from, ready.size));
    let sources: Vec<_> = bytes.filter_map(|bytes| watch::source(stream.named(), bytes)).collect();
    let position = stream.submit_each(move |_| {
        sources.iter().copied().for_each(watch::source_is_read);
        ready.iter().for_each(Ready::run);
        Ok(())
    })?;
    call.end(if pageable && !stream.is_persistent() { stream.finished(position, None) } else { Ok(()) })
}

impl Arrays<'_> {
    /// Without a byte to copy the vendor's library looks at nothing else.
    fn are_empty(&self, fail_index: &mut Out<'_, usize>) -> Answer<bool> {
        if self.sizes.is_null() {
            return Err(Failure::invalid("the array of sizes is null"));
        }
        let empty = self.num_batches > 0 && self.sizes.list(self.num_batches).iter().all(|size| *size == 0);
        if empty {
            fail_index.set(usize::MAX);
        }
        Ok(empty)
    }

    /// What the AscendCL layer checks, which tells no index (100000).
    fn check_by_itself(&self) -> Answer {
        let null = self.dsts.is_null() || self.srcs.is_null() || self.dest_maxs.is_null() || self.sizes.is_null();
        if null || self.attrs.is_null() || self.attrs_indexes.is_null() {
            return Err(Failure::invalid("one of the arrays is null"));
        }
        if self.num_batches == 0 {
            return Err(Failure::invalid("there is no copy in the batch"));
        }
        let (rooms, sizes) = (self.dest_maxs.list(self.num_batches), self.sizes.list(self.num_batches));
        let short = rooms.iter().zip(&sizes).enumerate().find(|(_, (room, size))| size > room);
        if let Some((index, (room, size))) = short {
            return Err(too_long(Failure::invalid(format!("copy {index}: {size} bytes do not fit into {room}"))));
        }
        if self.attrs.list(self.num_attrs).iter().any(|attribute| attribute.rsv != [0; 16]) {
            return Err(Failure::invalid("the reserved bytes of an attribute are not 0"));
        }
        Ok(())
    }

    /// The copies. From here on the index tells of them alone.
    fn parts(&self, fail_index: &mut Out<'_, usize>) -> Answer<Vec<Part>> {
        const MOST: usize = 4096;
        fail_index.set(usize::MAX);
        let count = self.num_batches;
        if self.num_attrs == 0 || self.num_attrs > count {
            let text = format!("{count} copies and {} attributes", self.num_attrs);
            return Err(wrong(format!("{text}: there is one of each at least, and no more attributes")));
        }
        if count > MOST {
            return Err(wrong(format!("there are {count} copies; one call makes at most {MOST}")));
        }
        let indexes = self.attrs_indexes.list(self.num_attrs);
        let rises = indexes.is_sorted_by(|one, next| one < next);
        if indexes.first() != Some(&0) || !rises || indexes.last().is_none_or(|last| *last >= count) {
            let text =
                format!("the attributes' indexes are {indexes:?}: they begin with 0, rise, and end before {count}");
            return Err(wrong(text));
        }
        let attributes = self.attrs.list(self.num_attrs);
        let sides = (0..count).filter_map(|at| {
            let attribute = indexes.partition_point(|start| *start <= at).checked_sub(1)?;
            attributes.get(attribute).copied()
        });
        let places = self.dsts.addresses(count).into_iter().zip(self.srcs.addresses(count));
        let sizes = self.dest_maxs.list(count).into_iter().zip(self.sizes.list(count));
        let parts = places.zip(sizes).zip(sides);
        let parts = parts.map(|(((to, from), (room, size)), sides)| Part { to, room, from, size, sides });
        Ok(parts.collect())
    }
}

/// The copies of a batch have no order, so none reads or writes what another one writes (COPY-11). The library takes them.
fn check_independent(parts: &[Part]) -> Answer {
    let spans = |part: &Part| {
        let span = |start: Address, written| (start.number(), start.number().saturating_add(part.size), written);
        [span(part.to, true), span(part.from, false)]
    };
    let mut all: Vec<(usize, usize, bool)> = parts.iter().filter(|part| part.size > 0).flat_map(spans).collect();
    all.sort_unstable();
    // How far the earlier ones go: those that are written, and all.
    let (mut written, mut any) = (0, 0);
    for (start, end, writes) in all {
        if start < written || writes && start < any {
            return watch::mistaken(|| {
                let text = format!("a copy of the batch writes what another one uses at {start:#x}");
                let fix =
                    "make the copies that depend on each other in an order: in two calls, with a wait between them";
                Failure::refused(text).breaks(COPY_11, "copies that may be made in any order", fix)
            });
        }
        any = any.max(end);
        written = if writes { written.max(end) } else { written };
    }
    Ok(())
}

/// The batch as a whole is not as COPY-11 says (107000).
fn wrong(text: String) -> Failure {
    Failure::refused(text).breaks(
        COPY_11,
        "at most 4096 copies between host and device, and an attribute for each run of them, from index 0 on",
        "split the batch, and give each run of copies with the same sides one attribute at the index of its first copy",
    )
}

/// Stops at the first that fails, and says which that is.
fn each<T>(parts: &[Part], fail_index: &mut Out<'_, usize>, f: impl Fn(&Part) -> Answer<T>) -> Answer<Vec<T>> {
    let numbered = parts.iter().enumerate();
    let results = numbered.map(|(index, part)| {
        f(part).map_err(|failure| {
            fail_index.set(index);
            let text = format!("copy {index}: {}", failure.text).into();
            Failure { text, ..failure }
        })
    });
    results.collect()
}

impl Part {
    fn not_empty(&self) -> Answer {
        if self.size == 0 { Err(Failure::refused("there is nothing to copy")) } else { Ok(()) }
    }

    fn prepare(&self) -> Answer<Ready> {
        if self.to.is_null() || self.from.is_null() {
            return Err(Failure::refused("the address is null"));
        }
        let holds = [hold(self.to, self.size)?, hold(self.from, self.size)?];
        let to_device = side(self.to, self.sides.dstLoc)?;
        if to_device == side(self.from, self.sides.srcLoc)? {
            return Err(wrong("a batch copies from the host to a device, or back".to_owned()));
        }
        Ok(Ready { to: self.to, from: self.from, size: self.size, holds })
    }

    fn kind(&self) -> Option<aclrtMemcpyKind> {
        match (is_device(self.sides.srcLoc).ok()?, is_device(self.sides.dstLoc).ok()?) {
            (false, true) => Some(aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE),
            (true, false) => Some(aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST),
            _ => None,
        }
    }

    fn uses(&self, call: watch::Watching) -> watch::Watching {
        let kind = self.kind().unwrap_or(aclrtMemcpyKind::ACL_MEMCPY_DEFAULT);
        Shape::flat(self.size).uses(call, self.to, self.from, kind).room(self.to, self.room).whole(self.from, self.size)
    }
}

impl Ready {
    fn run(&self) {
        copy(self.to, self.from, self.size);
    }
}

fn is_device(location: aclrtMemLocation) -> Answer<bool> {
    match location.kind {
        aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE => Ok(true),
        aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST | aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST_NUMA => {
            Ok(false)
        }
        other => Err(Failure::refused(format!("a batch copies nothing at a location of type {}", other.0))),
    }
}

/// The memory has to be where the attribute says. Answers whether that is a device.
fn side(address: Address, location: aclrtMemLocation) -> Answer<bool> {
    let device = match describe(address).map(|found| found.place) {
        Some(Place::Device(id)) => Some(id),
        Some(Place::Host) | None => None,
    };
    let expected = is_device(location)?.then_some(location.id);
    if device == expected {
        return Ok(device.is_some());
    }
    let place = |id: Option<u32>| id.map_or_else(|| "host memory".to_owned(), |id| format!("memory of device {id}"));
    let text = format!("{:#x} is {}, and its attribute says {}", address.number(), place(device), place(expected));
    Err(Failure::refused(text))
}
