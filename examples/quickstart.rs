//! Classifies handwritten digits: `cargo run --release --example quickstart`.
//!
//! Runs on the vendor's library if one is installed, else on the simulator. `ASCENDCL_LIBRARY` chooses: the path of a
//! library, or `sim`.

#![allow(clippy::indexing_slicing, reason = "the file's format says how many pixels there are")]

use ascendcl::{Input, Library};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
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
    let digits = Digits::read(&data("digits-test.csv"))?;
    let (predictions, elapsed) = ascendcl::run(Library::VendorOrSimulator, |current| {
        let mut model = current.load_model(data("digits.onnx"))?;
        eprintln!("model: {} -> {}", model.inputs()[0], model.outputs()[0]);
        let start = Instant::now();
        let images = Input::new(&[digits.labels.len(), 64], &digits.pixels)?;
        let outputs = model.run(current, &[images])?;
        let elapsed = start.elapsed();
        let probabilities = outputs.get(0)?.to_vec::<f32>()?;
        model.unload(current)?;
        Ok::<_, ascendcl::Error>((probabilities.chunks(10).map(most_likely).collect::<Vec<_>>(), elapsed))
    })?;
    for image in [0, 1, 2] {
        digits.draw(image, predictions[image]);
    }
    let right = digits.labels.iter().zip(&predictions).filter(|(label, prediction)| label == prediction).count();
    let count = digits.labels.len();
    println!("{right} of {count} right: {:.1} %", 100.0 * right as f64 / count as f64);
    println!("{:.1} µs per image", elapsed.as_secs_f64() * 1e6 / count as f64);
    Ok(())
}

fn most_likely(probabilities: &[f32]) -> usize {
    (0..probabilities.len()).max_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b])).unwrap_or(0)
}

/// Images of 8 × 8 pixels, from 0 (paper) to 16 (ink), and the digit that each shows.
struct Digits {
    labels: Vec<usize>,
    pixels: Vec<f32>,
}

impl Digits {
    /// One image a line: the label, then 64 pixels, row by row.
    fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (mut labels, mut pixels) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let mut numbers = line.split(',');
            labels.push(numbers.next().unwrap_or_default().parse()?);
            for pixel in numbers {
                pixels.push(pixel.parse()?);
            }
        }
        Ok(Self { labels, pixels })
    }

    fn draw(&self, image: usize, prediction: usize) {
        println!("a {}, read as {prediction}", self.labels[image]);
        for row in self.pixels[64 * image..64 * (image + 1)].chunks(8) {
            let inked = row.iter().map(|pixel| [" ", "░", "▒", "▓", "█"][(*pixel / 4.0) as usize].repeat(2));
            println!("  {}", inked.collect::<String>());
        }
    }
}

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(file)
}
