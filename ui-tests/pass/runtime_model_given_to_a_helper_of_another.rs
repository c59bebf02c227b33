// MODEL-01: a model runs while the context that it was loaded in is current.
use ascendcl::{Brand, Current, Error, Input, Model, Runtime};

ascendcl::names!(Vision, Speech);

fn scores<C: Brand>(current: &mut Current<C>, model: &mut Model<C>, image: &[f32]) -> Result<Vec<f32>, Error> {
    model.run(current, &[Input::new(&[1, 64], image)?])?.get(0)?.to_vec()
}

pub fn both(runtimes: (&Runtime<Vision>, &Runtime<Speech>), words: &mut Model<Speech>) -> Result<Vec<f32>, Error> {
    runtimes.1.with(|current| scores(current, words, &[0.0; 64]))?
}

fn main() {}
