//! Numbers of 16 bits with a fraction, which the engine calculates in 32.

use super::files::{File, node, port, shapeless, with_int};
use super::{bytes_of, run_static};
use crate::model::{Input, Model};
use half::f16;
use rten_onnx::onnx::DataType;

const FLOAT: DataType = DataType::FLOAT;
const HALF: DataType = DataType::FLOAT16;

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// What the nodes give for these numbers of 32 bits.
fn on_floats(nodes: Vec<rten_onnx::onnx::NodeProto>, values: &[f32]) -> Vec<f32> {
    let file = File::new(&[port("x", FLOAT, "n")], &[shapeless("y", FLOAT)], nodes);
    let model = Model::parse(file.bytes()).unwrap();
    let (dims, bytes) = ([values.len() as i64], bytes(values));
    let outputs = model.run(&[Input { dims: &dims, bytes: &bytes }]).unwrap();
    let bytes = outputs[0].to_bytes().unwrap();
    bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

#[test]
fn a_cast_to_16_bits_gives_the_number_that_16_bits_hold() {
    let mut values = vec![0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE, 1e-45, f32::MAX];
    // Each number of 16 bits, those between it and the next, and those a little beside the middle.
    for bits in (0..0x7c00_u16).step_by(7).chain(0x7bf0..0x7c00).chain(0..40).chain(0x3f8..0x420) {
        let (low, high) = (f16::from_bits(bits).to_f32(), f16::from_bits(bits + 1).to_f32().min(65536.0));
        let middle = low / 2.0 + high / 2.0;
        let beside = [middle.to_bits() - 1, middle.to_bits() + 1].map(f32::from_bits);
        values.extend([low, middle, beside[0], beside[1], -low, -middle, -beside[0], -beside[1]]);
    }
    let there_and_back = vec![
        with_int(node("Cast", &["x"], &["h"]), "to", HALF.0.into()),
        with_int(node("Cast", &["h"], &["y"]), "to", FLOAT.0.into()),
    ];
    let found = on_floats(there_and_back, &values);
    for (value, found) in values.iter().zip(found) {
        let expected = f16::from_f32(*value).to_f32();
        let same = expected.to_bits() == found.to_bits() || (expected.is_nan() && found.is_nan());
        assert!(same, "{value:e}: {found:e} in place of {expected:e}");
    }
}

#[test]
fn the_next_node_sees_what_16_bits_hold_of_a_result() {
    let half = |nodes: Vec<_>| {
        let mut all = vec![with_int(node("Cast", &["x"], &["h"]), "to", HALF.0.into())];
        all.extend(nodes);
        all.push(with_int(node("Cast", &["z"], &["y"]), "to", FLOAT.0.into()));
        all
    };
    // 300 * 300 is beyond 16 bits, so the root is one of infinity.
    let nodes = half(vec![node("Mul", &["h", "h"], &["square"]), node("Sqrt", &["square"], &["z"])]);
    assert_eq!(on_floats(nodes, &[300.0, 100.0]), [f32::INFINITY, 100.0]);
    // 2048 + 0.75 is 2048 there: nothing is left of what was added.
    let nodes = half(vec![
        node("Exp", &["h"], &["one"]),
        node("Add", &["one", "h"], &["sum"]),
        node("Sub", &["sum", "h"], &["z"]),
    ]);
    assert_eq!(on_floats(nodes, &[0.0]), [1.0]);
    let nodes = half(vec![
        node("Sigmoid", &["h"], &["one"]),
        node("Add", &["one", "h"], &["sum"]),
        node("Sub", &["sum", "h"], &["z"]),
    ]);
    assert_eq!(on_floats(nodes, &[2048.0]), [0.0]);
}

#[test]
fn results_of_16_bits_have_the_dims_that_follow_from_the_inputs() {
    let nodes = vec![node("Exp", &["x"], &["e"]), node("Mul", &["e", "w"], &["y"])];
    let file = File::new(&[port("x", HALF, "2 2")], &[shapeless("y", HALF)], nodes);
    let weights = [1.0; 4].map(|value| f16::from_f32(value).to_le_bytes()).concat();
    let model = Model::parse(file.with_constant("w", HALF, &[2, 2], weights).bytes()).unwrap();
    assert_eq!(model.outputs()[0].dims, [2, 2]);
    let found = run_static(&model, &[&[0.0_f32, 1.0, 2.0, 20.0].map(|x| f16::from_f32(x).to_le_bytes()).concat()]);
    let expected = [1.0, 1_f32.exp(), 2_f32.exp(), f32::INFINITY].map(|value| f16::from_f32(value).to_le_bytes());
    assert_eq!(found, [expected.concat()]);
}

#[test]
fn an_integer_of_a_number_of_16_bits_is_that_of_what_they_hold() {
    let nodes = vec![
        with_int(node("Cast", &["x"], &["h"]), "to", HALF.0.into()),
        with_int(node("Cast", &["h"], &["y"]), "to", DataType::INT32.0.into()),
    ];
    let file = File::new(&[port("x", FLOAT, "2")], &[port("y", DataType::INT32, "2")], nodes);
    let model = Model::parse(file.bytes()).unwrap();
    assert_eq!(run_static(&model, &[&bytes(&[2049.0, 2051.0])]), [bytes_of!(i32: 2048, 2052)]);
}
