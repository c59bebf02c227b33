// ALLOC-15: after an operator ran with the library's own memory, a registration would be ignored.
use ascendcl::{Brand, Current, DeviceAllocator, Error, operator, operator::DeviceTensor};

pub fn warm_up<C: Brand, A: DeviceAllocator>(
    current: &Current<C>,
    x: DeviceTensor<C, f32>,
    pool: A,
) -> Result<(), Error> {
    let stream = current.stream()?.register(current, pool)?;
    stream.launch(current, operator::relu(current, x)?)?.wait(current)?;
    Ok(stream.destroy(current)?)
}

fn main() {}
