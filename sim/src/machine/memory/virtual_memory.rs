//! Virtual memory: reserved addresses, physical memory, and what is mapped where.
//!
//! One piece of physical memory may be mapped at several addresses, which then really show the same bytes. A mapping that
//! queued work still uses stays in place until the work is done; only a new mapping at its addresses replaces it.

use crate::abi::{Address, Pages, Shared};
use crate::failure::{Answer, Failure};
use crate::locks::{lock, read, write};
use crate::machine::device::{self, Device};
use crate::machine::handles::Table;
use crate::machine::sharing::{Key, Kind, Record, What};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL};
use ascendcl_sys::types::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, RwLock};

/// Sizes and addresses are multiples of this.
pub(crate) const GRANULARITY: usize = 2 << 20;

/// A range of addresses. It is kept when it is released, for the next reservation that it fits.
struct Range {
    pages: Pages,
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

/// Physical memory, as long as its handle or a mapping is there.
struct Physical {
    memory: Shared,
    /// `None` for host memory.
    device: Option<Arc<Device>>,
    properties: aclrtPhysicalMemProp,
    /// It is memory of another process.
    imported: bool,
    /// What it was offered to other processes by.
    offers: Mutex<Vec<Record>>,
}

/// Physical memory at an address.
pub(crate) struct Mapping {
    range: Arc<Range>,
    offset: usize,
    handle: usize,
    physical: Arc<Physical>,
    access: AtomicU32,
}

static RANGES: RwLock<Vec<Arc<Range>>> = RwLock::new(Vec::new());
static HANDLES: Table<Physical> = Table::new();

/// Reserves `size` bytes of addresses.
pub(crate) fn reserve(size: usize, alignment: usize) -> Answer<Address> {
    let alignment = alignment.max(GRANULARITY);
    if !alignment.is_power_of_two() {
        return Err(Failure::refused(format!("{alignment} is no alignment; it is 0 or a power of two")));
    }
    let size = size.checked_next_multiple_of(alignment).filter(|size| *size > 0);
    let size = size.ok_or_else(|| Failure::refused("a reserved range has at least one byte, and fits into memory"))?;
    let mut ranges = write(&RANGES);
    let fits = |range: &&Arc<Range>| {
        range.pages.size() == size && range.pages.start().number().is_multiple_of(alignment) && range.take()
    };
    if let Some(range) = ranges.iter().find(fits) {
        return Ok(range.pages.start());
    }
    let pages = Pages::reserve(size, alignment).ok_or_else(|| {
        Failure::new(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, format!("the host has no range of {size} addresses left"))
    })?;
    let start = pages.start();
    ranges.push(Arc::new(Range { pages, state: Mutex::new(State { reserved: true, ..State::default() }) }));
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

/// Physical memory of a device, or of the host.
pub(crate) fn allocate(size: usize, properties: aclrtPhysicalMemProp) -> Answer<aclrtDrvMemHandle> {
    check(&properties)?;
    if size == 0 || !size.is_multiple_of(GRANULARITY) {
        let text = format!("{size} bytes: physical memory comes in multiples of {GRANULARITY}");
        return Err(Failure::refused(text));
    }
    let device = match properties.location.kind {
        aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE => Some(device::device(properties.location.id.into())?),
        _ => None,
    };
    let exhausted = || {
        let text = match &device {
            Some(owner) => format!("device {} has {} bytes left", owner.id(), owner.memory_left()),
            None => "the host has less memory left".to_owned(),
        };
        Failure::new(ACL_ERROR_RT_MEMORY_ALLOCATION, format!("{text}, and {size} were asked for"))
    };
    if device.as_ref().is_some_and(|device| !device.take_memory(size)) {
        return Err(exhausted());
    }
    let Some(memory) = Shared::new(size) else {
        device.iter().for_each(|device| device.give_memory_back(size));
        return Err(exhausted());
    };
    Ok(enter(Physical { memory, device, properties, imported: false, offers: Mutex::default() }))
}

fn enter(physical: Physical) -> aclrtDrvMemHandle {
    aclrtDrvMemHandle(core::ptr::without_provenance_mut(HANDLES.add(physical)))
}

/// Offers the memory behind a handle to other processes; answers the number by which they find it.
pub(crate) fn export(handle: aclrtDrvMemHandle, for_all: bool) -> Answer<u64> {
    let physical = find(handle)?;
    if physical.imported {
        return Err(Failure::refused("memory of another process is not offered to a third one"));
    }
    let what = What { descriptor: physical.memory.descriptor(), offset: 0, size: physical.memory.size() };
    let record = Record::new(Kind::Physical, what, for_all)?;
    let number = record.key().number()?;
    lock(&physical.offers).push(record);
    Ok(number)
}

/// Lets these processes import memory that was exported here.
pub(crate) fn allow_import(number: u64, processes: &[i32]) -> Answer {
    let key = Key::from_number(number);
    let offers = |physical: &Physical| lock(&physical.offers).iter().any(|record| record.key() == key);
    for physical in HANDLES.select(offers) {
        if let Some(record) = lock(&physical.offers).iter().find(|record| record.key() == key) {
            return record.allow(processes);
        }
    }
    Err(Failure::refused(format!("{number:#x} is not the number of memory that is exported here")))
}

/// A handle of memory of another process, which this one reaches from the device.
pub(crate) fn import(number: u64, device: Arc<Device>) -> Answer<aclrtDrvMemHandle> {
    let memory = Record::import(Key::from_number(number), Kind::Physical)?.memory()?;
    let properties = aclrtPhysicalMemProp {
        handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
        allocationType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
        memAttr: aclrtMemAttr::ACL_HBM_MEM_HUGE,
        location: aclrtMemLocation { id: device.id(), kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE },
        reserve: 0,
    };
    let device = Some(device);
    Ok(enter(Physical { memory, device, properties, imported: true, offers: Mutex::default() }))
}

/// The handle is destroyed at once, the memory when no mapping uses it any more.
pub(crate) fn free(handle: aclrtDrvMemHandle) -> Answer {
    HANDLES.remove(handle.0.addr()).map(drop).ok_or_else(unknown)
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
        .pages
        .map(offset, &physical.memory)
        .ok_or_else(|| Failure::new(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "the host has no mapping left"))?;
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

/// The properties with which the memory behind a handle was allocated.
pub(crate) fn properties(handle: aclrtDrvMemHandle) -> Answer<aclrtPhysicalMemProp> {
    Ok(find(handle)?.properties)
}

/// What can be allocated: pinned memory of a device or of the host, which no other process sees.
pub(crate) fn check(properties: &aclrtPhysicalMemProp) -> Answer {
    if properties.allocationType != aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED {
        return Err(Failure::invalid(format!("there is no type of allocation {}", properties.allocationType.0)));
    }
    let handles = [aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE, aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_POSIX];
    if !handles.contains(&properties.handleType) {
        return Err(Failure::invalid(format!("there is no type of handle {}", properties.handleType.0)));
    }
    if properties.memAttr > aclrtMemAttr::ACL_MEM_P2P_HUGE1G {
        return Err(Failure::invalid(format!("there is no kind of memory {}", properties.memAttr.0)));
    }
    // A location of any other type is the host.
    match properties.location.kind {
        aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE => device::device(properties.location.id.into()).map(drop),
        _ => Ok(()),
    }
}

/// Whether any of `count` bytes from `address` are in a range, reserved now or once.
pub(in crate::machine) fn touches(address: Address, count: usize) -> bool {
    let (first, end) = (address.number(), address.number().saturating_add(count));
    read(&RANGES).iter().any(|range| {
        let start = range.pages.start().number();
        first < start + range.pages.size() && end > start
    })
}

/// The device was released, and its memory with it.
pub(in crate::machine) fn lose_all_of(device: &Device) {
    let of_device = |physical: &Physical| physical.device.as_ref().is_some_and(|owner| owner.id() == device.id());
    drop(HANDLES.remove_all(of_device));
}

/// As if nothing had been reserved or allocated.
pub(in crate::machine) fn clear() {
    drop(HANDLES.remove_all(|_| true));
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
        self.physical.imported || !lock(&self.physical.offers).is_empty()
    }

    pub(in crate::machine) fn allow(&self, access: aclrtMemAccessFlags) {
        self.access.store(access.0, SeqCst);
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
            let _ = self.range.pages.unmap(self.offset, self.physical.memory.size());
        }
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        if let Some(device) = self.device.as_ref().filter(|_| !self.imported) {
            device.give_memory_back(self.memory.size());
        }
    }
}

impl Range {
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

fn find(handle: aclrtDrvMemHandle) -> Answer<Arc<Physical>> {
    HANDLES.get(handle.0.addr()).ok_or_else(unknown)
}

fn unknown() -> Failure {
    Failure::refused("this is not the handle of physical memory (any more)")
}
