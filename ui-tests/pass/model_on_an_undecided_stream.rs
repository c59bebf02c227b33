// ALLOC-05: an allocator is decided before the first execution.
use ascendcl::{Brand, Current, Error, BoundModel};

fn classify<C: Brand>(current: &Current<C>, model: BoundModel<C>) -> Result<(), Error> {
    let stream = current.stream()?;
    stream.without_allocator().execute(current, model)?.wait(current)?;
    Ok(())
}

fn main() {}
