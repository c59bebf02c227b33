// ALLOC-05: an allocator is decided before the first execution.
use ascendcl::{Current, Error, Prepared};

fn classify<'c>(current: &Current<'c>, model: Prepared<'c>) -> Result<(), Error> {
    let stream = current.stream()?;
    stream.execute(current, model)?.wait(current)?;
    Ok(())
}

fn main() {}
