//! Virtual memory: reserved addresses, and what is mapped where.
//!
//! One piece of physical memory may be mapped at several addresses, which then really show the same bytes. A mapping that
//! queued work still uses stays in place until the work is done; only a new mapping at its addresses replaces it.

use crate::abi::{Address, Pages, Shared, view_of};
use crate::config::switches::{self, Switch};
use crate::failure::{Answer, Failure};
use crate::locks::{lock, read, write};
use crate::machine::device::Device;
use crate::machine::memory::physical::{GRANULARITY, Physical, find};
use ascendcl_sys::error_codes::ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
use ascendcl_sys::types::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, RwLock};

/// A range of addresses. It is kept when it is released, for the next reservation that it fits.
struct Range {
    pages: Pages,
    /// The simulator's own view, with the switch `guard`: the program is kept out of memory of devices.
    view: Option<Pages>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    reserved: bool,
    /// The mappings in the range, by offset.
    slots: BTreeMap<usize, Slot>,
}

struct Slot {
    size: usize,
    /// How many mappings of this place are there: the program's, and those that work still uses.
    mappings: usize,
    device: Option<u32>,
}

/// Physical memory at an address.
pub(crate) struct Mapping {
    range: Arc<Range>,
    offset: usize,
    handle: usize,
    physical: Arc<Physical>,
    access: AtomicU32,
}

const NO_ACCESS: u32 = aclrtMemAccessFlags::ACL_RT_MEM_ACCESS_FLAGS_NONE.0;

static RANGES: RwLock<Vec<Arc<Range>>> = RwLock::new(Vec::new());

/// Reserves `size` bytes of addresses.
pub(crate) fn reserve(size: usize, alignment: usize) -> Answer<Address> {
    let alignment = alignment.max(GRANULARITY);
    if !alignment.is_power_of_two() {
        return Err(Failure::refused(format!("{alignment} is no alignment; it is 0 or a power of two")));
    }
    let size = size.checked_next_multiple_of(alignment).filter(|size| *size > 0);
    let size = size.ok_or_else(|| Failure::refused("a reserved range has at least one byte, and fits into memory"))?;
    let mut ranges = write(&RANGES);
    let guarded = switches::is_on(Switch::Guard);
    let fits = |range: &&Arc<Range>| {
        let alike = range.pages.size() == size && range.view.is_some() == guarded;
        alike && range.pages.start().number().is_multiple_of(alignment) && range.take()
    };
    if let Some(range) = ranges.iter().find(fits) {
        return Ok(range.pages.start());
    }
    let pages = Pages::reserve(size, alignment).ok_or_else(|| {
        Failure::new(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, format!("the host has no range of {size} addresses left"))
    })?;
    let start = pages.start();
    let view = if guarded { view_of(&pages, GRANULARITY) } else { None };
    ranges.push(Arc::new(Range { pages, view, state: Mutex::new(State { reserved: true, ..State::default() }) }));
    Ok(start)
}

/// Whether the address is in a range that is reserved now.
pub(crate) fn is_reserved(address: Address) -> bool {
    range_around(address, 1).is_some()
}

/// Gives a range back in which nothing is mapped (VMM-01): `is_mapped` tells of an address.
pub(super) fn release(address: Address, is_mapped: impl Fn(Address) -> bool) -> Answer {
    let range = range_around(address, 1).filter(|range| range.pages.start() == address);
    let range = range
        .ok_or_else(|| Failure::refused(format!("{:#x} is not the start of a reserved range", address.number())))?;
    let mut state = lock(&range.state);
    if let Some(offset) = state.slots.keys().find(|offset| is_mapped(range.pages.start().offset(**offset))) {
        let at = range.pages.start().number() + offset;
        return Err(Failure::refused(format!("memory is mapped at {at:#x}; unmap it before the range is released")));
    }
    state.reserved = false;
    Ok(())
}

/// A mapping to make: the physical memory, its address, and the kind of access.
pub(super) struct Wish {
    pub(super) address: Address,
    pub(super) size: usize,
    pub(super) offset: usize,
    pub(super) handle: aclrtDrvMemHandle,
    pub(super) access: u32,
}

/// Puts physical memory at a reserved address, all of it (VMM-02). `is_mapped` tells of an address; `enter` takes the mapping.
pub(super) fn map(wish: Wish, is_mapped: impl Fn(Address) -> bool, enter: impl FnOnce(Mapping)) -> Answer {
    let Wish { address, size, offset, handle, access } = wish;
    let physical = find(handle)?;
    if offset != 0 || size != physical.memory.size() {
        let whole = physical.memory.size();
        let text = format!("{size} bytes from {offset} on: the {whole} bytes of a handle are mapped as a whole");
        return Err(Failure::refused(text));
    }
    let range = range_around(address, size).ok_or_else(|| {
        Failure::refused(format!("{size} bytes from {:#x} on are not in a reserved range", address.number()))
    })?;
    let offset = address.number() - range.pages.start().number();
    if !offset.is_multiple_of(GRANULARITY) {
        return Err(Failure::refused(format!("{:#x} is no multiple of {GRANULARITY}", address.number())));
    }
    let device = physical.device.as_ref().map(|device| device.id());
    let mut state = lock(&range.state);
    range.check_free(&state, offset, size, is_mapped)?;
    if state.slots.iter().any(|(at, slot)| *at != offset && slot.device != device) {
        return Err(Failure::refused("memory of another device is mapped in the range"));
    }
    range
        .put(offset, &physical.memory)
        .ok_or_else(|| Failure::new(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "the host has no mapping left"))?;
    range.open(offset, size, device.is_none() && access != NO_ACCESS);
    let slot = state.slots.entry(offset).or_insert(Slot { size, mappings: 0, device });
    slot.mappings += 1;
    slot.device = device;
    let mapping = Mapping {
        range: Arc::clone(&range),
        offset,
        handle: handle.0.addr(),
        physical,
        access: AtomicU32::new(access),
    };
    enter(mapping);
    Ok(())
}

/// Whether any of `count` bytes from `address` are in a range, reserved now or once.
pub(in crate::machine) fn touches(address: Address, count: usize) -> bool {
    let (first, end) = (address.number(), address.number().saturating_add(count));
    read(&RANGES).iter().any(|range| {
        let start = range.pages.start().number();
        first < start + range.pages.size() && end > start
    })
}

/// As if nothing had been reserved.
pub(in crate::machine) fn clear() {
    for range in read(&RANGES).iter() {
        lock(&range.state).reserved = false;
    }
}

impl Mapping {
    pub(in crate::machine) fn address(&self) -> Address {
        self.range.pages.start().offset(self.offset)
    }

    pub(in crate::machine) fn size(&self) -> usize {
        self.physical.memory.size()
    }

    pub(in crate::machine) fn is_in_range_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.range, &other.range)
    }

    pub(in crate::machine) fn device(&self) -> Option<&Arc<Device>> {
        self.physical.device.as_ref()
    }

    /// The handle that it was mapped by, while that is there.
    pub(in crate::machine) fn handle(&self) -> Answer<aclrtDrvMemHandle> {
        let handle = aclrtDrvMemHandle(core::ptr::without_provenance_mut(self.handle));
        find(handle).map(|_| handle)
    }

    pub(in crate::machine) fn access(&self) -> aclrtMemAccessFlags {
        aclrtMemAccessFlags(self.access.load(SeqCst))
    }

    /// Whether another process may have it mapped, too.
    pub(in crate::machine) fn is_shared(&self) -> bool {
        self.physical.is_shared()
    }

    pub(in crate::machine) fn allow(&self, access: aclrtMemAccessFlags) {
        self.access.store(access.0, SeqCst);
        self.range.open(self.offset, self.size(), self.device().is_none() && access.0 != NO_ACCESS);
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        let mut state = lock(&self.range.state);
        let Some(slot) = state.slots.get_mut(&self.offset) else { return };
        slot.mappings -= 1;
        // Work that uses an older mapping of the place must find something there, even if it is the newest.
        if slot.mappings == 0 {
            state.slots.remove(&self.offset);
            // Without a place in the system's tables the memory stays mapped until something else takes the addresses.
            self.range.take_away(self.offset, self.physical.memory.size());
        }
    }
}

impl Range {
    /// The memory stands at the offset from here on.
    fn put(&self, offset: usize, memory: &Shared) -> Option<()> {
        self.view.as_ref().map_or(Some(()), |view| view.map(offset, memory))?;
        self.pages.map(offset, memory)
    }

    /// Lets the program in, or keeps it out, where the range is guarded.
    fn open(&self, offset: usize, size: usize, open: bool) {
        if self.view.is_some() {
            // Without a place in the system's tables it is let in, or kept out, where it was before.
            let _ = self.pages.protect(offset, size, open);
        }
    }

    fn take_away(&self, offset: usize, size: usize) {
        for pages in self.view.iter().chain([&self.pages]) {
            let _ = pages.unmap(offset, size);
        }
    }

    /// Reserves it, unless it is reserved or work still uses something in it.
    fn take(&self) -> bool {
        let mut state = lock(&self.state);
        let free = !state.reserved && state.slots.is_empty();
        state.reserved |= free;
        free
    }

    /// Refuses when the program has mapped something there, or queued work still uses part of it. What work uses of
    /// exactly this place is about to be replaced at once, so that the work never finds nothing there.
    fn check_free(&self, state: &State, offset: usize, size: usize, is_mapped: impl Fn(Address) -> bool) -> Answer {
        let overlaps = |(at, slot): &(&usize, &Slot)| **at < offset + size && **at + slot.size > offset;
        let found: Vec<(usize, usize)> =
            state.slots.iter().filter(overlaps).map(|(at, slot)| (*at, slot.size)).collect();
        if let Some((at, _)) = found.iter().find(|(at, _)| is_mapped(self.pages.start().offset(*at))) {
            let at = self.pages.start().number() + at;
            return Err(Failure::refused(format!("memory is mapped at {at:#x} already")));
        }
        if found.iter().any(|found| *found != (offset, size)) {
            let at = self.pages.start().number() + offset;
            return Err(Failure::refused(format!(
                "queued work still uses memory at {at:#x}; synchronise its stream first"
            )));
        }
        Ok(())
    }
}

fn range_around(address: Address, size: usize) -> Option<Arc<Range>> {
    let end = address.number().checked_add(size)?;
    let around = |range: &&Arc<Range>| {
        let start = range.pages.start().number();
        start <= address.number() && end <= start + range.pages.size() && lock(&range.state).reserved
    };
    read(&RANGES).iter().find(around).cloned()
}
