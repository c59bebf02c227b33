// DEV-01: streams are made in a context.
use ascendcl::{Brand, Current, Error, Stream};

pub struct Lanes<C: Brand> {
    pub lanes: Vec<Stream<C>>,
}

impl<C: Brand> Lanes<C> {
    pub fn new(current: &Current<C>, count: usize) -> Result<Self, Error> {
        let lanes = (0..count).map(|_| current.stream()).collect::<Result<_, _>>()?;
        current.synchronize()?;
        Ok(Self { lanes })
    }
}

fn main() {}
