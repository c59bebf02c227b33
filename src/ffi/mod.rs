//! The only module with unsafe code: it calls the vendor's functions and enforces the memory rules.
//!
//! The rest of the crate relies on these guarantees:
//!
//! * A [`RawBuffer`] is memory that the library allocated. Only [`RawBuffer::free`] frees it, and refuses while a task
//!   that was queued with it may still run (MEM-02).
//! * A [`RawStream`] is a vendor stream. The macros of `work.rs` queue work and stamp every block that the work uses,
//!   before and after the vendor call. [`RawStream::synchronize`] determines which stamps are done. Neither takes a lock
//!   or allocates.
//! * `call!` makes every call. Before that, the needs are checked that `needs.rs` lists for the C function: at least that
//!   this is not a forked child. Only that check gives access to the functions ([`Ready`](call::Ready)). On the fast
//!   paths `cached!` gives the function instead, from a [`FunctionCache`](function_cache::FunctionCache) that is empty
//!   while checks are needed.
//! * A destroyed object is never passed to the library again, because destroying it closes a [`Gate`](gate::Gate).
//!   Calls that another thread may make at that time pass through the gate. Calls that need the object's handle only
//!   look at the gate, since destroying takes the handle.
//!
//! So no order of calls from outside this module frees memory under a running task or passes a dead pointer to the
//! library. The ledger and the types ensure that the calls come in the vendor's *order* and in the right *context*.
//!
//! Naming: a function `check_…` returns an error unless the condition holds. A function `is_…`, `has_…` or `can_…`
//! answers with a `bool`, or with a `Result` of one if it asks the library, and changes at most what the crate
//! remembers of earlier answers. A function `…_at_once` is a fast path. It returns `None` or `false`, and has changed
//! nothing, if a further check or the look-up of a C function is needed; its caller then takes the slow path.

#![allow(unsafe_code)]

#[macro_use]
mod needs;

mod admission;
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
mod cold_path;
mod compiled_operators;
mod condition;
mod context;
mod created;
mod event;
mod exit;
mod failure;
mod flagged_event;
mod for_cold_path;
mod forced;
mod foreign_use;
mod free_slots;
mod function_cache;
mod gate;
mod held;
mod here;
mod home;
mod in_place;
mod inside;
mod load;
mod members;
mod model;
mod not_ended;
mod note;
mod operator;
mod outside;
mod owner;
mod pages;
mod peer;
mod places;
#[cfg(test)]
mod places_tests;
mod process;
mod properties;
mod registered_of;
mod registration;
mod resets;
mod restore;
mod rows;
mod sharing;
mod shelf;
#[cfg(test)]
mod shelf_tests;
mod stamp;
mod staying;
mod stream;
#[cfg(test)]
mod stream_tests;
mod thread_hint;
mod thread_notes;
mod timeline;
#[cfg(test)]
mod timeline_tests;
mod unreferenced;
mod untyped;
mod version;
mod views;
mod visit;
mod wait;
mod work;

/// The loom tests (`tests/stamps/main.rs`) include files of this folder, and replace these primitives with loom's.
mod sync {
    pub(super) use super::inside::LoomCell;
    pub(super) use core::sync::atomic::{Ordering, fence};
    pub(super) use std::sync::{Arc, Arc as SharedArc};
}

// So do these.
use core::sync::atomic;
use std::thread::yield_now;
use thread_hint::thread_hint;

pub(crate) use allocator::{Keeps, KeptAllocator, KeptByCaller, Registered, check_serves};
pub(crate) use api::{Api, c_path, c_text};
pub(crate) use app_log::app_log;
pub(crate) use attachment::{ForeignObject, RawAttachment, TakeDownContext, TakenDown};
pub(crate) use block::{MOST_BYTES, NewBuffer, RawBuffer, beyond_all_memory};
pub(crate) use borrowed::{Borrowed, copy_scope};
pub(crate) use bytes::{bytes_of, collect_elements};
pub(crate) use callback::{HostCode, NotCalled, NotQueued, message_of};
pub(crate) use calls::Initialised;
pub(crate) use captured_graph::{BodyId, ConditionKind, NotReplayed, RawGraph, RawTaskGroup};
pub(crate) use cold_path::cold_path;
pub(crate) use context::{Entered, RawContext};
pub(crate) use event::{NewEvent, NotRecorded, RawEvent};
pub(crate) use exit::{Joinable, unless_exiting, wait_before_destructors};
pub(crate) use for_cold_path::ForColdPath;
pub(crate) use foreign_use::ForeignUse;
pub(crate) use gate::{Gate, Passage};
pub(crate) use held::HeldBlocks;
pub(crate) use here::{Here, Site};
pub(crate) use home::Home;
pub(crate) use load::open_first;
#[cfg(feature = "sim")]
pub(crate) use load::simulator;
pub(crate) use members::Members;
pub(crate) use model::{
    BoundInput, DoubtOnDrop, Image, LoadInto, LoadedModel, ModelImage, NotExecuted, NotRun, Port, RawBinding, RawGears,
    Share, TensorPlace,
};
pub(crate) use operator::{RawOperator, TensorArgument, TensorMemory, TensorState};
pub(crate) use outside::Outside;
pub(crate) use owner::{Owner, is_inside_a_context};
pub(crate) use pages::RawPages;
pub(crate) use peer::{Lent, LentSide};
pub(crate) use process::{LoadedLibrary, Verified};
pub(crate) use registered_of::{RegisteredOf, WeakRegisteredOf};
pub(crate) use restore::Restore;
pub(crate) use rows::RawRows;
pub(crate) use shelf::{Row as ShelfRow, Shelf};
use stamp::LastUse;
pub(crate) use stream::{
    Begun, BlockPosition, CopyDirection, FirstPanic, KeptState, NewStream, NotCopied, NotSet, RawStream, SETTLING,
    stream_flags,
};
pub(crate) use timeline::Waiter;
pub(crate) use untyped::{Twice, keep_memory_of, kept_before, last_kept};
pub(crate) use views::add_view;
pub(crate) use visit::{Enterable, Visit};
