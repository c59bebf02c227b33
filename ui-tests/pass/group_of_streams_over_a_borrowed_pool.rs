// ALLOC-10: the group has the allocator that its streams share, and no other stream has it.
use ascendcl::{Brand, Current, Error, allocator::PoolAllocator, stream::AllocatorGroup};

pub fn group<C: Brand>(current: &Current<C>, pool: PoolAllocator) -> Result<(), Error> {
    let group = AllocatorGroup::new(current, pool).map_err(|failed| failed.error)?;
    drop(group);
    Ok(())
}

fn main() {}
