//! What goes wrong on purpose: plans, and devices in trouble.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code, unused_imports)]
#[path = "../findings/support.rs"]
mod support;

mod endings;
mod endless;
mod plans;
mod threads;
mod trouble;
