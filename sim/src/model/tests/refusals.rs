//! Files that are no models.

use super::files::{File, node, port, with_int, with_ints, with_text};
use crate::model::{LoadFailure, Model};
use rten_onnx::onnx::{AttributeProto, DataType, GraphProto, NodeProto};
use std::slice::from_ref;

#[test]
fn bytes_that_are_no_onnx_file_are_refused() {
    assert_eq!(Model::parse(Vec::new()).unwrap_err(), LoadFailure::Empty);
    for bytes in [&b"hello, world"[..], b"RTEN\0\0\0\0", &[0; 64], &[0xff; 64], b"\x08\x08"] {
        let failure = Model::parse(bytes.to_vec()).unwrap_err();
        assert!(matches!(failure, LoadFailure::NotOnnx(_)), "{failure:?}");
    }
    let offline = Model::parse(b"IMOD and then more".to_vec()).unwrap_err().to_string();
    assert!(offline.contains("offline model (.om)"), "{offline}");
}

#[test]
fn a_damaged_file_is_refused_and_never_a_crash() {
    let whole = File::new(
        &[port("x", DataType::FLOAT, "n 2")],
        &[port("y", DataType::FLOAT, "n 2")],
        vec![node("Add", &["x", "w"], &["sum"]), node("Relu", &["sum"], &["y"])],
    )
    .with_weights("w", &[2], &[1.0, 2.0])
    .bytes();
    for length in 0..whole.len() - 10 {
        assert!(Model::parse(whole[..length].to_vec()).is_err(), "the first {length} bytes");
    }
    for position in 0..whole.len() {
        for value in [0x00, 0x7f, 0xff] {
            let mut damaged = whole.clone();
            damaged[position] = value;
            let _ = Model::parse(damaged);
        }
    }
}

#[test]
fn lengths_and_depths_that_cannot_be_are_refused() {
    let why = |bytes: Vec<u8>| match Model::parse(bytes).unwrap_err() {
        LoadFailure::NotOnnx(why) => why,
        other => panic!("{other:?}"),
    };
    let cut_off = "it is cut off or damaged: a field of 1000000000000 bytes, where 1 are left";
    assert_eq!(why([&[0x3a][..], &[0x80, 0xa0, 0x94, 0xa5, 0x8d, 0x1d], &[0]].concat()), cut_off);
    assert_eq!(why([&[0x08][..], &[0x80; 10], &[1]].concat()), "it has a number of more than 64 bits");

    let mut graph = GraphProto::default();
    for _ in 0..40 {
        let attribute = AttributeProto { g: Some(graph), ..Default::default() };
        let node = NodeProto { attribute: vec![attribute], ..Default::default() };
        graph = GraphProto { node: vec![node], ..Default::default() };
    }
    assert_eq!(
        why(File { graph, metadata: Vec::new(), opset: 17 }.bytes()),
        "its messages are nested more than 100 deep"
    );
}

#[test]
fn a_missing_operator_is_named() {
    let ports = (port("x", DataType::FLOAT, "1"), port("y", DataType::FLOAT, "1"));
    let parse = |node| Model::parse(File::new(from_ref(&ports.0), from_ref(&ports.1), vec![node]).bytes()).unwrap_err();
    let failure = parse(node("Frobnicate", &["x"], &["y"]));
    let expected = "the simulator has no operator Frobnicate, which node `the Frobnicate` of the model uses";
    assert_eq!(failure.to_string(), expected);
    let mut nameless = node("Frobnicate", &["x"], &["y"]);
    nameless.name = None;
    let expected =
        LoadFailure::MissingOperator { operator: "Frobnicate".to_string(), node: Some("node 0".to_string()) };
    assert_eq!(parse(nameless), expected);
}

#[test]
fn a_port_that_cannot_be_used_is_named() {
    let parse = |input, output| {
        let file = File::new(&[input], &[output], vec![node("Identity", &["x"], &["y"])]);
        Model::parse(file.bytes()).unwrap_err().to_string()
    };
    let good = port("x", DataType::FLOAT, "2");
    let complex = port("x", DataType::COMPLEX64, "2");
    let expected = "the model's `x` cannot be used: the simulator has no elements of type COMPLEX64";
    assert_eq!(parse(complex, port("y", DataType::FLOAT, "2")), expected);
    let expected = "the model's `y` cannot be used: the simulator has no elements of type BFLOAT16";
    assert_eq!(parse(good.clone(), port("y", DataType::BFLOAT16, "2")), expected);
    let mut untyped = good.clone();
    untyped.r#type = None;
    let expected = "the model's `x` cannot be used: the file does not declare it as a tensor";
    assert_eq!(parse(untyped, port("y", DataType::FLOAT, "2")), expected);
    let mut shapeless = good;
    shapeless.r#type.as_mut().unwrap().tensor_type.as_mut().unwrap().shape = None;
    let expected = "the model's `x` cannot be used: the file does not declare its shape";
    assert_eq!(parse(shapeless, port("y", DataType::FLOAT, "2")), expected);
}

#[test]
fn a_graph_without_outputs_is_refused() {
    let file = File::new(&[port("x", DataType::FLOAT, "2")], &[], Vec::new());
    let failure = Model::parse(file.bytes()).unwrap_err();
    assert_eq!(failure.to_string(), "the model cannot be loaded: its graph has no outputs");
}

#[test]
fn a_refusal_names_node_operator_attribute_and_value() {
    let ports = (port("x", DataType::FLOAT, "1 1 9"), port("y", DataType::FLOAT, "? ? ?"));
    let parse = |node| Model::parse(File::new(from_ref(&ports.0), from_ref(&ports.1), vec![node]).bytes()).unwrap_err();
    let pool = with_ints(node("MaxPool", &["x"], &["y"]), "kernel_shape", &[5000]);
    let expected = "the model cannot be loaded: the MaxPool (MaxPool): attribute `kernel_shape` is [5000]: the simulator \
                    would make it of too many slices";
    let gaps = with_ints(pool, "dilations", &[2]);
    assert_eq!(parse(gaps).to_string(), expected);
    let pool = with_ints(node("MaxPool", &["x"], &["y"]), "kernel_shape", &[2]);
    let expected = "the model cannot be loaded: the MaxPool (MaxPool): attribute `pads` is [0, 3]: a window of \
                    `ceil_mode` would lie in the padding alone";
    let gaps = with_ints(with_ints(with_int(pool, "ceil_mode", 1), "dilations", &[2]), "pads", &[0, 3]);
    assert_eq!(parse(gaps).to_string(), expected);
    let pool = with_text(with_ints(node("MaxPool", &["x"], &["y"]), "kernel_shape", &[3]), "auto_pad", "SAME_MIDDLE");
    let failure = parse(pool).to_string();
    assert!(failure.contains("the MaxPool (MaxPool): attribute `auto_pad` is \"SAME_MIDDLE\": "), "{failure}");
    let failure = parse(with_int(node("Tanh", &["x"], &["y"]), "speed", 11)).to_string();
    assert!(failure.contains("the Tanh (Tanh): attribute `speed` is 11: "), "{failure}");
}
