// ALLOC-15: where a stream's work gets its memory is decided once, before its first execution.
use ascendcl::{BoundModel, Brand, Current, Error};

pub fn classify<C: Brand>(current: &Current<C>, mut model: BoundModel<C>) -> Result<BoundModel<C>, Error> {
    let stream = current.stream()?;
    for _ in 0..3 {
        let stream = stream.without_allocator();
        model = stream.execute(current, model)?.wait(current)?;
    }
    Ok(model)
}

fn main() {}
