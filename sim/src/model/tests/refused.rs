//! What the standard does not have, and numbers that were others.

use super::files::{File, node, port, shapeless, with_graph, with_int, with_ints, with_text};
use super::{bytes_of, run_static};
use crate::model::{Input, Model};
use half::f16;
use rten_onnx::onnx::{DataType, GraphProto};

const FLOAT: DataType = DataType::FLOAT;
const I64: DataType = DataType::INT64;

fn failure(file: File) -> String {
    Model::parse(file.bytes()).map(|_| "it is accepted".to_string()).unwrap_or_else(|failure| failure.to_string())
}

#[test]
fn nodes_that_the_standard_does_not_have_are_refused() {
    for dims in [vec![1, 1, 2, 2], vec![1, 1, 2, 2, 2]] {
        let count = dims.iter().product::<i64>() as usize;
        let text = dims.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        let conv = with_ints(node("Conv", &["x", "w"], &["y"]), "kernel_shape", &vec![1; dims.len() - 2]);
        let file = File::new(&[port("x", FLOAT, &text)], &[shapeless("y", FLOAT)], vec![conv]);
        let failure = failure(file.with_weights("w", &dims, &vec![1.0; count]));
        assert!(failure.contains("the Conv (Conv): attribute `kernel_shape` is [1, 1"), "{failure}");
    }
    for (name, list) in [("strides", vec![2]), ("dilations", vec![1; 4]), ("pads", vec![0; 3])] {
        let pool = with_ints(node("MaxPool", &["x"], &["y"]), "kernel_shape", &[1, 1, 1]);
        let file =
            File::new(&[port("x", FLOAT, "1 1 2 2 2")], &[shapeless("y", FLOAT)], vec![with_ints(pool, name, &list)]);
        let failure = failure(file);
        assert!(failure.contains(&format!("the MaxPool (MaxPool): attribute `{name}` is [")), "{failure}");
    }
    let split = with_int(node("Split", &["x"], &["y", "z"]), "num_outputs", 3);
    let outputs = [shapeless("y", FLOAT), shapeless("z", FLOAT)];
    let text = failure(File::new(&[port("x", FLOAT, "6")], &outputs, vec![split]).at_opset(18));
    assert!(text.contains("the Split (Split): attribute `num_outputs` is 3: the node has 2 outputs"), "{text}");
    let sum = vec![node("Add", &["a", "b"], &["c"]), with_int(node("Concat", &["x", "c"], &["y"]), "axis", 0)];
    let file = File::new(&[port("x", FLOAT, "1")], &[shapeless("y", FLOAT)], sum);
    let text = failure(file.with_weights("a", &[2], &[1.0; 2]).with_weights("b", &[3], &[1.0; 3]));
    assert!(text.contains("Add") && !text.contains("accepted"), "{text}");
}

#[test]
fn a_bound_beyond_32_bits_bounds_nothing_or_is_refused() {
    let file = |bounds: [&str; 2], value: i64| {
        let clip = node("Clip", &["x", bounds[0], bounds[1]], &["y"]);
        let file = File::new(&[port("x", I64, "2")], &[shapeless("y", I64)], vec![clip]);
        file.with_constant("bound", I64, &[], value.to_le_bytes().to_vec())
    };
    let x = bytes_of!(i64: 5, -7);
    for (bounds, value) in [(["bound", ""], -3_000_000_000), (["", "bound"], 3_000_000_000)] {
        let model = Model::parse(file(bounds, value).bytes()).unwrap();
        assert_eq!(run_static(&model, &[&x])[0], x);
    }
    for (bounds, value) in [(["bound", ""], 3_000_000_000), (["", "bound"], -3_000_000_000)] {
        let text = failure(file(bounds, value));
        assert!(text.contains("the Clip (Clip)") && text.contains("000000000"), "{text}");
    }
}

#[test]
fn the_check_of_a_loop_is_found_where_its_last_outputs_are_unused() {
    let body = |element: DataType| GraphProto {
        input: vec![port("t", I64, ""), port("go", DataType::BOOL, ""), port("acc", I64, "1"), port("o", element, "1")],
        output: vec![port("st", DataType::BOOL, ""), shapeless("acc2", I64), shapeless("o2", element)],
        node: vec![
            node("Mul", &["acc", "acc"], &["acc2"]),
            node("Identity", &["o"], &["o2"]),
            node("Identity", &["go"], &["st"]),
        ],
        ..Default::default()
    };
    for (element, first) in [(I64, 7_i64.to_le_bytes().to_vec()), (FLOAT, 1_f32.to_le_bytes().to_vec())] {
        let repeated = with_graph(node("Loop", &["n", "", "x", "first"], &["y", ""]), "body", body(element));
        let file = File::new(&[port("x", I64, "1")], &[shapeless("y", I64)], vec![repeated]);
        let file = file.with_constant("n", I64, &[], 1_i64.to_le_bytes().to_vec());
        let model = Model::parse(file.with_constant("first", element, &[1], first).bytes()).unwrap();
        assert_eq!(run_static(&model, &[&bytes_of!(i64: 3)]), [bytes_of!(i64: 9)]);
        let much = bytes_of!(i64: 1 << 20);
        model.run(&[Input { dims: &[1], bytes: &much }]).unwrap_err();
    }
}

#[test]
fn loops_may_give_one_name_to_values_of_several_types() {
    let body = |element: DataType| GraphProto {
        input: vec![port("t", I64, ""), port("go", DataType::BOOL, ""), shapeless("v", element)],
        output: vec![port("st", DataType::BOOL, ""), shapeless("v2", element)],
        node: vec![node("Relu", &["v"], &["v2"]), node("Identity", &["go"], &["st"])],
        ..Default::default()
    };
    let untyped = |element: DataType| {
        let mut body = body(element);
        body.input[2].r#type = None;
        body
    };
    let nodes = vec![
        with_graph(node("Loop", &["n", "", "a"], &["y"]), "body", untyped(FLOAT)),
        with_graph(node("Loop", &["n", "", "b"], &["z"]), "body", untyped(DataType::INT32)),
    ];
    let inputs = [port("a", FLOAT, "1"), port("b", DataType::INT32, "1")];
    let file = File::new(&inputs, &[shapeless("y", FLOAT), shapeless("z", DataType::INT32)], nodes);
    let file = file.with_constant("n", I64, &[], 1_i64.to_le_bytes().to_vec());
    let model = Model::parse(file.bytes()).unwrap();
    let found = run_static(&model, &[&bytes_of!(f32: 2.5), &bytes_of!(i32: 3)]);
    assert_eq!(found, [bytes_of!(f32: 2.5), bytes_of!(i32: 3)]);
}

#[test]
fn the_statistics_of_a_normalization_have_32_bits() {
    let nodes = vec![node("LayerNormalization", &["x", "s"], &["n", "m", ""]), node("Mul", &["m", "two"], &["y"])];
    let outputs = [shapeless("y", FLOAT), shapeless("n", DataType::FLOAT16)];
    let file = File::new(&[port("x", DataType::FLOAT16, "1 2")], &outputs, nodes).with_weights("two", &[], &[2.0]);
    let ones = bytes_of!(f16: f16::ONE, f16::ONE);
    let model = Model::parse(file.with_constant("s", DataType::FLOAT16, &[2], ones).bytes()).unwrap();
    let x = bytes_of!(f16: f16::ONE, f16::from_f32(1.000_976_6));
    assert_eq!(run_static(&model, &[&x])[0], bytes_of!(f32: 2.000_976_6));
}

#[test]
fn scattered_sums_of_16_bits_wrap() {
    for (name, operator, places) in [("elements", "ScatterElements", vec![1]), ("nd", "ScatterND", vec![1, 1])] {
        let one = with_text(node(operator, &["x", "i", "u"], &["s"]), "reduction", "add");
        let nodes = vec![one, with_int(node("Cast", &["s"], &["y"]), "to", 1)];
        let file = File::new(&[port("x", DataType::INT16, "1")], &[shapeless("y", FLOAT)], nodes).at_opset(18);
        let file = file.with_constant("i", I64, &places, 0_i64.to_le_bytes().to_vec());
        let file = file.with_constant("u", DataType::INT16, &[1], 20_000_i16.to_le_bytes().to_vec());
        let model = Model::parse(file.bytes()).unwrap();
        assert_eq!(run_static(&model, &[&bytes_of!(i16: 20_000)]), [bytes_of!(f32: -25_536.0)], "{name}");
    }
}

#[test]
fn the_mask_of_an_old_dropout_is_of_the_type_of_its_input() {
    let outputs = [shapeless("y", FLOAT), shapeless("mask", FLOAT)];
    let file = File::new(&[port("x", FLOAT, "2")], &outputs, vec![node("Dropout", &["x"], &["y", "mask"])]).at_opset(7);
    let model = Model::parse(file.bytes()).unwrap();
    assert_eq!(run_static(&model, &[&bytes_of!(f32: 3.0, 4.0)])[1], bytes_of!(f32: 1.0, 1.0));
}

#[test]
fn the_size_that_a_file_declares_of_a_branch_is_not_believed() {
    let branch =
        |nodes, name: &str| GraphProto { node: nodes, output: vec![shapeless(name, FLOAT)], ..Default::default() };
    let first = branch(vec![node("Slice", &["x", "from", "to"], &["a"])], "a");
    let choice = with_graph(node("If", &["c"], &["z"]), "then_branch", first);
    let choice = with_graph(choice, "else_branch", branch(vec![node("Identity", &["x"], &["b"])], "b"));
    let inputs = [port("x", FLOAT, "n"), port("c", DataType::BOOL, "")];
    let outputs = [shapeless("y", I64), port("z", FLOAT, "n")];
    let file = File::new(&inputs, &outputs, vec![choice, node("Shape", &["z"], &["y"])]);
    let model = Model::parse(file.with_integers("from", &[0]).with_integers("to", &[1]).bytes()).unwrap();
    let inputs = [Input { dims: &[5], bytes: &[0; 20] }, Input { dims: &[], bytes: &[1] }];
    assert_eq!(model.run(&inputs).unwrap()[0].to_bytes().unwrap(), bytes_of!(i64: 1));
}
