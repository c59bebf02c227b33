//! The only module with unsafe code: the vendor's calls, and the values that keep their memory rules.
//!
//! What the rest of the crate relies on:
//!
//! * A [`Block`] is memory that the library allocated. It can only be freed through [`Block::free`], which refuses while
//!   a task that was queued with it may still run (MEM-02).
//! * A [`Queue`] is a vendor stream. Work is queued through [`Queue::submit`], which stamps every block it uses before
//!   and after the vendor call; [`Queue::synchronize`] tells which stamps are done. No lock, no allocation.
//! * No call reaches the library in a forked child: all of them come by `Api::library`, which asks
//!   [`Loading`](process::Loading).
//! * A destroyed object is never passed to the library again: destroying closes a [`Gate`](gate::Gate). Calls that another
//!   thread may be making at that time pass through it; those that only the object's handle allows look at it, since
//!   destroying takes the handle.
//!
//! So no order of calls from outside this module frees memory under a running task or hands the library a dead pointer.
//! That the calls come in the vendor's *order* and in the right *context* is the business of the ledger and the types.

#![allow(unsafe_code)]

mod allocator;
mod api;
mod block;
mod callback;
mod context;
mod descriptor;
mod device_allocator;
mod element;
mod event;
mod failure;
mod forced;
mod gate;
#[cfg(feature = "ge")]
pub(crate) mod ge;
mod lend;
mod load;
mod model;
mod operator;
mod pool;
mod process;
mod queue;
mod registration;
mod stamp;
mod standing;
mod timeline;
mod wait;

// What `stamp` and `gate` are made of; loom puts its own in this place.
use core::sync::atomic;
use std::thread::yield_now;

pub(crate) use allocator::{Elsewhere, Kept, Members, Registered, serves};
pub(crate) use api::{Api, Initialised, c_path};
pub(crate) use block::{Block, Home};
pub(crate) use callback::message_of;
pub(crate) use context::{Entered, Outside, RawContext, Restore};
pub use descriptor::{
    Address, AddressFn, Allocate, AllocateFn, AllocateNearFn, Descriptor, Free, FreeFn, HasAddress, HasAllocate,
    HasFree, HasObject, LacksAddress, LacksAllocate, LacksFree, LacksObject, NoAddress, NoAllocate, NoFree, NoObject,
    Object,
};
pub use device_allocator::DeviceAllocator;
pub use element::{Element, ElementType, F16};
pub(crate) use element::{bytes_of, collect_elements};
pub(crate) use event::RawEvent;
pub(crate) use lend::{Borrowed, lend};
pub use load::LibraryFile;
pub(crate) use load::open_first;
#[cfg(feature = "sim")]
pub(crate) use load::simulator;
pub use model::Gears;
pub(crate) use model::{Binding, BoundInput, Image, LoadedModel, ModelImage, Onto, Port, Share, Sizes};
pub(crate) use operator::{Invocation, Part};
pub use pool::{PoolAllocator, PoolBlock};
pub(crate) use process::Loading;
pub(crate) use queue::{Place, Queue, SETTLING};
use stamp::LastUse;
pub(crate) use timeline::Listener;
