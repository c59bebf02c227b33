//! Constants: those of types that the engine lacks become such as it has, and none becomes another number unnoticed.

use super::scope::{Known, is_carried};
use crate::model::port::Element;
use rten_onnx::onnx::{DataType, TensorProto};
use std::cell::RefCell;

/// How many elements of a constant are worth knowing.
const FEW: usize = 64;

/// Makes a constant one that the engine reads rightly, and says what is known of it; an error says what is wrong.
pub(super) fn prepare(tensor: &mut TensorProto) -> Result<Known, String> {
    complete(tensor)?;
    let element = tensor.data_type;
    let dims = Some(tensor.dims.iter().map(|&dim| Some(dim)).collect());
    let mut known = Known { element, dims, ..Default::default() };
    match element {
        Some(DataType::INT64 | DataType::INT32 | DataType::INT8 | DataType::UINT8 | DataType::BOOL) => {
            let values = integers(tensor);
            known.too_large = values.iter().copied().find(|value| i32::try_from(*value).is_err());
            known.integers = (values.len() <= FEW).then_some(values);
        }
        Some(carried) if is_carried(carried) => {
            let values = integers(tensor);
            known.too_large = values.iter().copied().find(|value| i32::try_from(*value).is_err());
            let narrow = values.iter().map(|&value| i32::try_from(value).unwrap_or(i32::MAX));
            tensor.raw_data = Some(RefCell::new(narrow.flat_map(i32::to_le_bytes).collect()));
            tensor.data_type = Some(DataType::INT32);
            known.integers = (values.len() <= FEW).then_some(values);
        }
        Some(kind @ (DataType::FLOAT | DataType::FLOAT16)) => {
            let count = tensor.dims.iter().try_fold(1_i64, |all, dim| all.checked_mul(*dim)).unwrap_or(i64::MAX);
            if usize::try_from(count).is_ok_and(|count| count <= FEW) {
                known.floats = if kind == DataType::FLOAT { Some(floats(tensor)) } else { halves(tensor) };
            }
        }
        Some(DataType::DOUBLE) => {
            let inexact = |value: &f64| !value.is_nan() && f64::from(*value as f32) != *value;
            if let Some(value) = doubles(tensor).into_iter().find(inexact) {
                return Err(format!(
                    "it is a constant of type DOUBLE with {value}, which the simulator's f32 does not hold"
                ));
            }
        }
        _ => {}
    }
    Ok(known)
}

/// Whether there are as many elements as the dims say, of a type that the simulator has.
fn complete(tensor: &TensorProto) -> Result<(), String> {
    let Some(kind) = tensor.data_type else { return Err("it is a constant without a type".to_string()) };
    let Some(element) = Element::from_onnx(kind) else {
        return Err(format!("it is a constant of type {kind}, which the simulator does not have"));
    };
    let dims = &tensor.dims;
    let expected = dims.iter().try_fold(1_usize, |all, dim| all.checked_mul(usize::try_from(*dim).ok()?));
    let Some(expected) = expected else { return Err(format!("it is a constant, and its dims are {dims:?}")) };
    let (found, unit, expected) = match &tensor.raw_data {
        Some(raw) => (raw.borrow().len(), "bytes", expected.saturating_mul(element.bytes())),
        None => {
            let lists = [tensor.float_data.len(), tensor.double_data.len(), tensor.int32_data.len()];
            (lists.into_iter().max().unwrap_or(0).max(tensor.int64_data.len()), "elements", expected)
        }
    };
    if found == expected {
        return Ok(());
    }
    Err(format!("it is a constant with {found} {unit}, and its dims {dims:?} of type {kind} need {expected}"))
}

pub(super) fn integers(tensor: &TensorProto) -> Vec<i64> {
    let Some(raw) = &tensor.raw_data else {
        // Elements of 64 bits without a sign are written like those with one.
        let unsigned = tensor.data_type == Some(DataType::UINT64);
        let value = |&value: &i64| if unsigned && value < 0 { i64::MAX } else { value };
        let wide = tensor.int64_data.iter().map(value);
        return tensor.int32_data.iter().map(|&value| value.into()).chain(wide).collect();
    };
    let raw = raw.borrow();
    match tensor.data_type {
        Some(DataType::INT64) => raw.as_chunks().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect(),
        Some(DataType::UINT64) => {
            let value = |bytes: &[u8; 8]| i64::try_from(u64::from_le_bytes(*bytes)).unwrap_or(i64::MAX);
            raw.as_chunks().0.iter().map(value).collect()
        }
        Some(DataType::INT32) => raw.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes).into()).collect(),
        Some(DataType::UINT32) => raw.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes).into()).collect(),
        Some(DataType::INT16) => raw.as_chunks().0.iter().map(|bytes| i16::from_le_bytes(*bytes).into()).collect(),
        Some(DataType::UINT16) => raw.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes).into()).collect(),
        Some(DataType::INT8) => raw.iter().map(|&byte| byte.cast_signed().into()).collect(),
        _ => raw.iter().map(|&byte| byte.into()).collect(),
    }
}

fn floats(tensor: &TensorProto) -> Vec<f32> {
    match &tensor.raw_data {
        Some(raw) => raw.borrow().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
        None => tensor.float_data.clone(),
    }
}

fn halves(tensor: &TensorProto) -> Option<Vec<f32>> {
    let raw = tensor.raw_data.as_ref()?.borrow();
    Some(raw.as_chunks().0.iter().map(|bytes| half::f16::from_le_bytes(*bytes).to_f32()).collect())
}

fn doubles(tensor: &TensorProto) -> Vec<f64> {
    match &tensor.raw_data {
        Some(raw) => raw.borrow().as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect(),
        None => tensor.double_data.clone(),
    }
}
