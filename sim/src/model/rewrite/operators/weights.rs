//! Which elements of an axis, and how much of each, make the elements of the resized axis.

use crate::model::rewrite::attributes::Attributes;
use crate::model::rewrite::{Refusal, refuse};
use rten_onnx::onnx::NodeProto;

/// One axis that is resized.
pub(super) struct Line {
    pub(super) input: i64,
    pub(super) output: i64,
    pub(super) scale: f64,
    /// Where the part that is resized starts and ends, as parts of the axis.
    pub(super) region: (f64, f64),
}

impl Line {
    pub(super) fn kept(size: i64) -> Self {
        Self { input: size, output: size, scale: 1.0, region: (0.0, 1.0) }
    }

    /// Where an element of the output lies in the input, as `f32` counts it: by that the nearest is decided elsewhere, too.
    fn source(&self, counting: &str, place: i64) -> Result<f64, Refusal> {
        let (x, input, scale) = (place as f32, self.input as f32, self.scale as f32);
        // Not rounded down: so the standard counts where scales are given.
        let resized = input * scale;
        Ok(f64::from(match counting {
            "" | "half_pixel" => (x + 0.5) / scale - 0.5,
            "half_pixel_symmetric" => {
                let moved = input / 2.0 * (1.0 - self.output as f32 / resized);
                moved + (x + 0.5) / scale - 0.5
            }
            "pytorch_half_pixel" if self.output == 1 => 0.0,
            "pytorch_half_pixel" => (x + 0.5) / scale - 0.5,
            "align_corners" if resized == 1.0 => 0.0,
            "align_corners" => x * (input - 1.0) / (resized - 1.0),
            "asymmetric" => x / scale,
            "tf_crop_and_resize" => {
                let (start, end) = (self.region.0 as f32, self.region.1 as f32);
                match resized > 1.0 {
                    true => start * (input - 1.0) + x * (end - start) * (input - 1.0) / (resized - 1.0),
                    false => 0.5 * (start + end) * (input - 1.0),
                }
            }
            other => {
                return refuse("coordinate_transformation_mode", &format!("\"{other}\""), "the standard has no such");
            }
        }))
    }
}

/// The element that each element of the output is.
pub(super) fn positions(counting: &str, rounding: &str, line: &Line) -> Result<Vec<i64>, Refusal> {
    let near = |place: i64| {
        let at = line.source(counting, place)?;
        let chosen = match rounding {
            "" | "round_prefer_floor" => (at - 0.5).ceil(),
            "round_prefer_ceil" => (at + 0.5).floor(),
            "floor" => at.floor(),
            "ceil" => at.ceil(),
            other => return refuse("nearest_mode", &format!("\"{other}\""), "the standard has no such"),
        };
        Ok((chosen as i64).clamp(0, line.input - 1))
    };
    (0..line.output).map(near).collect()
}

/// A matrix of the input's elements by the output's, and which elements of the output lie outside of the input; `None`
/// for a mode that is no product.
pub(super) fn weights(node: &NodeProto, line: &Line) -> Result<Option<(Vec<f32>, Vec<bool>)>, Refusal> {
    let counting = node.text("coordinate_transformation_mode");
    let sharpness = f64::from(node.float("cubic_coeff_a", -0.75));
    let excludes = node.int("exclude_outside", 0) != 0;
    // Fewer elements are made of more when the edges are smoothed.
    let narrow = if node.int("antialias", 0) != 0 { line.scale.min(1.0) } else { 1.0 };
    let reach = match node.text("mode") {
        "linear" => 1.0,
        "cubic" => 2.0,
        "" | "nearest" => 0.0,
        _ => return Ok(None),
    };
    let (input, output) = (usize::try_from(line.input).unwrap_or(0), usize::try_from(line.output).unwrap_or(0));
    let mut matrix = vec![0.0_f64; input.saturating_mul(output)];
    let mut outside = Vec::with_capacity(output);
    let nearest = if reach == 0.0 { positions(counting, node.text("nearest_mode"), line)? } else { Vec::new() };
    for (column, place) in (0..line.output).enumerate() {
        let at = line.source(counting, place)?;
        outside.push(counting == "tf_crop_and_resize" && !(0.0..=line.input as f64 - 1.0).contains(&at));
        let mut parts: Vec<(i64, f64)> = Vec::new();
        if reach == 0.0 {
            parts.push((nearest.get(column).copied().unwrap_or(0), 1.0));
        } else {
            let width = reach / narrow;
            let (first, last) = ((at - width).floor() as i64, (at + width).ceil() as i64);
            for element in first..=last {
                let distance = ((element as f64 - at) * narrow).abs();
                let part = if reach == 1.0 { (1.0 - distance).max(0.0) } else { cubic(distance, sharpness) };
                let inside = (0..line.input).contains(&element);
                if part != 0.0 && (inside || !excludes) {
                    parts.push((element.clamp(0, line.input - 1), part));
                }
            }
        }
        let all: f64 = if excludes || narrow < 1.0 { parts.iter().map(|(_, part)| part).sum() } else { 1.0 };
        for (element, part) in parts {
            let row = usize::try_from(element).unwrap_or(0);
            if let Some(cell) = matrix.get_mut(row * output + column) {
                *cell += part / all;
            }
        }
    }
    Ok(Some((matrix.into_iter().map(|value| value as f32).collect(), outside)))
}

/// The part that an element at this distance has in a cubic curve.
fn cubic(distance: f64, a: f64) -> f64 {
    let (x, square, cube) = (distance, distance * distance, distance * distance * distance);
    match distance {
        _ if x <= 1.0 => (a + 2.0) * cube - (a + 3.0) * square + 1.0,
        _ if x < 2.0 => a * cube - 5.0 * a * square + 8.0 * a * x - 4.0 * a,
        _ => 0.0,
    }
}
