//! Whether an answer is the expected one.

use crate::tensor::{Tensor, size};
use half::f16;
use rten_onnx::onnx::DataType;

/// From one number of 16 bits with a fraction to the next, as a part of it, at most.
const STEP: f64 = 1.0 / 1024.0;

/// What is wrong with an output, if anything. Without a tolerance the elements are not looked at. Integers and truth values have to be equal, numbers with a fraction within
/// the tolerance.
pub(crate) fn difference(
    expected: &Tensor,
    dims: &[i64],
    bytes: &[u8],
    tolerance: Option<(f64, f64)>,
) -> Option<String> {
    if dims != expected.dims {
        return Some(format!("dims {dims:?}, expected {:?}", expected.dims));
    }
    let tolerance = tolerance?;
    let width = size(expected.kind)?;
    // Sums of the greatest elements are rounded by as much, also where they come to nothing.
    let numbers = expected.bytes.chunks(width).filter_map(|bytes| number(expected.kind, bytes));
    let greatest = numbers.map(f64::abs).filter(|number| number.is_finite()).fold(0.0, f64::max);
    // Each node rounds to 16 bits: what several give may be two numbers away from what the exact one is nearest to.
    let relative = if expected.kind == DataType::FLOAT16 { tolerance.0.max(2.0 * STEP) } else { tolerance.0 };
    let tolerance = (relative, tolerance.1.max(greatest * f64::from(f32::EPSILON)));
    let pairs = bytes.chunks(width).zip(expected.bytes.chunks(width)).enumerate();
    for (index, (found, wanted)) in pairs {
        let same = match (number(expected.kind, found), number(expected.kind, wanted)) {
            (Some(found), Some(wanted)) => close(found, wanted, tolerance),
            _ => found == wanted,
        };
        if !same {
            let shown = |bytes| number(expected.kind, bytes).map_or(format!("{bytes:?}"), |number| number.to_string());
            return Some(format!("element {index} is {}, expected {}", shown(found), shown(wanted)));
        }
    }
    None
}

fn close(found: f64, wanted: f64, (relative, absolute): (f64, f64)) -> bool {
    found == wanted
        || (found.is_nan() && wanted.is_nan())
        || (found - wanted).abs() <= absolute + relative * wanted.abs()
}

fn number(kind: DataType, bytes: &[u8]) -> Option<f64> {
    match kind {
        DataType::FLOAT => Some(f32::from_le_bytes(bytes.try_into().ok()?).into()),
        DataType::DOUBLE => Some(f64::from_le_bytes(bytes.try_into().ok()?)),
        DataType::FLOAT16 => Some(f16::from_le_bytes(bytes.try_into().ok()?).into()),
        _ => None,
    }
}
