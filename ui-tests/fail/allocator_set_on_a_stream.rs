// ALLOC-04: a stream gets its allocator before its first work, and is returned.
use ascendcl::{Brand, Current, Error, allocator::PoolAllocator};

pub fn pooled<C: Brand>(current: &Current<C>, streams: usize) -> Result<(), Error> {
    for _ in 0..streams {
        let pool = PoolAllocator::new(current, 1 << 20)?;
        current.stream()?.set_allocator(pool)?;
    }
    Ok(())
}

fn main() {}
