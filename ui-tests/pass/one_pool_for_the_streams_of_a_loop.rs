// ALLOC-10: each stream of a loop has an allocator of its own.
use ascendcl::{Brand, Current, Error, allocator::PoolAllocator};

pub fn streams<C: Brand>(current: &Current<C>) -> Result<(), Error> {
    for _ in 0..2 {
        let pool = PoolAllocator::new(current, 4096)?;
        drop(current.stream()?.register(current, pool)?);
    }
    Ok(())
}

fn main() {}
