// MEM-06: a stream allocates no memory.
use ascendcl::{Brand, Current, DeviceBuffer, Error, Stream};

pub struct Worker<C: Brand> {
    pub stream: Stream<C>,
}

impl<C: Brand> Worker<C> {
    pub fn scratch(&self, current: &Current<C>, length: usize) -> Result<DeviceBuffer<C, f32>, Error> {
        self.stream.synchronize(current)?;
        self.stream.alloc_zeros(length)
    }
}

fn main() {}
