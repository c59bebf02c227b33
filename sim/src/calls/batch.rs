//! Many copies in one call.
//!
//! Nothing is copied when one of them cannot be. An attribute says for a run of copies where both sides are; the run
//! begins at the attribute's index and ends before that of the next (COPY-11).

use super::copy::{Shape, too_long};
use super::memory::not_null;
use super::wanted;
use crate::abi::{Address, In, Out, copy};
use crate::failure::{Answer, Failure};
use crate::machine::capture::{refuse_blocking, refuse_synchronous};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::submission_stream;
use crate::machine::memory::{Hold, Place, describe, hold};
use crate::machine::watch;
use ascendcl_rules::Op;
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
    fail_index.set(usize::MAX);
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
    fail_index.set(usize::MAX);
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

fn run(arrays: &Arrays<'_>, fail_index: &mut Out<'_, usize>) -> Answer {
    if arrays.are_empty()? {
        return Ok(());
    }
    let parts = arrays.parts(fail_index)?;
    let first = parts.first().map_or(Address::NULL, |part| part.to);
    let call = parts.iter().fold(watch::call(Op::Use, first), |call, part| part.uses(call)).begin()?;
    current_context()?;
    refuse_synchronous()?;
    for ready in prepare(&parts, fail_index)? {
        ready.run();
    }
    call.end(Ok(()))
}

fn submit(arrays: &Arrays<'_>, fail_index: &mut Out<'_, usize>, stream: aclrtStream) -> Answer {
    if arrays.are_empty()? {
        return Ok(());
    }
    let parts = arrays.parts(fail_index)?;
    let call = parts.iter().fold(watch::call(Op::Use, stream).queue(stream), |call, part| part.uses(call));
    let sides: Vec<Address> = parts.iter().flat_map(|part| [part.to, part.from]).collect();
    let call = call.blocking_for(&sides).begin()?;
    let stream = submission_stream(stream)?;
    let ready = prepare(&parts, fail_index)?;
    let pageable = ready.iter().flat_map(|ready| &ready.holds).any(Hold::is_pageable);
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
    fn are_empty(&self) -> Answer<bool> {
        if self.sizes.is_null() {
            return Err(Failure::invalid("the array of sizes is null"));
        }
        Ok(self.num_batches > 0 && self.sizes.list(self.num_batches).iter().all(|size| *size == 0))
    }

    fn parts(&self, fail_index: &mut Out<'_, usize>) -> Answer<Vec<Part>> {
        let null = self.dsts.is_null() || self.srcs.is_null() || self.dest_maxs.is_null() || self.sizes.is_null();
        if null || self.attrs.is_null() || self.attrs_indexes.is_null() {
            return Err(Failure::invalid("one of the arrays is null"));
        }
        self.check_by_itself()?;
        if self.num_attrs == 0 || self.num_attrs > self.num_batches {
            let text = format!("{} copies and {} attributes", self.num_batches, self.num_attrs);
            return Err(Failure::refused(format!("{text}: there is one of each at least, and no more attributes")));
        }
        let count = self.num_batches;
        let indexes = self.attrs_indexes.list(self.num_attrs);
        let rises = indexes.is_sorted_by(|one, next| one < next);
        if indexes.first() != Some(&0) || !rises || indexes.last().is_none_or(|last| *last >= count) {
            let text =
                format!("the attributes' indexes are {indexes:?}: they begin with 0, rise, and end before {count}");
            return Err(Failure::refused(text));
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
        let parts: Vec<Part> = parts.collect();
        each(&parts, fail_index, Part::check)?;
        Ok(parts)
    }
}

impl Arrays<'_> {
    /// What the AscendCL layer checks, which tells no index (100000).
    fn check_by_itself(&self) -> Answer {
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
}

fn prepare(parts: &[Part], fail_index: &mut Out<'_, usize>) -> Answer<Vec<Ready>> {
    each(parts, fail_index, |part| {
        let holds = [hold(part.to, part.size)?, hold(part.from, part.size)?];
        side(part.to, part.sides.dstLoc)?;
        side(part.from, part.sides.srcLoc)?;
        Ok(Ready { to: part.to, from: part.from, size: part.size, holds })
    })
}

/// Stops at the first that fails, and says which that is.
fn each<T>(parts: &[Part], fail_index: &mut Out<'_, usize>, f: impl Fn(&Part) -> Answer<T>) -> Answer<Vec<T>> {
    let numbered = parts.iter().enumerate();
    let results = numbered.map(|(index, part)| {
        f(part).map_err(|failure| {
            fail_index.set(index);
            Failure::new(failure.code, format!("copy {index}: {}", failure.text))
        })
    });
    results.collect()
}

impl Part {
    fn check(&self) -> Answer {
        not_null(self.to).and(not_null(self.from))?;
        self.kind().map(drop)
    }

    fn kind(&self) -> Answer<aclrtMemcpyKind> {
        match (is_device(self.sides.srcLoc)?, is_device(self.sides.dstLoc)?) {
            (false, true) => Ok(aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE),
            (true, false) => Ok(aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST),
            (true, true) => Ok(aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_DEVICE),
            (false, false) => Err(Failure::unsupported("a batch does not copy from host to host")),
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
        aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_HOST => Ok(false),
        other => Err(Failure::refused(format!("a batch copies nothing at a location of type {}", other.0))),
    }
}

/// The memory has to be where the attribute says.
fn side(address: Address, location: aclrtMemLocation) -> Answer {
    let device = match describe(address).map(|found| found.place) {
        Some(Place::Device(id)) => Some(id),
        Some(Place::Host) | None => None,
    };
    let expected = is_device(location)?.then_some(location.id);
    if device == expected {
        return Ok(());
    }
    let place = |id: Option<u32>| id.map_or_else(|| "host memory".to_owned(), |id| format!("memory of device {id}"));
    let text = format!("{:#x} is {}, and its attribute says {}", address.number(), place(device), place(expected));
    Err(Failure::refused(text))
}
