// ALLOC-10: a stream of a group takes work for the length of its turn.
use ascendcl::{Brand, Current, DeviceAllocator, DeviceBuffer, Error, stream::{AllocatorGroup, StreamOps, GroupTurn}};

fn zero<C: Brand, A: DeviceAllocator>(
    current: &Current<C>,
    turn: GroupTurn<'_, C, A>,
    buffer: DeviceBuffer<C, f32>,
) -> Result<AllocatorGroup<C, A>, Error> {
    let tasks: &StreamOps<C> = &turn;
    drop(tasks.set_bytes(current, buffer, 0)?);
    let group = turn.finish(current).map_err(|failed| failed.error)?;
    Ok(group)
}

fn main() {}
