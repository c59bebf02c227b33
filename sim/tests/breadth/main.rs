//! What programs use beside the core of the runtime: virtual memory, captured work, registered memory, batches of copies,
//! settings, compile options, profiling. And what happens where the simulator has nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(unused_unsafe, reason = "an argument of a call may be a call")]

#[macro_use]
#[allow(dead_code)]
#[path = "../model_calls/world.rs"]
mod world;

#[path = "../common/mod.rs"]
mod common;

#[allow(dead_code)]
#[path = "../model_calls/files.rs"]
mod files;

mod absent;
mod batches;
mod building;
mod cache;
mod capture;
mod capture_rules;
mod conditions;
mod device_limits;
mod exceptions;
mod external;
mod indirect;
mod labels;
mod memory_pools;
mod not_on_this_device;
mod notices;
mod notifies;
mod options;
mod order;
mod outward;
mod profiling;
mod queues;
mod random;
mod reductions;
mod registration;
mod scale;
mod settings;
mod stamps;
mod stress;
mod support;
mod tasks;
mod tensor_channels;
mod values;
mod virtual_memory;
