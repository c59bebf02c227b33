// ALLOC-05: a task decides on the allocator of its stream before it executes.
use ascendcl::{BoundModel, Brand, Current, Error, Stream};

pub async fn classify<C: Brand>(current: &Current<C>, stream: Stream<C>, model: BoundModel<C>) -> Result<(), Error> {
    let task = async move {
        let running = stream.without_allocator().execute(current, model)?;
        running.wait(current)?;
        Ok(())
    };
    task.await
}

fn main() {}
