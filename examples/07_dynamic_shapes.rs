//! Dynamic shapes: `cargo run --example 07_dynamic_shapes`.
//!
//! A model may take batches of any size, and an output may have a shape that only the run tells. A bound model has memory for
//! the largest batch and is told the shape of each one.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failure of an example ends it")]

mod digits;

use ascendcl::{Library, model::OutputBuffer};
use digits::{CLASSES, Digits, PIXELS, data};
use std::error::Error;

const LARGEST: usize = 32;

fn main() -> Result<(), Box<dyn Error>> {
    let digits = Digits::read()?;
    ascendcl::run(Library::VendorOrSimulator, |current| {
        let model = current.load_model(data("digits.onnx"))?;
        println!("1 a size that is open: {}", model.inputs()[0]);

        let room = [OutputBuffer::AtMost(LARGEST * CLASSES)];
        let mut model = model.bind_with(current, &[&[LARGEST, PIXELS]], &room)?;
        for batch in [LARGEST, 5, 1] {
            model.reshape(current, &[&[batch, PIXELS]])?;
            model.write(current, 0, digits.first(batch))?;
            model.run(current)?;
            let (shape, scores) = (model.output_shape(current, 0)?, model.read::<f32>(current, 0)?);
            println!("2 batch of {batch}: output {shape:?}, {} right", digits.right(&scores));
        }

        // Mistake: a batch that is larger than the memory. The C library writes beyond the end of the buffer.
        let refused = model.reshape(current, &[&[LARGEST + 1, PIXELS]]).unwrap_err();
        println!("3 {refused}");
        Ok::<_, ascendcl::Error>(())
    })?;
    Ok(())
}
