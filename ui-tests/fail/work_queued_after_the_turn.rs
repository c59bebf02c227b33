// ALLOC-10: a stream of a group takes work for the length of its turn.
use ascendcl::{Current, DeviceAllocator, DeviceBuffer, Error, Permit, Tasks, Turn};

fn zero<'c, A: DeviceAllocator>(
    current: &Current<'c>,
    turn: Turn<'c, '_, A>,
    buffer: DeviceBuffer<'c, f32>,
) -> Result<Permit<'c, A>, Error> {
    let tasks: &Tasks<'c> = &turn;
    let permit = turn.finish(current).map_err(|undone| undone.error)?;
    drop(tasks.set_bytes(current, buffer, 0)?);
    Ok(permit)
}

fn main() {}
