//! The caller's own memory for work that the library allocates for: single operators and models with free shapes.

mod arena;
pub mod descriptor;
mod pool;

pub use arena::PoolStatistics;
pub use descriptor::Descriptor;
pub use pool::{PoolAllocator, PoolBlock};
