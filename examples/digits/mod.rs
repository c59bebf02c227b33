//! The images of handwritten digits in `examples/data/digits-test.csv`, which the examples classify.
//!
//! `examples/data/README.md` describes the file and the models.

#![allow(dead_code, reason = "each example uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

/// The pixels of an image: 8 × 8, row by row.
pub(crate) const PIXELS: usize = 64;
/// The scores that the model computes for an image: one per digit.
pub(crate) const CLASSES: usize = 10;

/// Labelled images. A pixel is between 0 (paper) and 16 (ink).
pub(crate) struct Digits {
    /// The digit that each image shows.
    pub(crate) labels: Vec<usize>,
    /// The pixels of all images, one image after the other.
    pub(crate) pixels: Vec<f32>,
}

impl Digits {
    pub(crate) fn read() -> Result<Self, String> {
        let (mut labels, mut pixels) = (Vec::new(), Vec::new());
        for (label, text) in lines()? {
            labels.push(label);
            let numbers = text.split(',').map(number::<f32>);
            pixels.extend(numbers.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(Self { labels, pixels })
    }

    /// The pixels of the first `count` images.
    pub(crate) fn first(&self, count: usize) -> &[f32] {
        self.pixels.get(..PIXELS * count).unwrap_or_default()
    }

    /// The pixels of one image.
    pub(crate) fn image(&self, index: usize) -> &[f32] {
        self.pixels.get(PIXELS * index..PIXELS * (index + 1)).unwrap_or_default()
    }

    /// Counts the images that the model classified correctly. `scores` has a row for each of the first images.
    pub(crate) fn right(&self, scores: &[f32]) -> usize {
        scores.chunks(CLASSES).zip(&self.labels).filter(|(scores, label)| most_likely(scores) == **label).count()
    }
}

/// Each image as it is in the file: its label, and its pixels as text.
pub(crate) fn lines() -> Result<Vec<(usize, String)>, String> {
    let path = data("digits-test.csv");
    let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let image = |line: &str| {
        let (label, pixels) = line.split_once(',').ok_or_else(|| format!("no pixels in the line `{line}`"))?;
        Ok((number(label)?, pixels.to_owned()))
    };
    text.lines().map(image).collect()
}

/// The digit with the highest score.
pub(crate) fn most_likely(scores: &[f32]) -> usize {
    scores.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(digit, _)| digit)
}

/// The path of a file in `examples/data`.
pub(crate) fn data(file: &str) -> PathBuf {
    // Tests of packages below this one use this file, too.
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("examples/data"));
    folders.find(|folder| folder.is_dir()).unwrap_or_default().join(file)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error| format!("`{text}` is not a number: {error}"))
}
