// COPY-03: an inner block reads a download when it was waited for.
use ascendcl::{Current, Error, HostBuffer, InScope, Pending};

pub fn first<C: InScope>(current: &Current<C>, download: Pending<C, HostBuffer<C, f32>>) -> Result<f32, Error> {
    let first = {
        let image = &download.wait(current)?;
        image[0]
    };
    let _ = current;
    Ok(first)
}

fn main() {}
