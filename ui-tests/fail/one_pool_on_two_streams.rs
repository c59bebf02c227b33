// ALLOC-10: a pool serves one stream; the second has one of its own.
use ascendcl::{Current, Error, Runtime, allocator::PoolAllocator};

ascendcl::names!(Vision);

pub fn pools(current: &Current<Vision>) -> Result<[PoolAllocator; 2], Error> {
    Ok([PoolAllocator::new(current, 4096)?, PoolAllocator::new(current, 4096)?])
}

pub fn streams(runtime: &Runtime<Vision>) -> Result<(), Error> {
    runtime.with(|current| {
        let [pool, other] = pools(current)?;
        let one = current.stream()?.register(current, pool)?;
        let two = current.stream()?.register(current, pool)?;
        drop((one, two, other));
        Ok(())
    })?
}

fn main() {}
