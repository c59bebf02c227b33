//! The C side, raw: arguments, memory, functions of the caller, and what the system offers. The functions that C calls
//! are in [`shells`](crate::shells).
//!
//! All unsafe code of this crate is here and there. It rests on one contract, that of every C caller: pointers that are not null
//! point to what the vendor's signature says, for the length of the call (memory handed to an asynchronous call: until
//! the stream has been synchronised).

#![allow(unsafe_code)]

mod arguments;
mod callbacks;
mod caller;
mod exit;
mod guarded;
mod kernels;
mod matrices;
mod memory;
mod notices;
mod pages;
mod sanitizers;
mod text;
mod threads;
mod unions;
mod violation;

pub(crate) use arguments::{Address, FromC, In, InOut, Name, Opaque, Out, Text};
pub(crate) use callbacks::{AllocatorBlock, AllocatorFunctions, AllocatorMembers, HostCallback};
pub(crate) use caller::{callers_of, described, is_interpreted};
pub(crate) use exit::{at_exit, in_children, leave};
pub(crate) use guarded::{Guarded, view_of};
pub(crate) use kernels::KernelChoice;
pub(crate) use memory::{Block, copy, fill, with_all_bytes};
pub(crate) use notices::{
    Notice, OfAbort, OfDevice, OfDump, OfEnd, OfFailure, OfStart, OfStream, is_same, tell_of_dump, tell_of_failure,
};
pub(crate) use pages::{Pages, Shared, is_promised};
pub(crate) use sanitizers::{hands_over, takes_over, unpoisoned};
pub(crate) use text::CText;
pub(crate) use threads::{has_threads, is_main_thread, this_thread, thread_begins};
pub(crate) use unions::{AttributeValue, ModelAttribute, RandomParameters};
pub(crate) use violation::{Violation, on_violation};
