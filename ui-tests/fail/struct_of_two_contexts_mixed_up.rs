// STREAM-09: a struct with two contexts uses each stream with its own `Current`.
use ascendcl::{Brand, Current, Error, Stream};

pub struct Pair<A: Brand, B: Brand> {
    pub first: Stream<A>,
    pub second: Stream<B>,
}

impl<A: Brand, B: Brand> Pair<A, B> {
    pub fn wait(&self, first: &Current<A>, second: &Current<B>) -> Result<(), Error> {
        self.first.synchronize(second)?;
        self.second.synchronize(second)
    }
}

fn main() {}
