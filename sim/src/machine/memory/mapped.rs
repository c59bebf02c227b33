//! Blocks that are virtual memory with physical memory mapped to it.

use crate::abi::Address;
use crate::failure::{Answer, Failure};
use crate::locks::{read, write};
use crate::machine::memory::blocks::{Addresses, BLOCKS, Backing, Blocks, Entry};
use crate::machine::memory::virtual_memory::{self, Mapping, Wish};
use ascendcl_sys::types::{aclrtDrvMemHandle, aclrtMemAccessFlags};
use std::sync::Arc;

/// Puts physical memory at a reserved address, all of it (VMM-02).
pub(crate) fn map(address: Address, size: usize, offset: usize, handle: aclrtDrvMemHandle, access: u32) -> Answer {
    virtual_memory::map(Wish { address, size, offset, handle, access }, has_mapping, enter_mapping)
}

/// Gives a range of addresses back in which nothing is mapped (VMM-01).
pub(crate) fn release(address: Address) -> Answer {
    virtual_memory::release(address, has_mapping)
}

fn enter_mapping(mapping: Mapping) {
    let (address, size, device) = (mapping.address().number(), mapping.size(), mapping.device().cloned());
    let mut blocks = write(&BLOCKS);
    blocks.gone.retain_outside(address, size);
    blocks.live.insert(address, Entry { block: Backing::Mapped(Arc::new(mapping)), device });
}

/// Whether the program has memory mapped that starts here.
fn has_mapping(start: Address) -> bool {
    mapping_at(&read(&BLOCKS), start).is_some()
}

/// Ends a mapping. Queued work still uses the memory.
pub(crate) fn unmap(start: Address) -> Answer {
    let ended = {
        let mut blocks = write(&BLOCKS);
        let went = blocks.gone.remove(&start.number()).is_some();
        if mapping_at(&blocks, start).is_some() {
            blocks.live.remove(&start.number())
        } else if went {
            return Ok(());
        } else {
            return Err(not_mapped(start));
        }
    };
    drop(ended);
    Ok(())
}

/// The handle of the physical memory that is mapped around an address.
pub(crate) fn handle_of(address: Address) -> Answer<aclrtDrvMemHandle> {
    mapping_around(address)?.handle()
}

pub(crate) fn access_of(address: Address) -> Answer<aclrtMemAccessFlags> {
    Ok(mapping_around(address)?.access())
}

/// Sets what may be done with the mappings in a range.
pub(crate) fn allow(start: Address, size: usize, access: aclrtMemAccessFlags) -> Answer {
    let end = start.number().checked_add(size).ok_or_else(|| not_mapped(start))?;
    let mut at = start;
    while at.number() < end {
        let mapping = mapping_around(at)?;
        mapping.allow(access);
        at = mapping.address().offset(mapping.size());
    }
    Ok(())
}

fn mapping_around(address: Address) -> Answer<Arc<Mapping>> {
    match read(&BLOCKS).around(address).map(|entry| &entry.block) {
        Some(Backing::Mapped(mapping)) => Ok(Arc::clone(mapping)),
        _ => Err(not_mapped(address)),
    }
}

fn mapping_at(blocks: &Blocks, start: Address) -> Option<&Arc<Mapping>> {
    match &blocks.live.get(&start.number())?.block {
        Backing::Mapped(mapping) => Some(mapping),
        _ => None,
    }
}

fn not_mapped(address: Address) -> Failure {
    Failure::refused(format!("no virtual memory is mapped at {:#x}", address.number()))
}
