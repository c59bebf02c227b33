//! The caller's allocators, which provide memory for single operators and for models with dynamic shapes.

mod arena;
pub mod descriptor;
mod pool;
mod recent;
mod size_class;

pub use arena::PoolStatistics;
pub use descriptor::Descriptor;
pub use pool::{PoolAllocator, PoolBlock};
