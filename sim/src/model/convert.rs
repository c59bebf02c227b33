//! The border between bytes and `rten`'s tensors: one copy in, one copy out, elements converted on the way.

use super::Input;
use super::failure::{Misfit, RunFailure};
use super::port::{Element, Port};
use half::f16;
use rten::Value;
use rten_tensor::{AsView, Layout, Scalar, Tensor};

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
            Value::Int32Tensor(_) => matches!(element, E::I32 | E::I64 | E::Bool),
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
        Element::F64 => value(&dims, read(bytes, |b| f64::from_le_bytes(b) as f32)),
        Element::I8 => value(&dims, read(bytes, i8::from_le_bytes)),
        Element::I32 => value(&dims, read(bytes, i32::from_le_bytes)),
        Element::I64 => value(&dims, narrowed(bytes)?),
        Element::U8 => value(&dims, bytes.to_vec()),
        Element::Bool => value(&dims, read(bytes, |[b]| i32::from(b != 0))),
    }
}

fn checked_dims(port: &Port, input: &Input<'_>) -> Result<Vec<usize>, Misfit> {
    let fits = |(&given, &declared): (&i64, &i64)| given > 0 && (declared < 0 || declared == given);
    if input.dims.len() != port.dims.len() || !input.dims.iter().zip(&port.dims).all(fits) {
        let expected = if port.is_dynamic() {
            format!("{:?}, where -1 is any size from 1", port.dims)
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

/// 64-bit integers in the 32 bits that `rten` has.
fn narrowed(bytes: &[u8]) -> Result<Vec<i32>, Misfit> {
    let narrow = |(position, chunk): (usize, &[u8; 8])| {
        let wide = i64::from_le_bytes(*chunk);
        i32::try_from(wide).map_err(|_| Misfit {
            found: format!("the value {wide} at element {position}"),
            expected: "values from -2147483648 to 2147483647, for the simulator calculates i64 in 32 bits".to_string(),
        })
    };
    bytes.as_chunks().0.iter().enumerate().map(narrow).collect()
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
