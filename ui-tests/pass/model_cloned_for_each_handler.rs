// MODEL-16: threads that share a model hold one lock over it; a clone would be a model without the lock.
use ascendcl::{Error, Input, Model, Outputs, Runtime};
use std::sync::{Arc, Mutex, PoisonError};

ascendcl::names!(Vision);

pub struct Handler {
    runtime: Arc<Runtime<Vision>>,
    model: Arc<Mutex<Model<Vision>>>,
}

impl Handler {
    pub fn handle(&self, pixels: &[f32]) -> Result<Outputs, Error> {
        let mut model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        self.runtime.with(|current| model.run(current, &[Input::new(&[1, 64], pixels)?]))?
    }
}

fn main() {}
