//! The border between bytes and `rten`'s tensors: one copy in, one copy out, elements converted on the way.

use super::Input;
use super::failure::{Misfit, RunFailure};
use super::port::{Element, Port};
use half::f16;
use rten::Value;
use rten_tensor::{AsView, Layout, Scalar, Tensor};
use std::fmt::Display;

/// One output of a run.
///
/// It still holds `rten`'s tensor: its elements are converted to the type that the file declares, and copied, only by
/// [`write_to`](Self::write_to).
#[derive(Clone, Debug)]
pub struct Output {
    element: Element,
    value: Value,
}

impl Output {
    pub(super) fn new(port: &Port, value: Value) -> Result<Self, RunFailure> {
        use Element as E;
        let element = port.element;
        let fits = match &value {
            Value::FloatTensor(_) => matches!(element, E::F16 | E::F32 | E::F64),
            Value::Int32Tensor(_) => {
                matches!(element, E::I32 | E::I64 | E::Bool | E::I16 | E::U16 | E::U32 | E::U64)
            }
            Value::Int8Tensor(_) => matches!(element, E::I8),
            Value::UInt8Tensor(_) => matches!(element, E::U8),
            _ => false,
        };
        if !fits {
            let (name, found) = (&port.name, value.dtype());
            return Err(RunFailure::Refused(format!(
                "output `{name}` is declared {element} but calculated as {found}"
            )));
        }
        Ok(Self { element, value })
    }

    /// Its dims.
    pub fn dims(&self) -> Vec<i64> {
        self.value.shape().iter().map(|&size| i64::try_from(size).unwrap_or(i64::MAX)).collect()
    }

    /// How many bytes it has, in the element type that the file declares.
    pub fn len(&self) -> usize {
        self.value.len().saturating_mul(self.element.bytes())
    }

    /// Writes its elements to the start of `into`, in row-major order, little endian; what is beyond them stays.
    pub fn write_to(&self, into: &mut [u8]) -> Result<(), RunFailure> {
        let found = into.len();
        let Some(into) = into.get_mut(..self.len()) else {
            return Err(RunFailure::OutputSpace { found, expected: self.len() });
        };
        match (&self.value, self.element) {
            (Value::FloatTensor(from), Element::F16) => write(into, from, |v| f16::from_f32(v).to_le_bytes()),
            (Value::FloatTensor(from), Element::F64) => write(into, from, |v| f64::from(v).to_le_bytes()),
            (Value::FloatTensor(from), _) => write(into, from, f32::to_le_bytes),
            (Value::Int32Tensor(from), Element::I64) => write(into, from, |v| i64::from(v).to_le_bytes()),
            (Value::Int32Tensor(from), Element::U64) => write(into, from, |v| i64::from(v).to_le_bytes()),
            (Value::Int32Tensor(from), Element::I16 | Element::U16) => {
                write(into, from, |v| [v.to_le_bytes()[0], v.to_le_bytes()[1]])
            }
            (Value::Int32Tensor(from), Element::Bool) => write(into, from, |v| [u8::from(v != 0)]),
            (Value::Int32Tensor(from), _) => write(into, from, i32::to_le_bytes),
            (Value::Int8Tensor(from), _) => write(into, from, i8::to_le_bytes),
            (Value::UInt8Tensor(from), _) => write(into, from, u8::to_le_bytes),
            (_, element) => return Err(RunFailure::Refused(format!("an output is not a tensor of {element}"))),
        }
        Ok(())
    }

    /// Its elements as fresh bytes, as [`write_to`](Self::write_to) gives them.
    pub fn to_bytes(&self) -> Result<Vec<u8>, RunFailure> {
        let mut bytes = vec![0; self.len()];
        self.write_to(&mut bytes)?;
        Ok(bytes)
    }
}

/// `rten`'s tensor for an input, once it is clear that it fits its port.
pub(super) fn tensor(port: &Port, input: &Input<'_>) -> Result<Value, Misfit> {
    let dims = checked_dims(port, input)?;
    let bytes = input.bytes;
    match port.element {
        Element::F16 => value(&dims, read(bytes, |b| f16::from_le_bytes(b).to_f32())),
        Element::F32 => value(&dims, read(bytes, f32::from_le_bytes)),
        Element::F64 => value(&dims, halved(bytes)?),
        Element::I8 => value(&dims, read(bytes, i8::from_le_bytes)),
        Element::I32 => value(&dims, read(bytes, i32::from_le_bytes)),
        Element::I16 => value(&dims, read(bytes, |b| i32::from(i16::from_le_bytes(b)))),
        Element::U16 => value(&dims, read(bytes, |b| i32::from(u16::from_le_bytes(b)))),
        Element::I64 => value(&dims, narrowed(bytes, i64::from_le_bytes)?),
        Element::U32 => value(&dims, narrowed(bytes, u32::from_le_bytes)?),
        Element::U64 => value(&dims, narrowed(bytes, u64::from_le_bytes)?),
        Element::U8 => value(&dims, bytes.to_vec()),
        Element::Bool => value(&dims, read(bytes, |[b]| i32::from(b != 0))),
    }
}

fn checked_dims(port: &Port, input: &Input<'_>) -> Result<Vec<usize>, Misfit> {
    let fits = |(&given, &declared): (&i64, &i64)| given >= 0 && (declared < 0 || declared == given);
    if input.dims.len() != port.dims.len() || !input.dims.iter().zip(&port.dims).all(fits) {
        let expected = if port.is_dynamic() {
            format!("{:?}, where -1 is any size", port.dims)
        } else {
            format!("{:?}", port.dims)
        };
        return Err(Misfit { found: format!("dims {:?}", input.dims), expected });
    }
    if port.bytes_for(input.dims) != Some(input.bytes.len()) {
        let expected = match port.bytes_for(input.dims) {
            Some(bytes) => format!("{bytes} for {} {:?}", port.element, input.dims),
            None => format!("dims whose bytes can be counted, not {:?}", input.dims),
        };
        return Err(Misfit { found: format!("{} bytes", input.bytes.len()), expected });
    }
    Ok(input.dims.iter().map(|&dim| usize::try_from(dim).unwrap_or(0)).collect())
}

/// Integers in the 32 bits that `rten` has.
fn narrowed<const N: usize, T>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Result<Vec<i32>, Misfit>
where
    T: Copy + Display,
    i32: TryFrom<T>,
{
    let narrow = |(position, chunk): (usize, &[u8; N])| {
        let wide = read(*chunk);
        i32::try_from(wide).map_err(|_| Misfit {
            found: format!("the value {wide} at element {position}"),
            expected: "values from -2147483648 to 2147483647, for the simulator calculates them in 32 bits".to_string(),
        })
    };
    bytes.as_chunks().0.iter().enumerate().map(narrow).collect()
}

/// Numbers of 64 bits that the 32 bits of `rten` hold exactly.
fn halved(bytes: &[u8]) -> Result<Vec<f32>, Misfit> {
    let half = |(position, chunk): (usize, &[u8; 8])| {
        let wide = f64::from_le_bytes(*chunk);
        let narrow = wide as f32;
        if f64::from(narrow) == wide || wide.is_nan() {
            return Ok(narrow);
        }
        Err(Misfit {
            found: format!("the value {wide} at element {position}"),
            expected: "values that f32 holds exactly, in which the simulator keeps f64".to_string(),
        })
    };
    bytes.as_chunks().0.iter().enumerate().map(half).collect()
}

/// Whether an element of a check is true.
pub(super) fn any(value: &Value) -> bool {
    matches!(value, Value::Int32Tensor(elements) if elements.iter().any(|&element| element != 0))
}

fn value<T: Scalar>(dims: &[usize], elements: Vec<T>) -> Result<Value, Misfit>
where
    Value: From<Tensor<T>>,
{
    let count = elements.len();
    Tensor::try_from_data(dims, elements)
        .map(Value::from)
        .map_err(|_| Misfit { found: format!("{count} elements"), expected: format!("as many as {dims:?} say") })
}

fn read<const N: usize, T>(bytes: &[u8], convert: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|chunk| convert(*chunk)).collect()
}

fn write<const N: usize, T: Copy>(into: &mut [u8], from: &Tensor<T>, convert: impl Fn(T) -> [u8; N]) {
    let elements = from.to_slice();
    for (chunk, &element) in into.as_chunks_mut().0.iter_mut().zip(elements.iter()) {
        *chunk = convert(element);
    }
}
