//! Operators on bits.

use super::files::{File, node, port, shapeless};
use crate::model::{Input, Model};
use rten_onnx::onnx::DataType;

/// What a model of one operator makes of `a` (in rows) and `b` (along them).
fn answer(operator: &str, kind: DataType, a: &[u8], b: &[u8], columns: i64, bytes: usize) -> Vec<u8> {
    let ports = [port("a", kind, "n m"), port("b", kind, "m")];
    let file = File::new(&ports, &[shapeless("y", kind)], vec![node(operator, &["a", "b"], &["y"])]).at_opset(18);
    let model = Model::parse(file.bytes()).unwrap();
    let rows = a.len() as i64 / bytes as i64 / columns;
    let (rows, columns) = ([rows, columns], [columns]);
    let inputs = [Input { dims: &rows, bytes: a }, Input { dims: &columns, bytes: b }];
    let outputs = model.run(&inputs).unwrap();
    assert_eq!(outputs[0].dims(), rows);
    outputs[0].to_bytes().unwrap()
}

macro_rules! holds {
    ($ty:ty, $kind:ident, $values:expr) => {{
        let values: &[$ty] = &$values;
        let size = size_of::<$ty>();
        let b: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        for first in values {
            let a: Vec<u8> = (0..2).flat_map(|_| values.iter().flat_map(|_| first.to_le_bytes())).collect();
            let operators: [(&str, fn($ty, $ty) -> $ty); 3] =
                [("BitwiseAnd", |a, b| a & b), ("BitwiseOr", |a, b| a | b), ("BitwiseXor", |a, b| a ^ b)];
            for (name, expected) in operators {
                let found = answer(name, DataType::$kind, &a, &b, values.len() as i64, size);
                let expected: Vec<u8> = (0..2)
                    .flat_map(|_| values.iter().flat_map(|value| expected(*first, *value).to_le_bytes()))
                    .collect();
                assert_eq!(found, expected, "{name} of {first} and {values:?}");
            }
        }
    }};
}

#[test]
fn bits_of_all_types_of_integers_are_joined_as_the_standard_says() {
    holds!(i8, INT8, [0, 1, -1, 85, -86, i8::MIN, i8::MAX]);
    holds!(u8, UINT8, [0, 1, 85, 170, 128, u8::MAX]);
    holds!(i16, INT16, [0, -1, 0x5555, i16::MIN, i16::MAX]);
    holds!(u16, UINT16, [0, 1, 0xaaaa, u16::MAX]);
    holds!(i32, INT32, [0, 1, -1, -2, 0x5555_5555, -0x5555_5556, i32::MIN, i32::MIN + 1, i32::MAX]);
    holds!(u32, UINT32, [0, 1, 0x5555_5555, 0x7fff_ffff]);
    holds!(i64, INT64, [0, 1, -1, 0x1234_5678, i32::MIN.into(), i32::MAX.into()]);
    holds!(u64, UINT64, [0, 1, 0x7654_3210, 0x7fff_ffff]);
}
