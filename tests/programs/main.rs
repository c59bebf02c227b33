//! Programs that store objects of the crate in structs: an engine, a backend with a table of tensors, a plugin, workers
//! with shared weights, a robot's task, spawned requests. None needs unsafe code or one thread per runtime.

#![deny(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod backend;
mod engine;
mod plugin;
mod pool;
mod requests;
mod robot;
mod workers;

#[path = "../common/mod.rs"]
#[allow(unsafe_code, reason = "what the tests share")]
mod common;

use common::images as digits;
#[path = "../../examples/service/mod.rs"]
mod service;
