//! Sessions of the graph engine on its double. The shim is the same one that is compiled with a toolkit.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/null/mod.rs"]
mod null;

mod abi;
mod allocators;
mod attacks;
mod contexts;
mod engine;
mod failures;
mod forgotten;
mod graphs;
mod life_cycle;
mod memory;
mod owned;
mod support;
mod toolkit;
mod wrapper;
