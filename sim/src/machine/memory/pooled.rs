//! Blocks that come from a memory pool.

use crate::abi::Address;
use crate::config::if_documented;
use crate::failure::{Answer, Failure};
use crate::locks::{read, write};
use crate::machine::device::Device;
use crate::machine::memory::arena::{Piece, touches};
use crate::machine::memory::blocks::{BLOCKS, Backing, Entry, free_device, insert, room_for, spoil};
use crate::machine::memory::memory_pools::{Pool, Pooled, Taken};
use ascendcl_sys::error_codes::ACL_ERROR_RT_INTERNAL_ERROR;
use std::sync::Arc;

/// A block of at least `size` bytes (507000 when the pool has none).
pub(crate) fn allocate_from(pool: &Arc<Pool>, size: usize) -> Answer<Address> {
    let exhausted = || {
        let text = format!("the memory pool has no block of {size} bytes");
        Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, text)
    };
    let device = pool.device().ok_or_else(exhausted)?;
    enter_pooled(size, device, |size| pool.take(device, size)).ok_or_else(exhausted)
}

/// A block of at least `size` bytes, which may be 0. `take` takes as much from the pool. `None` when there is no such block.
fn enter_pooled(size: usize, device: &Arc<Device>, take: impl FnOnce(usize) -> Option<Taken>) -> Option<Address> {
    let size = room_for(size.max(1)).ok()?;
    let taken = take(size)?;
    let piece = Piece::of_device(size)?;
    spoil(piece.address(), size);
    let block = Backing::Pooled(Arc::new(Pooled { piece, _taken: taken }));
    Some(insert(Entry { block, device: Some(Arc::clone(device)) }))
}

/// What a free does when its stream comes there.
#[derive(Clone)]
pub(crate) enum Free {
    /// Lets go of the block. Work that was queued before goes on with it until then.
    Pooled { _kept: Arc<Pooled> },
    /// Frees a block that came from no pool, as the vendor's library does.
    Device(Address),
}

impl Free {
    pub(crate) fn run(&self) -> Answer {
        match self {
            Self::Pooled { .. } => Ok(()),
            // A block that was freed meanwhile is no mistake of the stream.
            Self::Device(address) => free_device(*address).or(Ok(())),
        }
    }
}

/// Frees a block when a stream comes there: `queue` has the stream do it. Later calls find no block of a pool any more.
/// A captured stream gives it back when its model is destroyed.
pub(crate) fn free_in_order(address: Address, queue: impl FnOnce(Free) -> Answer) -> Answer {
    let Some(free) = free_of(address)? else { return Ok(()) };
    queue(free)?;
    let freed = {
        let mut blocks = write(&BLOCKS);
        let there = blocks.live.get(&address.number()).is_some_and(|entry| matches!(entry.block, Backing::Pooled(_)));
        if there { blocks.live.remove(&address.number()) } else { None }
    };
    drop(freed);
    Ok(())
}

/// How the block at this address is freed. `None` when it was freed before, which the vendor's library does not notice.
fn free_of(address: Address) -> Answer<Option<Free>> {
    let blocks = read(&BLOCKS);
    let number = address.number();
    match (blocks.live.get(&number).map(|entry| &entry.block), blocks.around(address)) {
        (Some(Backing::Pooled(block)), _) => Ok(Some(Free::Pooled { _kept: Arc::clone(block) })),
        (Some(Backing::Piece(_)), Some(entry)) if entry.device.is_some() => Ok(Some(Free::Device(address))),
        (None, None) if blocks.gone.contains_key(&number) => Ok(None),
        (None, None) if touches(address, 1) => {
            if_documented(|| Failure::refused(format!("the block at {number:#x} was freed before")))?;
            Ok(None)
        }
        _ => Err(Failure::refused(format!("{number:#x} is not the address of a block of device memory"))),
    }
}
