// COPY-03: being an operand of queued work opens no way to the memory in flight.
use ascendcl::{Current, Error, HostBuffer, InScope, Pending};

fn peeks(image: &HostBuffer<impl InScope, f32>) -> f32 {
    image[0]
}

fn first<C: InScope>(current: &Current<C>, copy: Pending<C, HostBuffer<C, f32>>) -> Result<f32, Error> {
    Ok(peeks(&copy.wait(current)?))
}

fn main() {}
