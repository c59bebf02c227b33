// ALLOC-11: nothing is queued on a stream while there is a proof that it is idle.
use ascendcl::{Brand, Current, Error, Stream, operator, operator::DeviceTensor, allocator::PoolAllocator, stream::CustomAllocator};

pub fn trim<C: Brand>(
    current: &Current<C>,
    stream: &mut Stream<C, CustomAllocator<PoolAllocator>>,
    x: DeviceTensor<C, f32>,
) -> Result<(), Error> {
    let idle = stream.idle(current)?;
    idle.trim(current)?;
    let running = stream.launch(current, operator::relu(current, x)?)?;
    running.wait(current)?;
    Ok(())
}

fn main() {}
