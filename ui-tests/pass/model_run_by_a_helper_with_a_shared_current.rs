// GRAPH-04: running a model waits for it, so the current context is not lent to a capture at that time.
use ascendcl::{Brand, Current, Error, Input, Model};

pub fn classify<C: Brand>(
    current: &mut Current<C>,
    model: &mut Model<C>,
    pixels: &[f32; 64],
) -> Result<Vec<f32>, Error> {
    let outputs = model.run(current, &[Input::new(&[1, 64], pixels)?])?;
    outputs.get(0)?.to_vec()
}

fn main() {}
