// MEM-07: being the destination of a copy opens no way past the copy.
use ascendcl::{Brand, Current, DeviceBuffer, Error};
use core::mem::MaybeUninit;

fn zeroed<C: Brand>(
    current: &Current<C>,
    buffer: DeviceBuffer<C, MaybeUninit<f32>>,
) -> Result<DeviceBuffer<C, f32>, Error> {
    Ok(buffer.zero(current)?)
}

fn read<C: Brand>(current: &Current<C>, buffer: DeviceBuffer<C, MaybeUninit<f32>>) -> Result<Vec<f32>, Error> {
    zeroed(current, buffer)?.to_vec(current)
}

fn main() {}
