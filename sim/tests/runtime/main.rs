//! The runtime of the simulator: devices, contexts, streams, events, callbacks, memory, errors.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
mod support;

mod callbacks;
mod devices;
mod events;
mod handles;
mod measured;
mod memory;
mod queues;
mod settings;
mod streams;
mod stress;
mod text;
