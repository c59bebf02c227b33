//! Tensors as ONNX's tests keep them, as bytes in row-major order.

use rten_onnx::onnx::{DataType, TensorProto};
use rten_onnx::protobuf::{DecodeMessage, ValueReader};
use std::path::Path;

pub(crate) struct Tensor {
    pub(crate) kind: DataType,
    pub(crate) dims: Vec<i64>,
    pub(crate) bytes: Vec<u8>,
}

/// The tensors `input_0.pb`, `input_1.pb` and so on; `None` if one of them is no tensor of numbers.
pub(crate) fn read_all(folder: &Path, prefix: &str) -> Option<Vec<Tensor>> {
    let files = (0..).map(|index| folder.join(format!("{prefix}_{index}.pb"))).take_while(|file| file.is_file());
    files.map(|file| Tensor::read(&std::fs::read(file).unwrap())).collect()
}

impl Tensor {
    fn read(file: &[u8]) -> Option<Self> {
        let proto = TensorProto::decode(ValueReader::from_buf(file)).ok()?;
        let kind = proto.data_type?;
        let bytes = match &proto.raw_data {
            Some(raw) => raw.borrow().clone(),
            None => typed(&proto, kind),
        };
        let count = proto.dims.iter().product::<i64>();
        (bytes.len() as i64 == count * size(kind)? as i64).then_some(Self { kind, dims: proto.dims, bytes })
    }
}

/// The elements of a tensor that has them in a list of its type.
fn typed(proto: &TensorProto, kind: DataType) -> Vec<u8> {
    let narrow = |width: usize| proto.int32_data.iter().flat_map(|v| v.to_le_bytes()[..width].to_vec()).collect();
    match kind {
        DataType::FLOAT => proto.float_data.iter().flat_map(|v| v.to_le_bytes()).collect(),
        DataType::DOUBLE => proto.double_data.iter().flat_map(|v| v.to_le_bytes()).collect(),
        DataType::INT64 => proto.int64_data.iter().flat_map(|v| v.to_le_bytes()).collect(),
        kind => size(kind).map_or_else(Vec::new, |width| narrow(width.min(4))),
    }
}

/// Bytes of an element; `None` for types that no description of a model's port can state.
pub(crate) fn size(kind: DataType) -> Option<usize> {
    match kind {
        DataType::BOOL | DataType::INT8 | DataType::UINT8 => Some(1),
        DataType::FLOAT16 | DataType::INT16 | DataType::UINT16 | DataType::BFLOAT16 => Some(2),
        DataType::FLOAT | DataType::INT32 | DataType::UINT32 => Some(4),
        DataType::DOUBLE | DataType::INT64 | DataType::UINT64 => Some(8),
        _ => None,
    }
}
