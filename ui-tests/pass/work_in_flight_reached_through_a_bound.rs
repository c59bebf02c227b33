// COPY-03: being an operand of queued work opens no way to the memory in flight.
use ascendcl::{Current, Error, HostBuffer, Pending};

fn peeks(image: &HostBuffer<'_, f32>) -> f32 {
    image[0]
}

fn first<'c>(current: &Current<'c>, copy: Pending<'c, HostBuffer<'c, f32>>) -> Result<f32, Error> {
    Ok(peeks(&copy.wait(current)?))
}

fn main() {}
