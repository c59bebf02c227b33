// COPY-03: being an operand of queued work opens no way to the memory in flight.
use ascendcl::{Current, Error, HostBuffer, InScope, Pending, stream::Operand};

fn peeks<C: InScope, W: Operand<C, HostBuffer<C, f32>>>(work: &W) -> f32 {
    work.operand_value()[0]
}

fn first<C: InScope>(_current: &Current<C>, copy: Pending<C, HostBuffer<C, f32>>) -> Result<f32, Error> {
    Ok(peeks(&copy))
}

fn main() {}
