// COPY-04, MODEL-17: queued work takes a model by value.
use ascendcl::{BoundModel, Brand, Current, Error, Stream, stream::DefaultAllocator};

pub struct Worker<C: Brand> {
    pub stream: Stream<C, DefaultAllocator>,
    pub model: Option<BoundModel<C>>,
}

impl<C: Brand> Worker<C> {
    pub fn step(&mut self, current: &Current<C>) -> Result<(), Error> {
        if let Some(model) = &mut self.model { self.stream.run_bound(current, model)?; }
        Ok(())
    }
}

fn main() {}
