//! The caller's allocators. `tests/null/bookkeeper/` takes the place of the library: it asks a stream's allocator for
//! memory at each queued copy, and records the order of calls.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod blocks;
mod captured;
#[path = "../common/mod.rs"]
mod common;
mod functions;
mod life;
mod methods;
#[path = "../null/mod.rs"]
mod null;
mod pool;
mod ready_pool;
mod registration;
