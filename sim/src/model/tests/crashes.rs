//! Files and runs that would end the process, or never end.

use super::files::{File, node, port, shapeless, with_graph};
use super::{bytes_of, run_static};
use crate::model::{Input, LoadFailure, Model, serve};
use rten_onnx::onnx::{DataType, GraphProto, ModelProto, NodeProto};

const FLOAT: DataType = DataType::FLOAT;
const I64: DataType = DataType::INT64;

/// This node, many times in a row, from `x` to `y`.
fn chain(operator: &str, count: usize) -> Vec<NodeProto> {
    let name = |place: usize| match place {
        0 => "x".to_string(),
        place if place == count => "y".to_string(),
        place => format!("v{place}"),
    };
    (0..count).map(|place| node(operator, &[&name(place)], &[&name(place + 1)])).collect()
}

#[test]
fn a_long_chain_of_nodes_runs() {
    let of = |element: DataType, count: usize| {
        let ports = (port("x", element, "1"), port("y", element, "1"));
        Model::parse(File::new(&[ports.0], &[ports.1], chain("Neg", count)).bytes()).unwrap()
    };
    let model = of(FLOAT, 6000);
    for _ in 0..2 {
        assert_eq!(run_static(&model, &[&bytes_of!(f32: 2.5)]), [bytes_of!(f32: 2.5)]);
    }
    // A stream's worker runs models in a thread of the engine.
    let model = of(FLOAT, 6001);
    let on_worker = || serve(|| run_static(&model, &[&bytes_of!(f32: 2.5)]));
    assert_eq!([on_worker(), on_worker()], [[bytes_of!(f32: -2.5)], [bytes_of!(f32: -2.5)]]);
    let ports = (port("x", DataType::FLOAT16, "1"), port("y", DataType::FLOAT16, "1"));
    let model = Model::parse(File::new(&[ports.0], &[ports.1], chain("Reciprocal", 300)).bytes()).unwrap();
    assert_eq!(run_static(&model, &[&[0, 0x3c]]), [[0, 0x3c]]);
}

#[test]
fn a_long_chain_inside_of_a_node_is_refused() {
    let branch = |count: usize| {
        let output = vec![shapeless("y", FLOAT)];
        GraphProto { output, node: chain("Neg", count), ..Default::default() }
    };
    let load = |count: usize| {
        let choice = node("If", &["c"], &["z"]);
        let choice = with_graph(with_graph(choice, "then_branch", branch(count)), "else_branch", branch(2));
        let inputs = [port("c", DataType::BOOL, ""), port("x", FLOAT, "1")];
        Model::parse(File::new(&inputs, &[shapeless("z", FLOAT)], vec![choice]).bytes())
    };
    let model = load(900).unwrap();
    assert_eq!(run_static(&model, &[&[1], &bytes_of!(f32: 2.5)]), [bytes_of!(f32: 2.5)]);
    let failure = load(6000).unwrap_err().to_string();
    assert!(failure.contains("the If (If)") && failure.contains("a chain of 600"), "{failure}");
}

#[test]
fn elements_that_are_cut_off_are_refused() {
    let mut file =
        File::new(&[port("x", FLOAT, "1")], &[shapeless("y", FLOAT)], vec![node("Add", &["x", "w"], &["y"])]);
    file = file.with_weights("w", &[1], &[1.0]);
    let whole = file.bytes();
    let mut model = ModelProto::parse_buf(&whole).unwrap();
    for is_double in [false, true] {
        let tensor = &mut model.graph.as_mut().unwrap().initializer[0];
        tensor.raw_data = None;
        (tensor.float_data, tensor.double_data) = if is_double { (vec![], vec![1.0]) } else { (vec![1.0], vec![]) };
        let bytes = model.write_buf().unwrap();
        // The field, as protobuf writes it: its number, its length, and its bytes. It is made two bytes shorter.
        let (tag, size) = if is_double { (10 << 3 | 2, 8) } else { (4 << 3 | 2, 4) };
        let at = (0..bytes.len()).find(|&at| bytes[at..].starts_with(&[tag, size])).unwrap();
        let mut cut = bytes.clone();
        // The last two bytes become a field of their own: number 15, a number of 0.
        cut[at + 1] = size - 2;
        cut[at + size as usize] = 15 << 3;
        cut[at + size as usize + 1] = 0;
        match Model::parse(cut).unwrap_err() {
            LoadFailure::NotOnnx(why) => assert!(why.contains(&format!("{} bytes, where", size - 2)), "{why}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_product_with_a_value_without_axes_is_an_error() {
    let inputs = [port("x", FLOAT, "3"), port("w", FLOAT, "")];
    let file = File::new(&inputs, &[shapeless("y", FLOAT)], vec![node("MatMul", &["x", "w"], &["y"])]);
    if let Ok(model) = Model::parse(file.bytes()) {
        let inputs = [Input { dims: &[3], bytes: &[0; 12] }, Input { dims: &[], bytes: &[0; 4] }];
        model.run(&inputs).unwrap_err();
    }
}

#[test]
fn a_range_of_integers_ends_where_32_bits_end() {
    let inputs = ["from", "to", "by"].map(|name| port(name, I64, ""));
    let file = File::new(&inputs, &[shapeless("y", I64)], vec![node("Range", &["from", "to", "by"], &["y"])]);
    let model = Model::parse(file.bytes()).unwrap();
    let run = |all: [i64; 3]| {
        let bytes = all.map(|value| value.to_le_bytes());
        let inputs = bytes.each_ref().map(|bytes| Input { dims: &[], bytes });
        model.run(&inputs).map(|outputs| outputs[0].to_bytes().unwrap()).map_err(|failure| failure.to_string())
    };
    const MOST: i64 = i32::MAX as i64;
    for (given, elements) in [
        ([0, MOST, 1_000_000_000], vec![0, 1_000_000_000, 2_000_000_000]),
        ([MOST - 1, MOST, 1 << 20], vec![MOST - 1]),
        ([-MOST, -MOST - 1, -5], vec![-MOST]),
        ([3, 10, 3], vec![3, 6, 9]),
        ([3, 9, 3], vec![3, 6]),
        ([9, 3, -4], vec![9, 5]),
        ([3, 9, -1], vec![]),
        ([9, 3, 2], vec![]),
        ([2, 1, 7], vec![]),
        ([5, 5, 1], vec![]),
    ] {
        let expected: Vec<u8> = elements.iter().flat_map(|value: &i64| value.to_le_bytes()).collect();
        assert_eq!(run(given), Ok(expected), "{given:?}");
    }
    assert!(run([0, 5, 0]).unwrap_err().contains("its step `by` is 0"));
    // A debug build notices the overflow by itself.
    run([-MOST, MOST, MOST]).unwrap_err();
}
