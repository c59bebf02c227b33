//! Operators on bits.

use super::files::{File, node, port, shapeless, with_text};
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

/// What becomes of each value that is shifted by each count, which is an axis of its own; `None` if a run fails.
fn shifted(kind: DataType, direction: &str, values: &[u64], counts: &[u64]) -> Vec<Vec<Option<u64>>> {
    let one = with_text(node("BitShift", &["a", "b"], &["y"]), "direction", direction);
    let file = File::new(&[port("a", kind, "n"), port("b", kind, "n")], &[shapeless("y", kind)], vec![one]);
    let model = Model::parse(file.bytes()).unwrap();
    let size = if kind == DataType::UINT64 { 8 } else { 4 };
    let run = |value: u64, count: u64| {
        let (value, count) = (value.to_le_bytes(), count.to_le_bytes());
        let input = |bytes| Input { dims: &[1], bytes };
        let outputs = model.run(&[input(&value[..size]), input(&count[..size])]).ok()?;
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&outputs[0].to_bytes().unwrap());
        Some(u64::from_le_bytes(bytes))
    };
    values.iter().map(|value| counts.iter().map(|count| run(*value, *count)).collect()).collect()
}

#[test]
fn integers_of_32_and_64_bits_are_shifted_and_a_result_that_does_not_fit_fails_the_run() {
    let values = [0, 1, 2, 5, 0x1234_5678, 0x4000_0000, 0x7fff_ffff];
    let counts = [0, 1, 2, 3, 7, 29, 30, 31, 32, 33, 34, 61, 62, 63, 64, 65, 1000];
    let fits = |value: u64| (value <= 0x7fff_ffff).then_some(value);
    for (kind, bits) in [(DataType::UINT32, 32), (DataType::UINT64, 64)] {
        let left = |value: u64, count: u64| {
            let all = if count < bits { u128::from(value) << count } else { 0 };
            fits(u64::try_from(all & ((1 << bits) - 1)).unwrap())
        };
        let right = |value: u64, count: u64| fits(if count < bits { value >> count } else { 0 });
        let each = |of: &dyn Fn(u64, u64) -> Option<u64>| -> Vec<Vec<Option<u64>>> {
            values.iter().map(|value| counts.iter().map(|count| of(*value, *count)).collect()).collect()
        };
        assert_eq!(shifted(kind, "LEFT", &values, &counts), each(&left), "{kind} LEFT");
        assert_eq!(shifted(kind, "RIGHT", &values, &counts), each(&right), "{kind} RIGHT");
    }
}
