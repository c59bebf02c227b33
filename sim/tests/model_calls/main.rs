//! Models through the C functions: loading, describing, datasets, gears, running, and every misuse of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(unused_unsafe, reason = "an argument of a call may be a call")]

#[macro_use]
mod world;
mod files;

mod asynchronous;
mod descriptions;
mod dumps;
mod gears;
mod loading;
mod objects;
mod preprocessing;
mod settings;
mod synchronous;
