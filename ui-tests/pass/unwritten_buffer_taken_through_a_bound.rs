// MEM-07: being the destination of a copy opens no way past the copy.
use ascendcl::{Current, DeviceBuffer, Error};
use core::mem::MaybeUninit;

fn zeroed<'c>(current: &Current<'c>, buffer: DeviceBuffer<'c, MaybeUninit<f32>>) -> Result<DeviceBuffer<'c, f32>, Error> {
    Ok(buffer.zero(current)?)
}

fn read<'c>(current: &Current<'c>, buffer: DeviceBuffer<'c, MaybeUninit<f32>>) -> Result<Vec<f32>, Error> {
    zeroed(current, buffer)?.to_vec(current)
}

fn main() {}
