// STREAM-08: who destroys the stream of a struct ends the struct.
use ascendcl::{Brand, Current, Error, Stream};

pub struct Worker<C: Brand> {
    pub stream: Stream<C>,
}

pub fn end<C: Brand>(current: &Current<C>, workers: Vec<Worker<C>>) -> Result<(), Error> {
    for worker in &workers {
        worker.stream.destroy(current)?;
    }
    Ok(())
}

fn main() {}
