//! What the simulator finds: each misuse through the C calls, and its repaired twin.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../model_calls/files.rs"]
#[expect(dead_code, reason = "other tests have more models")]
mod files;
mod support;

mod answered;
mod arguments;
mod blameless;
mod bounds;
mod built;
mod by_the_code;
mod callbacks;
mod casebook;
mod consequences;
mod contexts;
mod documented;
mod ended_early;
mod follow_ups;
mod graphs;
mod mapped;
mod memory;
mod missing;
mod models;
mod modes;
mod operators;
mod outward;
mod pictures;
mod pools;
mod projects;
mod projects_go_on;
mod reachable;
mod refused;
mod reporting;
mod sharing;
mod sources;
mod streams;
mod threads;
mod told;
mod unnamed;
mod virtual_memory;
mod working_memory;
