// ALLOC-05: the stream of a service decides on its allocator when the service is made.
use ascendcl::{BoundModel, Brand, Current, Error, Stream, stream::DefaultAllocator};

pub struct Service<C: Brand> {
    pub stream: Stream<C, DefaultAllocator>,
}

impl<C: Brand> Service<C> {
    pub fn run(&self, current: &Current<C>, model: BoundModel<C>) -> Result<BoundModel<C>, Error> {
        Ok(self.stream.execute(current, model)?.wait(current)?)
    }
}

fn main() {}
