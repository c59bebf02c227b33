//! A model classifies an image, on a stream.
//!
//! Repair it: the stream does not know yet who gives memory to the model's run.

use ascendcl::{Error, Library, RunError};

fn main() -> Result<(), RunError<Error>> {
    ascendcl::run(Library::Simulator, |current| {
        let stream = current.stream()?;
        let model = current.load_model("../examples/data/digits.onnx")?;
        let mut model = model.bind(current, &[&[1, 64]], &[&[1, 10]])?;
        model.write(current, 0, &[0.0_f32; 64])?;
        let model = stream.execute(current, model)?.wait(current)?;
        assert_eq!(model.read::<f32>(current, 0)?.len(), 10);
        Ok(())
    })
}
