//! Classifies handwritten digits: `cargo run --release --example quickstart`.
//!
//! Runs on the vendor's library if one is installed, else on the simulator. Set `ASCENDCL_LIBRARY` to the path of a
//! library, or to `sim`, to choose.

#![allow(clippy::indexing_slicing, reason = "the number of predictions is the number of images")]

mod digits;

use ascendcl::{Input, Library};
use digits::{CLASSES, Digits, PIXELS, data, most_likely};
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    match classify() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn classify() -> Result<(), Box<dyn Error>> {
    let digits = Digits::read()?;
    let (predictions, elapsed) = ascendcl::run(Library::VendorOrSimulator, |current| {
        let mut model = current.load_model(data("digits.onnx"))?;
        eprintln!("model: {} -> {}", model.inputs()[0], model.outputs()[0]);
        let start = Instant::now();
        let images = Input::new(&[digits.labels.len(), PIXELS], &digits.pixels)?;
        let outputs = model.run(current, &[images])?;
        let elapsed = start.elapsed();
        let probabilities = outputs.get(0)?.to_vec::<f32>()?;
        model.unload(current)?;
        Ok::<_, ascendcl::Error>((probabilities.chunks(CLASSES).map(most_likely).collect::<Vec<_>>(), elapsed))
    })?;
    for image in [0, 1, 2] {
        draw(&digits, image, predictions[image]);
    }
    let right = digits.labels.iter().zip(&predictions).filter(|(label, prediction)| label == prediction).count();
    let count = digits.labels.len();
    println!("{right} of {count} right: {:.1} %", 100.0 * right as f64 / count as f64);
    println!("{:.1} µs per image", elapsed.as_secs_f64() * 1e6 / count as f64);
    Ok(())
}

/// Draws an image in the terminal.
fn draw(digits: &Digits, image: usize, prediction: usize) {
    println!("a {}, classified as {prediction}", digits.labels[image]);
    for row in digits.image(image).chunks(8) {
        let inked = row.iter().map(|pixel| [" ", "░", "▒", "▓", "█"][(*pixel / 4.0) as usize].repeat(2));
        println!("  {}", inked.collect::<String>());
    }
}
