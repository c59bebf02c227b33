//! Memory that the machine gave out, by address: device blocks and pinned host blocks.
//!
//! Device memory is ordinary memory here: a piece of the arena, or a mapping of virtual memory. Memory of the caller that
//! it registered counts as pinned. What is behind an address that is in no block is the caller's own memory.

use crate::abi::{Address, fill};
use crate::config;
use crate::failure::{Answer, Failure};
use crate::locks::{read, write};
use crate::machine::device::Device;
use crate::machine::memory::arena::{ALIGNMENT, Piece, touches};
use crate::machine::memory::exported::{self, Window};
use crate::machine::memory::guards;
use crate::machine::memory::memory_pools::{self, Pooled};
use crate::machine::memory::physical;
use crate::machine::memory::virtual_memory::{self, Mapping};
use ascendcl_rules::MEM_04;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclrtMemAccessFlags;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, RwLock};

/// Where a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Device(u32),
    /// Pinned host memory.
    Host,
}

/// Information about an address inside a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Where {
    pub(crate) place: Place,
    /// Bytes from the address to the end of the memory around it: of the block, or of the mappings without a gap.
    pub(crate) left: usize,
}

/// Keeps the block behind an address in place, even if the program frees it.
#[derive(Clone)]
pub(crate) enum Hold {
    Block {
        _kept: Backing,
    },
    /// Mappings that lie next to each other.
    Blocks {
        _kept: Arc<[Backing]>,
    },
    /// Memory that the machine did not give out: pageable memory of the caller.
    Pageable,
    /// No memory at all.
    Nothing,
}

pub(super) struct Entry {
    pub(super) block: Backing,
    /// The device whose memory it is; `None` for pinned host memory.
    pub(super) device: Option<Arc<Device>>,
}

/// The memory of a block.
#[derive(Clone)]
pub(crate) enum Backing {
    Piece(Arc<Piece>),
    Mapped(Arc<Mapping>),
    Pooled(Arc<Pooled>),
    /// Memory of another process.
    Window(Arc<Window>),
    /// The caller's own memory, registered.
    Registered {
        start: Address,
        size: usize,
    },
}

#[derive(Default)]
pub(super) struct Blocks {
    pub(super) live: BTreeMap<usize, Entry>,
    /// Blocks that went with their device before they were freed: freeing them is no mistake.
    pub(super) gone: BTreeMap<usize, ()>,
    /// Pinned blocks of the library that the program has registered, too.
    pub(super) pinned_twice: BTreeSet<usize>,
}

pub(super) static BLOCKS: RwLock<Blocks> =
    RwLock::new(Blocks { live: BTreeMap::new(), gone: BTreeMap::new(), pinned_twice: BTreeSet::new() });

/// Whether there could be a block of that size (100000).
pub(crate) fn possible(size: usize) -> Answer {
    room_for(size).map(|_| ())
}

/// A device block of at least `size` bytes, on the device.
pub(crate) fn allocate_device(device: &Arc<Device>, size: usize) -> Answer<Address> {
    let exhausted = || {
        let text = format!("device {} has {} bytes left, and {size} were asked for", device.id(), device.memory_left());
        Failure::new(ACL_ERROR_RT_MEMORY_ALLOCATION, text)
    };
    let size = room_for(size)?;
    if !device.take_memory(size) {
        return Err(exhausted());
    }
    let Some(block) = Piece::of_device(size) else {
        device.give_memory_back(size);
        return Err(exhausted());
    };
    spoil(block.address(), block.size());
    Ok(insert(Entry { block: Backing::Piece(Arc::new(block)), device: Some(Arc::clone(device)) }))
}

/// A pinned block of at least `size` bytes.
pub(crate) fn allocate_host(size: usize) -> Answer<Address> {
    let block = Piece::of_host(room_for(size)?, size)
        .ok_or_else(|| Failure::new(ACL_ERROR_RT_MEMORY_ALLOCATION, "the host has no such block of memory left"))?;
    if block.is_guarded() {
        guards::mark_end(&block);
    }
    spoil(block.address(), size);
    Ok(insert(Entry { block: Backing::Piece(Arc::new(block)), device: None }))
}

/// Frees a device block; as the vendor's library does, it takes pinned blocks too.
pub(crate) fn free_device(address: Address) -> Answer {
    free(
        address,
        |place| place != Place::Host || !config::is_documented(),
        "aclrtFree takes the address that aclrtMalloc gave, once",
    )
}

pub(crate) fn free_host(address: Address) -> Answer {
    free(address, |place| place == Place::Host, "aclrtFreeHost takes the address that aclrtMallocHost gave, once")
}

/// Information about an address; `None` for memory that the machine did not allocate.
pub(crate) fn describe(address: Address) -> Option<Where> {
    let blocks = read(&BLOCKS);
    let entry = blocks.around(address)?;
    let behind: usize = blocks.next_to(entry).map(|next| next.block.size()).sum();
    Some(Where { place: entry.place(), left: entry.left(address) + behind })
}

/// The address with this number, as a pointer into its block. `None` for memory that the machine did not allocate.
pub(crate) fn numbered(number: usize) -> Option<Address> {
    let blocks = read(&BLOCKS);
    let start = blocks.around(Address::named(number))?.block.address();
    Some(start.offset(number - start.number()))
}

/// Keeps `count` bytes from `address` in place, and refuses (107000) what would run over the end of a block or is in
/// one that was freed.
pub(crate) fn hold(address: Address, count: usize) -> Answer<Hold> {
    if count == 0 {
        return Ok(Hold::Nothing);
    }
    let blocks = read(&BLOCKS);
    let Some(entry) = blocks.around(address) else {
        if is_given_out(address, count) {
            let text =
                format!("{:#x} is in device or pinned memory, and in no block of it (any more)", address.number());
            return Err(Failure::refused(text));
        }
        return Ok(Hold::Pageable);
    };
    entry.check_access()?;
    let mut left = entry.left(address);
    if count <= left {
        return Ok(Hold::Block { _kept: entry.block.clone() });
    }
    let mut kept = vec![entry.block.clone()];
    for next in blocks.next_to(entry) {
        if count <= left {
            break;
        }
        next.check_access()?;
        left += next.block.size();
        kept.push(next.block.clone());
    }
    if count > left {
        let text = format!("{count} bytes at {:#x} run over the block's end, {left} bytes on", address.number());
        return Err(Failure::refused(text));
    }
    Ok(Hold::Blocks { _kept: kept.into() })
}

/// Whether any of `count` bytes from `address` are, or once were, in memory that the machine gives out.
fn is_given_out(address: Address, count: usize) -> bool {
    touches(address, count) || virtual_memory::touches(address, count) || exported::touches(address, count)
}

impl Hold {
    pub(crate) fn is_pageable(&self) -> bool {
        matches!(self, Self::Pageable)
    }
}

/// The start and the size of the block around an address.
pub(crate) fn block_around(address: Address) -> Answer<(Address, usize)> {
    let blocks = read(&BLOCKS);
    let block = blocks.around(address).map(|entry| (entry.block.address(), entry.block.size()));
    block.ok_or_else(|| Failure::refused(format!("{:#x} is in no block of memory", address.number())))
}

/// How many blocks there are: of devices, and pinned.
pub(crate) fn count() -> (usize, usize) {
    let blocks = read(&BLOCKS);
    let pinned = blocks.live.values().filter(|entry| entry.device.is_none()).count();
    (blocks.live.len() - pinned, pinned)
}

/// The device was released, and its blocks with it.
pub(crate) fn lose_all_of(device: &Device) {
    lose(|place| place == Place::Device(device.id()));
    physical::lose_all_of(device);
    memory_pools::lose_all_of(device);
}

/// Drops every block.
pub(crate) fn clear() {
    lose(|_| true);
    let mut blocks = write(&BLOCKS);
    blocks.gone.clear();
    blocks.pinned_twice.clear();
    drop(blocks);
    exported::clear();
    physical::clear();
    virtual_memory::clear();
    memory_pools::clear();
}

fn lose(wanted: impl Fn(Place) -> bool) {
    let lost: Vec<Entry> = {
        let mut blocks = write(&BLOCKS);
        let Blocks { live, gone, .. } = &mut *blocks;
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
pub(super) fn room_for(size: usize) -> Answer<usize> {
    let room = size.checked_add(32).and_then(|size| size.checked_next_multiple_of(ALIGNMENT));
    room.filter(|room| size > 0 && *room <= isize::MAX as usize).ok_or_else(|| {
        let failure = Failure::invalid(format!("{size} is no size for a block of memory"));
        if size > 0 { failure } else { failure.breaks(MEM_04, "at least one byte", "allocate nothing for no bytes") }
    })
}

/// New memory has arbitrary contents (MEM-07). The system provides zeros, so the start of each block is filled with
/// something else. Then programs do not rely on zeros.
pub(super) fn spoil(address: Address, size: usize) {
    fill(address, SPOILT_WITH, size.min(SPOILT));
}

/// How many bytes of a block are spoilt, and with what.
const SPOILT: usize = 4096;
const SPOILT_WITH: u8 = 0xa5;

/// Whether all that is known of these bytes says that nobody has written them since the block was allocated. Enough of them
/// have to be among those that are spoilt: of the others nothing is known.
pub(crate) fn is_untouched(address: Address, count: usize) -> bool {
    const ENOUGH: usize = 8;
    let blocks = read(&BLOCKS);
    let Some(entry) = blocks.around(address).filter(|entry| entry.device.is_some()) else { return false };
    let before = address.number() - entry.block.address().number();
    let spoilt = SPOILT.min(entry.block.size()).saturating_sub(before).min(count);
    let is_own = matches!(entry.block, Backing::Piece(_) | Backing::Pooled(_));
    is_own && spoilt >= ENOUGH && address.with_bytes(spoilt, |bytes| bytes.iter().all(|byte| *byte == SPOILT_WITH))
}

pub(super) fn insert(entry: Entry) -> Address {
    let (address, size) = (entry.block.address(), entry.block.size());
    let mut blocks = write(&BLOCKS);
    blocks.gone.retain_outside(address.number(), size);
    blocks.forget_registered(address.number(), size);
    blocks.live.insert(address.number(), entry);
    address
}

fn free(address: Address, fits: impl Fn(Place) -> bool, rule: &'static str) -> Answer {
    let entry = {
        let mut blocks = write(&BLOCKS);
        let number = address.number();
        if blocks.gone.remove(&number).is_some() {
            return Ok(());
        }
        let freeable = |entry: &Entry| matches!(entry.block, Backing::Piece(_)) && fits(entry.place());
        if !blocks.live.get(&number).is_some_and(freeable) {
            return Err(Failure::refused(format!("{number:#x} is not such a block's address: {rule}")));
        }
        blocks.pinned_twice.remove(&number);
        blocks.live.remove(&number)
    };
    if let Some(entry) = entry {
        entry.give_back();
    }
    Ok(())
}

impl Blocks {
    /// The system gave out this memory anew, so a program that had registered memory there has freed it (MEM-14).
    fn forget_registered(&mut self, start: usize, size: usize) {
        while let Some((at, entry)) = self.live.range(..start.saturating_add(size)).next_back()
            && matches!(entry.block, Backing::Registered { .. })
            && at + entry.block.size() > start
        {
            let at = *at;
            self.live.remove(&at);
        }
    }

    pub(super) fn around(&self, address: Address) -> Option<&Entry> {
        let (start, entry) = self.live.range(..=address.number()).next_back()?;
        (address.number() - start < entry.block.size()).then_some(entry)
    }

    /// The mappings behind this one in its range, up to the first gap: together they are one piece of memory (VMM-02).
    fn next_to<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = &'a Entry> {
        std::iter::successors(Some(entry), |entry| {
            let Backing::Mapped(mapping) = &entry.block else { return None };
            let next = self.live.get(&(mapping.address().number() + mapping.size()))?;
            matches!(&next.block, Backing::Mapped(other) if other.is_in_range_of(mapping)).then_some(next)
        })
        .skip(1)
    }
}

impl Entry {
    pub(super) fn place(&self) -> Place {
        self.device.as_ref().map_or(Place::Host, |device| Place::Device(device.id()))
    }

    /// Bytes from an address in it to its end.
    fn left(&self, address: Address) -> usize {
        self.block.size() - (address.number() - self.block.address().number())
    }

    fn check_access(&self) -> Answer {
        match &self.block {
            Backing::Mapped(mapping) if mapping.access() == aclrtMemAccessFlags::ACL_RT_MEM_ACCESS_FLAGS_NONE => {
                let at = mapping.address().number();
                Err(Failure::refused(format!("{at:#x} is mapped without access; aclrtMemSetAccess gives it")))
            }
            _ => Ok(()),
        }
    }

    fn give_back(&self) {
        if let (Some(device), Backing::Piece(_)) = (&self.device, &self.block) {
            device.give_memory_back(self.block.size());
        }
    }
}

impl Backing {
    fn address(&self) -> Address {
        match self {
            Self::Piece(piece) => piece.address(),
            Self::Mapped(mapping) => mapping.address(),
            Self::Pooled(block) => block.address(),
            Self::Window(window) => window.address(),
            Self::Registered { start, .. } => *start,
        }
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Self::Piece(piece) => piece.size(),
            Self::Mapped(mapping) => mapping.size(),
            Self::Pooled(block) => block.size(),
            Self::Window(window) => window.size(),
            Self::Registered { size, .. } => *size,
        }
    }
}

pub(super) trait Addresses {
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
