// COPY-03: being an operand of queued work opens no way to the memory in flight.
use ascendcl::{Current, Error, HostBuffer, Operand, Pending};

fn peeks<'c, W: Operand<'c, HostBuffer<'c, f32>>>(work: &W) -> f32 {
    work.look()[0]
}

fn first<'c>(_current: &Current<'c>, copy: Pending<'c, HostBuffer<'c, f32>>) -> Result<f32, Error> {
    Ok(peeks(&copy))
}

fn main() {}
