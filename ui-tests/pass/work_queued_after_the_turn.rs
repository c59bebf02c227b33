// ALLOC-10: a stream of a group takes work for the length of its turn.
use ascendcl::{Brand, Current, DeviceAllocator, DeviceBuffer, Error, Permit, Tasks, Turn};

fn zero<C: Brand, A: DeviceAllocator>(
    current: &Current<C>,
    turn: Turn<'_, C, A>,
    buffer: DeviceBuffer<C, f32>,
) -> Result<Permit<C, A>, Error> {
    let tasks: &Tasks<C> = &turn;
    drop(tasks.set_bytes(current, buffer, 0)?);
    let permit = turn.finish(current).map_err(|undone| undone.error)?;
    Ok(permit)
}

fn main() {}
