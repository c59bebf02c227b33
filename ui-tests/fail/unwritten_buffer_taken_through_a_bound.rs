// MEM-07: being the destination of a copy opens no way past the copy.
use ascendcl::{Current, DeviceBuffer, Error, Scoped, Unnamed, stream::Destination};
use core::mem::MaybeUninit;

fn unwritten<'c, D: Destination<Scoped<'c, Unnamed>, f32>>(buffer: D) -> DeviceBuffer<Scoped<'c>, f32> {
    buffer.into_written_output()
}

fn read<'c>(
    current: &Current<Scoped<'c>>,
    buffer: DeviceBuffer<Scoped<'c>, MaybeUninit<f32>>,
) -> Result<Vec<f32>, Error> {
    unwritten(buffer).to_vec(current)
}

fn main() {}
