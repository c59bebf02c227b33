// ALLOC-13: an execution allocates, so the stream's allocator is decided first.
use ascendcl::{BoundModel, Current, Error, Runtime};

ascendcl::names!(Vision);

pub fn run(runtime: &Runtime<Vision>, model: &mut BoundModel<Vision>) -> Result<Vec<f32>, Error> {
    runtime.with(|current: &mut Current<Vision>| {
        let stream = current.stream()?;
        stream.run_bound(current, model)?;
        model.read(current, 0)
    })?
}

fn main() {}
