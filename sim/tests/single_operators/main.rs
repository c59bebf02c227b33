//! Single operators and the callers' allocators, as a C program meets them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code, unused_imports)]
#[path = "../runtime/support.rs"]
mod support;

#[allow(dead_code)]
#[path = "../model_calls/files.rs"]
mod files;

#[macro_use]
mod tensors;
mod pool;

mod allocators;
mod arguments;
mod blas;
mod finding;
mod handles;
mod kernels;
mod misuse;
mod models;
mod order;
mod reentrance;
mod refusals;
mod results;
