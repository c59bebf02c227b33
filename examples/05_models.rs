//! Models: `cargo run --example 05_models`.
//!
//! A model is loaded, run and unloaded. `run` takes tensors of the host. A model that is bound to memory of the device runs
//! on a stream, any number of times.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failure of an example ends it")]

mod digits;

use ascendcl::{Input, Library};
use digits::{Digits, PIXELS, data, most_likely};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let digits = Digits::read()?;
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let mut model = current.load_model(data("digits.onnx"))?;
        println!("1 {} -> {}", model.inputs()[0], model.outputs()[0]);

        let outputs = model.run(current, &[Input::new(&[1, PIXELS], digits.image(0))?])?;
        println!("2 the first image shows a {}", most_likely(&outputs.get(0)?.to_vec::<f32>()?));

        // A shape that the model does not take is an error before the library is asked.
        let refused = model.run(current, &[Input::new(&[1, 63], &[0.0_f32; 63])?]).unwrap_err();
        println!("3 {refused}");

        let stream = current.stream()?;
        // Mistake: execution on a stream before its allocator is decided. The library then ignores a later registration.
        // Refused: `ui-tests/fail/model_on_an_undecided_stream.rs`:
        //     error[E0277]: a stream in state `Undecided` cannot run work that allocates memory yet
        let stream = stream.without_allocator();
        let mut model = model.bind(current, &[&[1, PIXELS]], &[&[1, 10]])?;
        for image in 1..4 {
            model.write(current, 0, digits.image(image))?;
            let work = stream.execute(current, model)?;
            // Mistake: writing the next input while the model runs.
            // Refused: `ui-tests/fail/inputs_written_in_flight.rs`:
            //     error[E0382]: borrow of moved value: `model`
            model = work.wait(current)?;
            println!("4 image {image} shows a {}", most_likely(&model.read::<f32>(current, 0)?));
        }

        // Mistake: two executions of one model at once. They write to the same memory.
        // Refused: `ui-tests/fail/model_executed_twice_at_once.rs`:
        //     error[E0382]: use of moved value: `model`
        model.into_model(current)?.unload(current)?;
        // Mistake: using a model after it was unloaded.
        // Refused: `ui-tests/fail/model_used_after_unload.rs`:
        //     error[E0382]: borrow of moved value: `model`
        Ok::<_, ascendcl::Error>(())
    })?;
    Ok(())
}
