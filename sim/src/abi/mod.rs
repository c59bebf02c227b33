//! The C side: one exported function per simulated line of the table, made of nothing but argument conversion, the
//! call of the function of the same name in [`calls`](crate::calls), and conversion of the result.
//!
//! All unsafe code of this crate is here. It rests on one contract, that of every C caller: pointers that are not null
//! point to what the vendor's signature says, for the length of the call (memory handed to an asynchronous call: until
//! the stream has been synchronised).

#![allow(unsafe_code)]

mod arguments;
mod callbacks;
mod caller;
mod exit;
mod memory;
mod notices;
mod pages;
mod results;
mod shells;
mod threads;

pub(crate) use arguments::{Address, AttributeValue, In, InOut, Name, Opaque, Out, RandomParameters, Text};
pub(crate) use callbacks::{AllocatorBlock, AllocatorFunctions, AllocatorMembers, HostCallback};
pub(crate) use caller::caller_of;
pub(crate) use exit::{at_exit, leave};
pub(crate) use memory::{Block, copy, fill};
pub(crate) use notices::{Notice, OfAbort, OfDevice, OfEnd, OfFailure, OfStart, OfStream, is_same, tell_of_failure};
pub(crate) use pages::{Pages, Shared};
pub(crate) use results::Text as CText;
pub use shells::{exports, resolve};
pub(crate) use threads::this_thread;
