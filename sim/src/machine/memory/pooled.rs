//! Blocks that come from a memory pool.

use super::{BLOCKS, Backing, Entry, insert, room_for, spoil};
use crate::abi::Address;
use crate::failure::{Answer, Failure};
use crate::machine::Stream;
use crate::machine::arena::{Piece, touches};
use crate::machine::config::if_documented;
use crate::machine::device::Device;
use crate::machine::locks::{read, write};
use crate::machine::memory_pools::Taken;
use std::sync::Arc;

/// A block, and the part of its pool that it takes. The pool has it back when nothing holds the block any more: neither the
/// program nor work that uses it.
pub(crate) struct Pooled {
    piece: Piece,
    _taken: Taken,
}

impl Pooled {
    pub(super) fn address(&self) -> Address {
        self.piece.address()
    }

    pub(super) fn size(&self) -> usize {
        self.piece.size()
    }
}

/// A block of at least `size` bytes, which may be 0. `take` takes as much from the pool. `None` when there is no such block.
pub(in crate::machine) fn enter_pooled(
    size: usize,
    device: &Arc<Device>,
    take: impl FnOnce(usize) -> Option<Taken>,
) -> Option<Address> {
    let size = room_for(size.max(1)).ok()?;
    let taken = take(size)?;
    let piece = Piece::new(size)?;
    spoil(piece.address(), size);
    let block = Backing::Pooled(Arc::new(Pooled { piece, _taken: taken }));
    Some(insert(Entry { block, device: Some(Arc::clone(device)) }))
}

/// Gives a block back when the stream comes there. Later calls find no block any more; work that was queued before goes on
/// with it. A captured stream gives it back when its model is destroyed.
pub(crate) fn free_pooled(address: Address, stream: &Arc<Stream>) -> Answer {
    let Some(block) = pooled_at(address)? else { return Ok(()) };
    stream.submit_each(move |_| {
        let _kept = &block;
        Ok(())
    })?;
    let freed = {
        let mut blocks = write(&BLOCKS);
        let there = blocks.live.get(&address.number()).is_some_and(|entry| matches!(entry.block, Backing::Pooled(_)));
        if there { blocks.live.remove(&address.number()) } else { None }
    };
    drop(freed);
    Ok(())
}

/// The block of a pool at this address. `None` when it was freed before, which the vendor's library does not notice.
fn pooled_at(address: Address) -> Answer<Option<Arc<Pooled>>> {
    let blocks = read(&BLOCKS);
    let number = address.number();
    match (blocks.live.get(&number).map(|entry| &entry.block), blocks.around(address)) {
        (Some(Backing::Pooled(block)), _) => Ok(Some(Arc::clone(block))),
        (None, None) if blocks.gone.contains_key(&number) => Ok(None),
        (None, None) if touches(address, 1) => {
            if_documented(|| Failure::refused(format!("the block at {number:#x} was freed before")))?;
            Ok(None)
        }
        _ => Err(Failure::refused(format!("{number:#x} is not the address of a block that came from a memory pool"))),
    }
}
