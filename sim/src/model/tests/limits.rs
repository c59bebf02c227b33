//! What a file asks for beyond what the engine calculates rightly, or beyond any sense.

use super::files::{File, node, port, shapeless, with_float, with_int, with_ints, with_text};
use crate::model::rewrite::rewrite;
use crate::model::{Input, Model};
use rten_onnx::onnx::{DataType, ModelProto, NodeProto};
use std::time::{Duration, Instant};

const FLOAT: DataType = DataType::FLOAT;
const I64: DataType = DataType::INT64;

fn refusal(file: File) -> String {
    match Model::parse(file.bytes()) {
        Ok(_) => "it is not refused".to_string(),
        Err(failure) => failure.to_string(),
    }
}

#[test]
fn what_small_constants_come_to_is_watched_where_it_may_be_large() {
    // A debug build notices the overflow by itself, so the checks are looked for, and not what they find.
    let checks = |one: NodeProto, a: &[i64], b: &[i64]| {
        let file = File::new(&[], &[shapeless("y", I64)], vec![one]).with_integers("a", a).with_integers("b", b);
        let model = rewrite(ModelProto::parse_buf(&file.bytes()).unwrap()).unwrap_or_else(|why| panic!("{why}"));
        model.checks.iter().filter(|text| text.contains("bits do not hold")).count()
    };
    let one = |operator: &str| node(operator, &["a"], &["y"]);
    let mut unwatched = Vec::new();
    for (one, a) in [
        (node("Pow", &["a", "b"], &["y"]), vec![1000]),
        (one("ReduceProd"), vec![1000; 4]),
        (one("ReduceSumSquare"), vec![30_000; 3]),
    ] {
        if checks(one.clone(), &a, &[5]) == 0 {
            unwatched.push(one.op_type.unwrap());
        }
    }
    assert_eq!(unwatched, [""; 0], "these are not watched");
    for one in [node("Add", &["a", "b"], &["y"]), node("Mul", &["a", "b"], &["y"]), one("ReduceSum")] {
        assert_eq!(checks(one, &[1000], &[5]), 0, "sizes of tensors need no check");
    }
}

#[test]
fn a_constant_of_more_than_32_bits_is_refused_by_operators_that_are_written_in_others() {
    let flags = || [port("x", FLOAT, "1"), port("c", DataType::BOOL, "1")];
    let image = || with_int(node("SpaceToDepth", &["image"], &["y"]), "blocksize", 1);
    let scaled = || node("Resize", &["image", "", "scales"], &["y"]);
    let mut accepted = Vec::new();
    for one in [
        node("CastLike", &["large", "x"], &["y"]),
        node("Compress", &["large", "c"], &["y"]),
        node("BitwiseNot", &["large"], &["y"]),
        node("ArgMax", &["large"], &["y"]),
        image(),
        scaled(),
    ] {
        let operator = one.op_type.clone().unwrap();
        let file = File::new(&flags(), &[shapeless("y", I64)], vec![one]).with_integers("large", &[1 << 40]);
        let file = file.with_constant("image", I64, &[1, 1, 1, 1], (1_i64 << 40).to_le_bytes().to_vec());
        let failure = refusal(file.with_weights("scales", &[4], &[1.0, 1.0, 2.0, 2.0]).at_opset(18));
        if !failure.contains(&format!("the {operator} ({operator})")) || !failure.contains("1099511627776") {
            accepted.push(format!("{operator}: {failure}"));
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
}

#[test]
fn a_flattened_softmax_of_64_bits_is_refused_like_other_arithmetic() {
    for operator in ["Softmax", "LogSoftmax"] {
        let ports = (port("x", DataType::DOUBLE, "2 2 2"), port("y", DataType::DOUBLE, "2 2 2"));
        let file = File::new(&[ports.0], &[ports.1], vec![node(operator, &["x"], &["y"])]).at_opset(11);
        let failure = refusal(file);
        assert!(failure.contains(&format!("the {operator} ({operator})")) && failure.contains("DOUBLE"), "{failure}");
    }
}

#[test]
fn a_celu_has_an_alpha_above_zero() {
    for alpha in [0.0, -1.0, f32::NAN] {
        let one = with_float(node("Celu", &["x"], &["y"]), "alpha", alpha);
        let failure = refusal(File::new(&[port("x", FLOAT, "2")], &[shapeless("y", FLOAT)], vec![one]));
        assert!(failure.contains(&format!("the Celu (Celu): attribute `alpha` is {alpha}")), "{failure}");
    }
}

#[test]
fn a_resize_by_weights_fails_where_its_input_is_not_finite() {
    let one = with_text(node("Resize", &["x", "", "scales"], &["y"]), "mode", "cubic");
    let file = File::new(&[port("x", FLOAT, "1 1 4 4")], &[shapeless("y", FLOAT)], vec![one]);
    let model = Model::parse(file.with_weights("scales", &[4], &[1.0, 1.0, 2.0, 2.0]).bytes()).unwrap();
    let run = |first: f32| {
        let values: Vec<u8> = [&[first][..], &[1.0; 15]].concat().iter().flat_map(|v| v.to_le_bytes()).collect();
        model.run(&[Input { dims: &[1, 1, 4, 4], bytes: &values }]).map(|_| ())
    };
    run(1.0).unwrap();
    run(f32::MAX).unwrap();
    for first in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        let failure = run(first).map_err(|failure| failure.to_string()).unwrap_err();
        assert!(failure.contains("the Resize (Resize)") && failure.contains("finite"), "{failure}");
    }
}

#[test]
fn an_attribute_beyond_any_sense_is_refused_by_node_and_value() {
    let on = |dims: &str, one: NodeProto, opset| {
        let ports = [port("x", FLOAT, dims), port("s", FLOAT, "3")];
        File::new(&ports, &[shapeless("y", FLOAT)], vec![one]).with_weights("w", &[1, 1, 3], &[1.0; 3]).at_opset(opset)
    };
    let axis = |one: NodeProto, axis| with_int(one, "axis", axis);
    let two = || node("LayerNormalization", &["x", "s"], &["y", "mean"]);
    let quantized = || node("QuantizeLinear", &["x", "s"], &["y"]);
    let old = || with_int(node("Add", &["x", "s"], &["y"]), "broadcast", 1);
    let conv = |name: &str, value| with_ints(node("ConvTranspose", &["x", "w"], &["y"]), name, &[value]);
    let wide = |name: &str, value| {
        let one = with_ints(conv(name, value), "output_shape", &[8]);
        with_text(one, "auto_pad", "SAME_UPPER")
    };
    let pool = |name: &str, value| {
        let one = with_ints(node("LpPool", &["x"], &["y"]), "kernel_shape", &[1]);
        with_text(with_ints(one, name, &[value]), "auto_pad", "SAME_LOWER")
    };
    let mut wrong = Vec::new();
    for (file, name, value) in [
        (on("1 1 3", axis(two(), -9), 17), "axis", -9),
        (on("1 1 3", axis(two(), i64::MIN), 17), "axis", i64::MIN),
        (on("1 1 3", axis(quantized(), -9), 17), "axis", -9),
        (on("1 1 3", axis(quantized(), 3), 17), "axis", 3),
        (on("1 1 3", axis(quantized(), i64::MIN), 17), "axis", i64::MIN),
        (on("1 1 3", axis(old(), -9), 6), "axis", -9),
        (on("1 1 3", axis(old(), i64::MIN), 6), "axis", i64::MIN),
        (on("1 1 3", conv("strides", i64::MAX), 17), "strides", i64::MAX),
        (on("1 1 3", wide("dilations", i64::MAX), 17), "dilations", i64::MAX),
        (on("1 1 3", wide("kernel_shape", i64::MIN), 17), "kernel_shape", i64::MIN),
        (on("1 1 3", wide("output_padding", i64::MAX), 17), "output_padding", i64::MAX),
        (on("1 1 3", pool("dilations", i64::MIN), 17), "dilations", i64::MIN),
        (on("1 1 3", pool("strides", i64::MAX), 17), "strides", i64::MAX),
        (on("1 3 1", with_int(node("LRN", &["x"], &["y"]), "size", i64::MIN), 17), "size", i64::MIN),
    ] {
        let text = match std::panic::catch_unwind(|| refusal(file)) {
            Ok(failure) => failure,
            Err(_) => "a panic".to_string(),
        };
        if !text.contains(&format!("attribute `{name}` is ")) || !text.contains(&value.to_string()) {
            wrong.push(format!("{name} {value}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_filter_that_is_declared_beyond_any_sense_is_refused() {
    for one in [
        with_text(node("Conv", &["x", "v"], &["y"]), "auto_pad", "SAME_UPPER"),
        with_ints(node("ConvTranspose", &["x", "v"], &["y"]), "output_shape", &[8]),
    ] {
        let ports = [port("x", FLOAT, "1 1 4611686018427387904"), port("v", FLOAT, "1 1 9223372036854775807")];
        let one = with_ints(with_ints(one, "strides", &[7]), "dilations", &[7]);
        let found = std::panic::catch_unwind(|| refusal(File::new(&ports, &[shapeless("y", FLOAT)], vec![one])));
        let failure = found.unwrap_or_else(|_| "a panic".to_string());
        assert!(failure.contains("9223372036854775807"), "{failure}");
    }
}

#[test]
fn a_crop_by_nearest_elements_is_made_in_little_time() {
    let one = with_text(node("Resize", &["x", "region", "scales"], &["y"]), "mode", "nearest");
    let one = with_text(one, "coordinate_transformation_mode", "tf_crop_and_resize");
    let file = File::new(&[port("x", FLOAT, "1 1 1 4")], &[shapeless("y", FLOAT)], vec![one]);
    let file = file.with_weights("region", &[8], &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    let start = Instant::now();
    Model::parse(file.with_weights("scales", &[4], &[1.0, 1.0, 1.0, 8192.0]).bytes()).unwrap();
    // Of 32768 elements; as many for each of them took minutes.
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

#[test]
fn a_node_that_needs_an_element_refuses_a_run_without_one() {
    let model = |input: &str, node| {
        Model::parse(File::new(&[port("x", FLOAT, input)], &[shapeless("y", element_of(&node))], vec![node]).bytes())
    };
    fn element_of(node: &NodeProto) -> DataType {
        if node.op_type.as_deref() == Some("ArgMax") { DataType::INT64 } else { FLOAT }
    }
    let run = |input: &str, node, dims: &[i64]| {
        let outputs = model(input, node).unwrap().run(&[Input { dims, bytes: &[] }]);
        outputs.map(|outputs| outputs[0].dims()).map_err(|failure| failure.to_string())
    };
    let refused = |found: Result<Vec<i64>, String>, label: &str| {
        let expected = format!(
            "the model was stopped before it answers wrongly: an axis of an input has no elements; {label}: `x` has no \
             elements then, and the simulator needs one"
        );
        assert_eq!(found, Err(expected));
    };
    for operator in ["GlobalAveragePool", "GlobalMaxPool"] {
        let label = format!("the {operator} ({operator})");
        refused(run("1 2 5 n", node(operator, &["x"], &["y"]), &[1, 2, 5, 0]), &label);
        assert_eq!(run("n 2 5 5", node(operator, &["x"], &["y"]), &[0, 2, 5, 5]), Ok(vec![0, 2, 1, 1]));
    }
    let first = || node("ArgMax", &["x"], &["y"]);
    refused(run("n 4", first(), &[0, 4]), "the ArgMax (ArgMax)");
    assert_eq!(run("n 4", with_int(first(), "axis", -1), &[0, 4]), Ok(vec![0, 1]));
}

#[test]
fn nothing_that_is_spread_over_one_element_is_nothing() {
    let nodes = vec![
        node("Add", &["a", "b"], &["sum"]),
        node("Shape", &["sum"], &["shape"]),
        node("ConstantOfShape", &["shape"], &["y"]),
    ];
    let file = File::new(&[port("a", FLOAT, "n"), port("b", FLOAT, "m")], &[shapeless("y", FLOAT)], nodes);
    let model = Model::parse(file.bytes()).unwrap();
    let run = |n: usize| {
        let (dims, bytes) = ([n as i64], vec![0; 4 * n]);
        let inputs = [Input { dims: &dims, bytes: &bytes }, Input { dims: &[1], bytes: &[0; 4] }];
        model.run(&inputs).map(|outputs| outputs[0].dims()).map_err(|failure| failure.to_string())
    };
    assert_eq!(run(3), Ok(vec![3]));
    assert_eq!(run(0), Ok(vec![0]));
}
