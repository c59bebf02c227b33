//! The only module with unsafe code: the vendor's calls, and the values that keep their memory rules.
//!
//! What the rest of the crate relies on:
//!
//! * A [`RawBuffer`] is memory that the library allocated. It can only be freed through [`RawBuffer::free`], which
//!   refuses while a task that was queued with it may still run (MEM-02).
//! * A [`RawStream`] is a vendor stream. Work is queued through [`RawStream::submit`], which stamps every block it uses
//!   before and after the vendor call; [`RawStream::synchronize`] tells which stamps are done. No lock, no allocation.
//! * A call is made by `call!`, which checks what the table in `needs.rs` says that the C function needs: at least that
//!   this is no forked child. Only the check gives the functions out ([`Ready`](call::Ready)).
//! * A destroyed object is never passed to the library again: destroying closes a [`Gate`](gate::Gate). Calls that
//!   another thread may be making at that time pass through it; those that only the object's handle allows look at it,
//!   since destroying takes the handle.
//!
//! So no order of calls from outside this module frees memory under a running task or hands the library a dead pointer.
//! That the calls come in the vendor's *order* and in the right *context* is the business of the ledger and the types.

#![allow(unsafe_code)]

#[macro_use]
mod needs;

mod allocator;
mod answer;
mod api;
mod app_log;
mod attachment;
mod block;
mod borrowed;
mod bytes;
mod call;
mod callback;
mod calls;
mod captured_event;
mod captured_graph;
mod compiled_operators;
mod condition;
mod context;
mod event;
mod failure;
mod flagged_event;
mod forced;
mod foreign_use;
mod gate;
mod here;
mod home;
mod load;
mod members;
mod model;
mod operator;
mod outside;
mod owner;
mod pages;
mod peer;
mod process;
mod properties;
mod registration;
mod resets;
mod rows;
mod sharing;
mod shelf;
mod stamp;
mod standing;
mod stream;
mod timeline;
mod unnamed;
mod version;
mod wait;
mod work;

/// What `unnamed` and `sharing` are made of; loom puts its own in this place.
mod sync {
    pub(super) use core::sync::atomic::{Ordering, fence};
    pub(super) use std::sync::{Arc, Arc as Names};
}

// What `stamp`, `sharing` and `gate` are made of; loom puts its own in this place.
use core::sync::atomic;
use std::thread::yield_now;

pub(crate) use allocator::{Keeps, KeptAllocator, KeptByCaller, Registered, serves};
pub(crate) use api::{Api, c_path, c_text};
pub(crate) use app_log::app_log;
pub(crate) use attachment::{Ended, ForeignObject, RawAttachment, TakenDown};
pub(crate) use block::RawBuffer;
pub(crate) use borrowed::{Borrowed, copy_scope};
pub(crate) use bytes::{bytes_of, collect_elements};
pub(crate) use callback::message_of;
pub(crate) use calls::Initialised;
pub(crate) use captured_graph::{RawGraph, RawTaskGroup};
pub(crate) use context::{Entered, RawContext, Restore};
pub(crate) use event::RawEvent;
pub(crate) use foreign_use::ForeignUse;
pub(crate) use gate::{Gate, Passage};
pub(crate) use here::{Here, Site};
pub(crate) use home::Home;
pub(crate) use load::open_first;
#[cfg(feature = "sim")]
pub(crate) use load::simulator;
pub(crate) use members::Members;
pub(crate) use model::{
    BoundInput, Image, LoadInto, LoadedModel, ModelImage, Port, RawBinding, RawGears, Share, TensorPlace,
};
pub(crate) use operator::{RawInvocation, TensorArgument};
pub(crate) use outside::Outside;
pub(crate) use owner::Owner;
pub(crate) use pages::RawPages;
pub(crate) use peer::{Lent, LentSide};
pub(crate) use process::Loading;
pub(crate) use rows::RawRows;
pub(crate) use shelf::{Row as ShelfRow, Shelf, next_number};
use stamp::LastUse;
pub(crate) use stream::{FirstPanic, KeptState, Place, RawStream, SETTLING, stream_flags};
pub(crate) use timeline::Listener;
