// MEM-07: being the destination of a copy opens no way past the copy.
use ascendcl::{Current, Destination, DeviceBuffer, Error, Unnamed};
use core::mem::MaybeUninit;

fn unwritten<'c, D: Destination<'c, f32, Unnamed>>(buffer: D) -> DeviceBuffer<'c, f32> {
    buffer.written()
}

fn read<'c>(current: &Current<'c>, buffer: DeviceBuffer<'c, MaybeUninit<f32>>) -> Result<Vec<f32>, Error> {
    unwritten(buffer).to_vec(current)
}

fn main() {}
