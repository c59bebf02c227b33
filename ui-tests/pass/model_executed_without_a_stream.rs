// MODEL-17: a model runs and waits, or is queued on a stream.
use ascendcl::{Brand, Current, Error, Input, Model};

pub struct Classifier<C: Brand> {
    pub model: Model<C>,
}

impl<C: Brand> Classifier<C> {
    pub fn classify(&mut self, current: &mut Current<C>, pixels: &[f32; 64]) -> Result<Vec<f32>, Error> {
        let inputs = [Input::new(&[1, 64], pixels)?];
        let outputs = self.model.run(current, &inputs)?;
        outputs.get(0)?.to_vec()
    }
}

fn main() {}
