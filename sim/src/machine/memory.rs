//! Memory that the machine gave out, by address: device blocks and pinned host blocks.
//!
//! Device memory is ordinary memory here. What is behind an address that is in no block is the caller's own memory.

use super::arena::{ALIGNMENT, Piece, touches};
use super::context::Context;
use super::device::Device;
use super::locks::{read, write};
use crate::abi::{Address, fill};
use crate::failure::{Answer, Failure};
use ascendcl_sys::error_codes::*;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

/// Where a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Device(u32),
    /// Pinned host memory.
    Host,
}

/// What is known of an address inside a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Where {
    pub(crate) place: Place,
    /// Bytes from the address to the end of the block.
    pub(crate) left: usize,
}

/// Keeps the block behind an address in place, even if it is freed meanwhile.
#[derive(Clone)]
pub(crate) enum Hold {
    Block {
        _kept: Arc<Piece>,
    },
    /// Memory that the machine did not give out: pageable memory of the caller.
    Pageable,
    /// No memory at all.
    Nothing,
}

struct Entry {
    block: Arc<Piece>,
    /// The device whose memory it is; `None` for pinned host memory.
    device: Option<Arc<Device>>,
}

#[derive(Default)]
struct Blocks {
    live: BTreeMap<usize, Entry>,
    /// Blocks that went with their device before they were freed: freeing them is no mistake.
    gone: BTreeMap<usize, ()>,
}

static BLOCKS: RwLock<Blocks> = RwLock::new(Blocks { live: BTreeMap::new(), gone: BTreeMap::new() });

/// Whether there could be a block of that size (100000).
pub(crate) fn possible(size: usize) -> Answer {
    room_for(size).map(|_| ())
}

/// A device block of at least `size` bytes, on the context's device.
pub(crate) fn allocate_device(context: &Context, size: usize) -> Answer<Address> {
    let device = context.device();
    let exhausted = || {
        let text = format!("device {} has {} bytes left, and {size} were asked for", device.id(), device.memory_left());
        Failure::new(ACL_ERROR_RT_MEMORY_ALLOCATION, text)
    };
    let size = room_for(size)?;
    if !device.take_memory(size) {
        return Err(exhausted());
    }
    let Some(block) = Piece::new(size) else {
        device.give_memory_back(size);
        return Err(exhausted());
    };
    Ok(enter(block, Some(Arc::clone(device))))
}

/// A pinned block of at least `size` bytes.
pub(crate) fn allocate_host(size: usize) -> Answer<Address> {
    let block = Piece::new(room_for(size)?)
        .ok_or_else(|| Failure::new(ACL_ERROR_RT_MEMORY_ALLOCATION, "the host has no such block of memory left"))?;
    Ok(enter(block, None))
}

/// Frees a device block; as the vendor's library does, it takes pinned blocks too.
pub(crate) fn free_device(address: Address) -> Answer {
    free(address, |_| true, "aclrtFree takes the address that aclrtMalloc gave, once")
}

pub(crate) fn free_host(address: Address) -> Answer {
    free(address, |place| place == Place::Host, "aclrtFreeHost takes the address that aclrtMallocHost gave, once")
}

/// What is known of an address; `None` for memory that the machine did not give out.
pub(crate) fn describe(address: Address) -> Option<Where> {
    let blocks = read(&BLOCKS);
    let entry = blocks.around(address)?;
    let left = entry.block.size() - (address.number() - entry.block.address().number());
    Some(Where { place: entry.place(), left })
}

/// Keeps `count` bytes from `address` in place, and refuses (107000) what would run over the end of a block or is in
/// one that was freed.
pub(crate) fn hold(address: Address, count: usize) -> Answer<Hold> {
    if count == 0 {
        return Ok(Hold::Nothing);
    }
    let blocks = read(&BLOCKS);
    let Some(entry) = blocks.around(address) else {
        if touches(address, count) {
            let text =
                format!("{:#x} is in device or pinned memory, and in no block of it (any more)", address.number());
            return Err(Failure::refused(text));
        }
        return Ok(Hold::Pageable);
    };
    let left = entry.block.size() - (address.number() - entry.block.address().number());
    if count > left {
        let text = format!("{count} bytes at {:#x} run over the block's end, {left} bytes on", address.number());
        return Err(Failure::refused(text));
    }
    Ok(Hold::Block { _kept: Arc::clone(&entry.block) })
}

impl Hold {
    pub(crate) fn is_pageable(&self) -> bool {
        matches!(self, Self::Pageable)
    }
}

/// How many blocks there are: of devices, and pinned.
pub(crate) fn count() -> (usize, usize) {
    let blocks = read(&BLOCKS);
    let pinned = blocks.live.values().filter(|entry| entry.device.is_none()).count();
    (blocks.live.len() - pinned, pinned)
}

/// The device was released, and its blocks with it.
pub(super) fn lose_all_of(device: &Device) {
    lose(|place| place == Place::Device(device.id()));
}

/// Drops every block.
pub(super) fn clear() {
    lose(|_| true);
    write(&BLOCKS).gone.clear();
}

fn lose(wanted: impl Fn(Place) -> bool) {
    let lost: Vec<Entry> = {
        let mut blocks = write(&BLOCKS);
        let Blocks { live, gone } = &mut *blocks;
        live.extract_if(.., |_, entry| wanted(entry.place()))
            .map(|(address, entry)| {
                gone.insert(address, ());
                entry
            })
            .collect()
    };
    lost.iter().for_each(Entry::give_back);
}

/// The vendor's library keeps 32 bytes beyond the size rounded up to 32; here the whole is a multiple of 64.
fn room_for(size: usize) -> Answer<usize> {
    let room = size.checked_add(32).and_then(|size| size.checked_next_multiple_of(ALIGNMENT));
    room.filter(|room| size > 0 && *room <= isize::MAX as usize)
        .ok_or_else(|| Failure::invalid(format!("{size} is no size for a block of memory")))
}

fn enter(block: Piece, device: Option<Arc<Device>>) -> Address {
    /// Fresh memory holds anything (MEM-07). What comes from the system is zeros; the start of a block is not, so that
    /// programs do not come to rely on it.
    const SPOILT: usize = 4096;
    let (address, size) = (block.address(), block.size());
    fill(address, 0xa5, size.min(SPOILT));
    let mut blocks = write(&BLOCKS);
    blocks.gone.retain_outside(address.number(), size);
    blocks.live.insert(address.number(), Entry { block: Arc::new(block), device });
    address
}

fn free(address: Address, fits: impl Fn(Place) -> bool, rule: &'static str) -> Answer {
    let entry = {
        let mut blocks = write(&BLOCKS);
        let number = address.number();
        if blocks.gone.remove(&number).is_some() {
            return Ok(());
        }
        if !blocks.live.get(&number).is_some_and(|entry| fits(entry.place())) {
            return Err(Failure::refused(format!("{number:#x} is not such a block's address: {rule}")));
        }
        blocks.live.remove(&number)
    };
    if let Some(entry) = entry {
        entry.give_back();
    }
    Ok(())
}

impl Blocks {
    fn around(&self, address: Address) -> Option<&Entry> {
        let (start, entry) = self.live.range(..=address.number()).next_back()?;
        (address.number() - start < entry.block.size()).then_some(entry)
    }
}

impl Entry {
    fn place(&self) -> Place {
        self.device.as_ref().map_or(Place::Host, |device| Place::Device(device.id()))
    }

    fn give_back(&self) {
        if let Some(device) = &self.device {
            device.give_memory_back(self.block.size());
        }
    }
}

trait Addresses {
    fn retain_outside(&mut self, start: usize, size: usize);
}

impl Addresses for BTreeMap<usize, ()> {
    /// Forgets the addresses that a new block covers.
    fn retain_outside(&mut self, start: usize, size: usize) {
        if !self.is_empty() {
            self.extract_if(start..start.saturating_add(size), |_, ()| true).for_each(drop);
        }
    }
}
