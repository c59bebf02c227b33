//! Ports: the inputs and outputs that a model declares.

use rten::Dimension;
use rten_onnx::onnx::DataType;
use std::fmt;

/// The single "dim" of a port whose number of axes is not known, as the vendor's compiler writes it.
pub const UNKNOWN_RANK: i64 = -2;

/// One input or output of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Its name in the file.
    pub name: String,
    /// The type of its elements, as the file declares it.
    pub element: Element,
    /// The size of each axis; -1 where it is dynamic. [`UNKNOWN_RANK`] alone, on outputs, if not even their number is
    /// known.
    pub dims: Vec<i64>,
    /// The meaning of the axes.
    pub format: Format,
}

/// The type of an element.
///
/// `rten` calculates in `f32`, `i32`, `i8` and `u8`. The others are converted where they enter and leave a model:
///
/// * `F16` to `f32` and back, rounded to nearest;
/// * `F64` to `f32` and back: an input value that `f32` does not hold exactly is refused;
/// * `I16`, `I64`, `U16`, `U32` and `U64` to `i32` and back: an input value outside `i32` is refused, for it would
///   silently become another;
/// * `Bool` to `i32` and back: every byte but 0 is true, and true comes out as 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Element {
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
}

/// The meaning of a port's axes. ONNX does not say it; its operators on images take batch, channel, height, width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Four axes: batch, channel, height, width.
    Nchw,
    /// Any other number of axes.
    Nd,
}

/// One axis of an output, seen from the inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Axis {
    /// Always this size.
    Fixed(i64),
    /// The size of this axis of this input.
    Same { input: usize, axis: usize },
    /// Known only after a run.
    Open,
}

impl Port {
    pub(super) fn new(name: &str, element: Element, dims: Vec<i64>) -> Self {
        let format = if dims.len() == 4 { Format::Nchw } else { Format::Nd };
        Self { name: name.to_string(), element, dims, format }
    }

    /// Its size in bytes; `None` while an axis is dynamic.
    pub fn bytes(&self) -> Option<usize> {
        self.bytes_for(&self.dims)
    }

    /// Its size in bytes if it had these dims; `None` if one of them is negative, or the size is beyond `usize`.
    pub fn bytes_for(&self, dims: &[i64]) -> Option<usize> {
        dims.iter().try_fold(self.element.bytes(), |size, &dim| size.checked_mul(usize::try_from(dim).ok()?))
    }

    /// Whether an axis is dynamic.
    pub fn is_dynamic(&self) -> bool {
        self.dims.iter().any(|&dim| dim < 0)
    }
}

impl Element {
    /// The size of one element.
    pub fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::F16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// The element type for an ONNX one; `None` if `rten` has no way to calculate with it.
    pub(super) fn from_onnx(declared: DataType) -> Option<Self> {
        match declared {
            DataType::FLOAT16 => Some(Self::F16),
            DataType::FLOAT => Some(Self::F32),
            DataType::DOUBLE => Some(Self::F64),
            DataType::INT8 => Some(Self::I8),
            DataType::INT16 => Some(Self::I16),
            DataType::UINT16 => Some(Self::U16),
            DataType::UINT32 => Some(Self::U32),
            DataType::UINT64 => Some(Self::U64),
            DataType::INT32 => Some(Self::I32),
            DataType::INT64 => Some(Self::I64),
            DataType::UINT8 => Some(Self::U8),
            DataType::BOOL => Some(Self::Bool),
            _ => None,
        }
    }

    pub(super) fn to_onnx(self) -> DataType {
        match self {
            Self::F16 => DataType::FLOAT16,
            Self::F32 => DataType::FLOAT,
            Self::F64 => DataType::DOUBLE,
            Self::I8 => DataType::INT8,
            Self::I16 => DataType::INT16,
            Self::U16 => DataType::UINT16,
            Self::U32 => DataType::UINT32,
            Self::U64 => DataType::UINT64,
            Self::I32 => DataType::INT32,
            Self::I64 => DataType::INT64,
            Self::U8 => DataType::UINT8,
            Self::Bool => DataType::BOOL,
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::Bool => "bool",
        })
    }
}

/// The sum of the sizes of all ports, each with its dims; `None` if one is open.
pub(super) fn known_bytes<D: AsRef<[i64]>>(ports: &[Port], dims: &[D]) -> Option<usize> {
    if ports.len() != dims.len() {
        return None;
    }
    let mut sizes = ports.iter().zip(dims).map(|(port, dims)| port.bytes_for(dims.as_ref()));
    sizes.try_fold(0usize, |sum, size| sum.checked_add(size?))
}

/// Dims as a description shows them: -1 where the size is not fixed.
pub(super) fn dims_of(shape: &[Dimension]) -> Vec<i64> {
    shape.iter().map(|dim| fixed(dim).unwrap_or(-1)).collect()
}

/// The dims of an output, once the dims of the inputs are known.
pub(super) fn dims_given<D: AsRef<[i64]>>(axes: Option<&[Axis]>, inputs: &[D]) -> Vec<i64> {
    let size = |axis: &Axis| match *axis {
        Axis::Fixed(size) => size,
        Axis::Same { input, axis } => inputs.get(input).and_then(|dims| dims.as_ref().get(axis)).copied().unwrap_or(-1),
        Axis::Open => -1,
    };
    axes.map_or_else(|| vec![UNKNOWN_RANK], |axes| axes.iter().map(size).collect())
}

/// The size of an axis that has one at load time.
pub(super) fn fixed(dim: &Dimension) -> Option<i64> {
    match dim {
        Dimension::Fixed(size) => i64::try_from(*size).ok(),
        Dimension::Symbolic(_) => None,
    }
}
