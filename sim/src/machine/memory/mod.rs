//! Memory by its addresses: blocks, what they are made of, and the data buffers that name them.

pub(crate) mod areas;
mod arena;
mod blocks;
pub(crate) mod exported;
pub(crate) mod guards;
pub(crate) mod mapped;
pub(crate) mod memory_pools;
pub(crate) mod physical;
mod pooled;
mod registered;
pub(crate) mod virtual_memory;

pub(crate) use blocks::{
    Hold, Place, allocate_device, allocate_host, block_around, clear, count, describe, free_device, free_host, hold,
    is_untouched, lose_all_of, numbered, possible,
};
pub(crate) use mapped::{access_of, allow, handle_of, unmap};
pub(crate) use pooled::{allocate_from, free_in_order};
pub(crate) use registered::{is_own_pinned, is_pinned, register, unregister};
