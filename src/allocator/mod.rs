//! The caller's allocators, which provide memory for single operators and for models with dynamic shapes.

mod arena;
pub mod descriptor;
mod pool;
mod recent;
#[cfg(test)]
mod recent_tests;
mod size_class;

// The primitives that `recent` uses. The loom tests replace them with loom's.
use core::sync::atomic;

pub use arena::PoolStatistics;
pub use descriptor::Descriptor;
pub use pool::{PoolAllocator, PoolBlock};
