// ALLOC-10: streams that run side by side have allocators of their own.
use ascendcl::{Brand, Current, Error, Stream, allocator::PoolAllocator, stream::CustomAllocator};
use std::sync::Arc;

pub struct Engine<C: Brand> {
    pub pool: Arc<PoolAllocator>,
    pub streams: Vec<Stream<C, CustomAllocator<PoolAllocator>>>,
}

impl<C: Brand> Engine<C> {
    pub fn add(&mut self, current: &Current<C>) -> Result<(), Error> {
        let pool = PoolAllocator::new(current, 4096)?;
        self.streams.push(current.stream()?.register(current, pool).map_err(|failed| failed.error)?);
        Ok(())
    }
}

fn main() {}
