//! Memory that the program registers: its own, and pinned blocks of the library, which are within reach of the device anyway.

use super::blocks::{BLOCKS, Backing, Blocks, Entry, Place};
use crate::abi::Address;
use crate::failure::{Answer, Failure};
use crate::locks::{read, write};
use ascendcl_rules::{MEM_14, Object};
use ascendcl_sys::error_codes::{ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, ACL_ERROR_HOST_MEMORY_NOT_REGISTERED};

/// Whether a pinned block of the library starts here.
pub(crate) fn is_own_pinned(start: Address) -> bool {
    read(&BLOCKS).own_pinned(start).is_some()
}

/// Takes memory of the caller for pinned (MEM-14).
pub(crate) fn register(start: Address, size: usize) -> Answer {
    const PAGE: usize = 4096;
    let again = || {
        let text = format!("{size} bytes from {:#x} on are registered already, or the library's", start.number());
        let failure = unfit(Failure::new(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, text));
        Err(failure.about(Object::memory(start.number() as u64)))
    };
    let mut blocks = write(&BLOCKS);
    if blocks.own_pinned(start).is_some_and(|room| size <= room) {
        return if blocks.pinned_twice.insert(start.number()) { Ok(()) } else { again() };
    }
    let Some(end) = start.number().checked_add(size).filter(|_| start.number().is_multiple_of(PAGE)) else {
        let text = format!("{:#x} and {size} bytes: registered memory starts at a multiple of {PAGE}", start.number());
        return Err(unfit(Failure::refused(text)).about(Object::memory(start.number() as u64)));
    };
    let before = blocks.live.range(..end).next_back();
    if before.is_some_and(|(at, entry)| at + entry.block.size() > start.number()) {
        return again();
    }
    blocks.live.insert(start.number(), Entry { block: Backing::Registered { start, size }, device: None });
    Ok(())
}

/// Memory is registered that cannot be (MEM-14).
fn unfit(failure: Failure) -> Failure {
    let fix = "align the memory to 4 KiB, and register it once until it is unregistered";
    failure.breaks(MEM_14, "memory from a multiple of 4 KiB on that is not registered", fix)
}

/// Takes memory of the caller for ordinary memory again.
pub(crate) fn unregister(start: Address) -> Answer {
    let mut blocks = write(&BLOCKS);
    if blocks.pinned_twice.remove(&start.number()) {
        return Ok(());
    }
    match blocks.live.get(&start.number()) {
        Some(Entry { block: Backing::Registered { .. }, .. }) => drop(blocks.live.remove(&start.number())),
        _ => {
            let text = format!("{:#x} is not the start of registered memory", start.number());
            return Err(Failure::new(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, text));
        }
    }
    Ok(())
}

/// Whether the address is in pinned memory that the device reaches under the same address. Of memory that the caller
/// registered it is the start that counts.
pub(crate) fn is_pinned(address: Address) -> bool {
    let blocks = read(&BLOCKS);
    blocks.around(address).is_some_and(|entry| match &entry.block {
        Backing::Registered { start, .. } => *start == address,
        _ => entry.place() == Place::Host,
    })
}

impl Blocks {
    /// The size of the library's pinned block that starts here.
    fn own_pinned(&self, start: Address) -> Option<usize> {
        let entry = self.live.get(&start.number())?;
        let own = matches!(entry.block, Backing::Piece(_)) && entry.place() == Place::Host;
        own.then(|| entry.block.size())
    }
}
