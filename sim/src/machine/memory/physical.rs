//! Physical memory, by its handles.

use crate::abi::Shared;
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::device::{self, Device};
use crate::machine::handles::Table;
use crate::machine::sharing::{Key, Kind, Record, What};
use ascendcl_rules::{Object, VMM_02};
use ascendcl_sys::error_codes::ACL_ERROR_RT_MEMORY_ALLOCATION;
use ascendcl_sys::types::*;
use std::sync::{Arc, Mutex};

/// Sizes and addresses are multiples of this.
pub(crate) const GRANULARITY: usize = 2 << 20;

/// Physical memory, as long as its handle or a mapping is there.
pub(super) struct Physical {
    pub(super) memory: Shared,
    /// `None` for host memory.
    pub(super) device: Option<Arc<Device>>,
    properties: aclrtPhysicalMemProp,
    /// It is memory of another process.
    imported: bool,
    /// How many more handles the program has asked for than it has freed.
    retained: Mutex<usize>,
    /// What it was offered to other processes by.
    offers: Mutex<Vec<Record>>,
}

static HANDLES: Table<Physical> = Table::new();

/// Physical memory of a device, or of the host.
pub(crate) fn allocate(size: usize, properties: aclrtPhysicalMemProp) -> Answer<aclrtDrvMemHandle> {
    check(&properties)?;
    if size == 0 || !size.is_multiple_of(GRANULARITY) {
        let text = format!("{size} bytes: physical memory comes in multiples of {GRANULARITY}");
        let failure = Failure::refused(text);
        let fix = "round the size up to the granularity (aclrtMemGetAllocationGranularity)";
        return Err(failure.breaks(VMM_02, "a multiple of the granularity", fix).about(Object::PROCESS));
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
    Ok(enter(Physical {
        memory,
        device,
        properties,
        imported: false,
        retained: Mutex::default(),
        offers: Mutex::default(),
    }))
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
    Ok(enter(Physical {
        memory,
        device,
        properties,
        imported: true,
        retained: Mutex::default(),
        offers: Mutex::default(),
    }))
}

/// One more handle of the memory, to be freed, too. Here it is the same.
pub(crate) fn retain(handle: aclrtDrvMemHandle) -> Answer {
    *lock(&find(handle)?.retained) += 1;
    Ok(())
}

/// The size of the memory behind a handle.
pub(crate) fn size_of(handle: aclrtDrvMemHandle) -> Answer<usize> {
    Ok(find(handle)?.memory.size())
}

/// The handle is destroyed at once, the memory when no mapping uses it any more.
pub(crate) fn free(handle: aclrtDrvMemHandle) -> Answer {
    let physical = find(handle)?;
    let mut retained = lock(&physical.retained);
    if *retained > 0 {
        *retained -= 1;
        return Ok(());
    }
    HANDLES.remove(handle.0.addr()).map(drop).ok_or_else(unknown)
}

/// The properties with which the memory behind a handle was allocated.
pub(crate) fn properties(handle: aclrtDrvMemHandle) -> Answer<aclrtPhysicalMemProp> {
    Ok(find(handle)?.properties)
}

/// What can be allocated: pinned memory of a device or of the host, without a handle of the system.
pub(crate) fn check(properties: &aclrtPhysicalMemProp) -> Answer {
    if properties.handleType != aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE {
        return Err(Failure::invalid(format!("there is no type of handle {}", properties.handleType.0)));
    }
    if properties.allocationType != aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED {
        return Err(Failure::invalid(format!("there is no type of allocation {}", properties.allocationType.0)));
    }
    let of_the_caller =
        [aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_UNREGISTERED, aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_MANAGED];
    if of_the_caller.contains(&properties.location.kind) {
        let text = format!("physical memory is not at a location of type {}", properties.location.kind.0);
        return Err(Failure::invalid(text));
    }
    check_kind(properties)
}

/// Whether there is such memory there. The vendor's library has no pages for some of its kinds, and memory of the kind
/// DDR is the host's.
pub(crate) fn check_kind(properties: &aclrtPhysicalMemProp) -> Answer {
    use aclrtMemAttr as Kind;
    let kind = properties.memAttr;
    let of_device = properties.location.kind == aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE;
    let is_there = match kind {
        Kind::ACL_DDR_MEM_HUGE
        | Kind::ACL_DDR_MEM_NORMAL
        | Kind::ACL_DDR_MEM_P2P_HUGE
        | Kind::ACL_DDR_MEM_P2P_NORMAL => !of_device,
        Kind::ACL_DDR_MEM
        | Kind::ACL_HBM_MEM
        | Kind::ACL_HBM_MEM_P2P_HUGE
        | Kind::ACL_HBM_MEM_P2P_NORMAL
        | Kind::ACL_HBM_MEM_P2P_HUGE1G => false,
        kind => kind <= Kind::ACL_MEM_P2P_HUGE1G,
    };
    if !is_there {
        let place = if of_device { "a device" } else { "the host" };
        return Err(Failure::invalid(format!("{place} has no physical memory of kind {}", kind.0)));
    }
    // A location of any other type is the host.
    if of_device { device::device(properties.location.id.into()).map(drop) } else { Ok(()) }
}

/// The device was released, and its memory with it.
pub(in crate::machine) fn lose_all_of(device: &Device) {
    let of_device = |physical: &Physical| physical.device.as_ref().is_some_and(|owner| owner.id() == device.id());
    drop(HANDLES.remove_all(of_device));
}

/// As if nothing had been allocated.
pub(in crate::machine) fn clear() {
    drop(HANDLES.remove_all(|_| true));
}

impl Physical {
    /// Whether another process may have it mapped, too.
    pub(super) fn is_shared(&self) -> bool {
        self.imported || !lock(&self.offers).is_empty()
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        if let Some(device) = self.device.as_ref().filter(|_| !self.imported) {
            device.give_memory_back(self.memory.size());
        }
    }
}

pub(super) fn find(handle: aclrtDrvMemHandle) -> Answer<Arc<Physical>> {
    HANDLES.get(handle.0.addr()).ok_or_else(unknown)
}

fn unknown() -> Failure {
    Failure::refused("this is not the handle of physical memory (any more)")
}
