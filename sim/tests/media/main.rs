//! Media processing: pictures in the memory of a device, cut, scaled, pasted, and taken from files and put into them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(unused_unsafe, reason = "an argument of a call may be a call")]

#[macro_use]
#[allow(dead_code)]
#[path = "../model_calls/world.rs"]
mod world;

mod batches;
mod descriptions;
mod files;
mod pictures;
mod support;
