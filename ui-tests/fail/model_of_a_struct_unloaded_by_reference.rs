// MODEL-14: who unloads the model of a struct ends the struct.
use ascendcl::{Brand, Current, Error, Model};

pub struct Service<C: Brand> {
    pub model: Model<C>,
}

impl<C: Brand> Service<C> {
    pub fn end(&mut self, current: &Current<C>) -> Result<(), Error> {
        Ok(self.model.unload(current)?)
    }
}

fn main() {}
