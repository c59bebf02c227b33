//! Nodes in a row that the engine would make one of, and constants that it would calculate in another way.

use super::bytes_of;
use super::files::{File, node, port, shapeless, with_float, with_int, with_ints};
use crate::model::{Input, Model};
use rten_onnx::onnx::{DataType, NodeProto};

const FLOAT: DataType = DataType::FLOAT;
const I64: DataType = DataType::INT64;

type Answer = (Vec<i64>, Vec<f32>);

fn answer(file: File, inputs: &[(&[i64], &[f32])]) -> Answer {
    let model = Model::parse(file.bytes()).unwrap();
    let bytes: Vec<Vec<u8>> =
        inputs.iter().map(|(_, all)| all.iter().flat_map(|v| v.to_le_bytes()).collect()).collect();
    let given: Vec<Input<'_>> = inputs.iter().zip(&bytes).map(|((dims, _), bytes)| Input { dims, bytes }).collect();
    let output = model.run(&given).unwrap().remove(0);
    let told = model.output_dims(&given).remove(0);
    let dims = output.dims();
    assert!(
        told == [-2] || told.iter().zip(&dims).all(|(told, found)| *told < 0 || told == found),
        "{told:?} {dims:?}"
    );
    let bytes = output.to_bytes().unwrap();
    (output.dims(), bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

/// A file from `x` of these dims to `y`.
fn on_x(dims: &str, nodes: Vec<NodeProto>) -> File {
    File::new(&[port("x", FLOAT, dims)], &[shapeless("y", FLOAT)], nodes)
}

#[test]
fn numbers_with_a_fraction_are_calculated_as_such_even_if_they_are_whole() {
    let quotient = vec![node("Div", &["a", "b"], &["c"]), node("Mul", &["x", "c"], &["y"])];
    let file = on_x("1", quotient).with_weights("a", &[1], &[7.0]).with_weights("b", &[1], &[2.0]);
    assert_eq!(answer(file, &[(&[1], &[1.0])]), (vec![1], vec![3.5]));
    let zero = vec![node("Neg", &["a"], &["b"]), node("Div", &["x", "b"], &["y"])];
    let file = on_x("1", zero).with_weights("a", &[1], &[0.0]);
    assert_eq!(answer(file, &[(&[1], &[1.0])]).1, [f32::NEG_INFINITY]);
    let celu = vec![with_float(node("Celu", &["a"], &["c"]), "alpha", 2.0), node("Add", &["x", "c"], &["y"])];
    let file = on_x("2", celu).with_weights("a", &[2], &[1.0, -1.0]);
    let found = answer(file, &[(&[2], &[0.0, 0.0])]).1;
    assert!(found[0] == 1.0 && (found[1] + 0.786_938_7).abs() < 1e-5, "{found:?}");
}

#[test]
fn repeats_are_those_of_the_axis() {
    let nodes = || {
        let spread = [node("Unsqueeze", &["x", "at"], &["u"]), node("Expand", &["u", "to"], &["v"])];
        [&spread[..], &[node("Reshape", &["v", "as"], &["y"])]].concat()
    };
    let file = on_x("1 3", nodes()).with_integers("at", &[1]).with_integers("to", &[1, 2, 3]);
    let file = file.with_integers("as", &[1, 6]);
    assert_eq!(answer(file, &[(&[1, 3], &[1.0, 2.0, 3.0])]).1, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
}

/// The layer normalization, written out.
fn normalized(keepdims: i64) -> Vec<NodeProto> {
    let mean = |from: &str, to: &str| {
        with_int(with_ints(node("ReduceMean", &[from], &[to]), "axes", &[-1]), "keepdims", keepdims)
    };
    vec![
        mean("x", "m"),
        node("Sub", &["x", "m"], &["d"]),
        node("Pow", &["d", "two"], &["p"]),
        mean("p", "v"),
        node("Add", &["v", "e"], &["ve"]),
        node("Sqrt", &["ve"], &["r"]),
        node("Div", &["d", "r"], &["n"]),
        node("Mul", &["n", "s"], &["y"]),
    ]
}

#[test]
fn a_normalization_keeps_the_axes_that_its_parts_keep_and_takes_any_scale() {
    let file = |keepdims, dims: &[i64], scale: &[f32]| {
        let file = on_x("2 2", normalized(keepdims)).with_weights("two", &[], &[2.0]);
        file.with_weights("e", &[], &[1e-5]).with_weights("s", dims, scale)
    };
    // Without the axis the means of rows are subtracted from columns.
    let given: &[(&[i64], &[f32])] = &[(&[2, 2], &[1.0, 2.0, 5.0, 9.0])];
    let found = answer(file(0, &[2], &[1.5, 2.5]), given).1;
    let d = [1.0 - 1.5, 2.0 - 7.0, 5.0 - 1.5, 9.0 - 7.0_f32];
    let roots = [(d[0] * d[0] + d[1] * d[1]) / 2.0 + 1e-5, (d[2] * d[2] + d[3] * d[3]) / 2.0 + 1e-5].map(f32::sqrt);
    for (index, found) in found.iter().enumerate() {
        let expected = d[index] / roots[index % 2] * [1.5, 2.5][index % 2];
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }
    let found = answer(file(1, &[2, 1], &[1.5, 2.5]), given).1;
    for (found, expected) in found.iter().zip([-1.5, 1.5, -2.5, 2.5]) {
        assert!((found - expected).abs() < 1e-3, "{found} {expected}");
    }
}

#[test]
fn part_of_a_shape_is_cut_from_that_part() {
    let shape = with_int(node("Shape", &["x"], &["s"]), "start", 1);
    let nodes = vec![shape, node("Slice", &["s", "a", "b"], &["d"]), with_int(node("Cast", &["d"], &["y"]), "to", 1)];
    let file = on_x("2 n 4", nodes).with_integers("a", &[0]).with_integers("b", &[1]);
    assert_eq!(answer(file, &[(&[2, 7, 4], &[0.0; 56])]), (vec![1], vec![7.0]));
}

#[test]
fn a_constant_is_no_other_that_is_near_to_it() {
    let file = on_x("4", vec![node("Div", &["a", "x"], &["y"])]).with_weights("a", &[], &[1.000_05]);
    let expected = [1.0, 2.0, 3.0, 4.0].map(|x| 1.000_05_f32 / x);
    assert_eq!(answer(file, &[(&[4], &[1.0, 2.0, 3.0, 4.0])]).1, expected);
}

#[test]
fn a_constant_of_one_element_keeps_its_axes() {
    let one = |operator: &str, dims: &[i64], value: f32| {
        on_x("2", vec![node(operator, &["a", "x"], &["y"])]).with_weights("a", dims, &[value])
    };
    let given: &[(&[i64], &[f32])] = &[(&[2], &[1.0, 2.0])];
    assert_eq!(answer(one("Div", &[1, 1], 1.0), given), (vec![1, 2], vec![1.0, 0.5]));
    assert_eq!(answer(one("Mul", &[1, 1], 1.0), given), (vec![1, 2], vec![1.0, 2.0]));
    let swish =
        vec![node("Mul", &["a", "x"], &["s"]), node("Sigmoid", &["s"], &["t"]), node("Mul", &["x", "t"], &["y"])];
    assert_eq!(answer(on_x("2", swish).with_weights("a", &[1, 1], &[0.5]), given).0, [1, 2]);
    let sum = vec![node("Unsqueeze", &["a", "at"], &["b"]), node("Add", &["x", "b"], &["y"])];
    let file = on_x("2", sum).with_weights("a", &[], &[0.0]).with_integers("at", &[0, 1]);
    assert_eq!(answer(file, given), (vec![1, 2], vec![1.0, 2.0]));
    let scaled = || vec![node("Mul", &["x", "a"], &["s"]), node("MatMul", &["s", "w"], &["y"])];
    let file =
        on_x("2 2", scaled()).with_weights("a", &[1, 1, 1], &[0.5]).with_weights("w", &[2, 2], &[1.0, 0.0, 0.0, 1.0]);
    assert_eq!(answer(file, &[(&[2, 2], &[1.0, 2.0, 3.0, 4.0])]), (vec![1, 2, 2], vec![0.5, 1.0, 1.5, 2.0]));
    // A scale before a product keeps it from being infinite.
    let file = on_x("1 1", scaled()).with_weights("a", &[], &[1e-30]).with_weights("w", &[1, 1], &[1e30]);
    assert_eq!(answer(file, &[(&[1, 1], &[1e30])]).1, [1e30]);
    let biased = vec![node("MatMul", &["x", "w"], &["s"]), node("Add", &["s", "a"], &["y"])];
    let file = on_x("1 2", biased).with_weights("a", &[1], &[0.5]).with_weights("w", &[2, 2], &[1.0, 0.0, 0.0, 1.0]);
    assert_eq!(answer(file, &[(&[1, 2], &[1.0, 2.0])]).1, [1.5, 2.5]);
}

#[test]
fn an_empty_batch_is_scaled_and_moved() {
    let nodes = vec![node("Mul", &["x", "a"], &["s"]), node("Add", &["s", "b"], &["y"])];
    let file = on_x("n 2", nodes).with_weights("a", &[1, 2], &[1.0, 2.0]).with_weights("b", &[1, 2], &[1.0, 2.0]);
    assert_eq!(answer(file, &[(&[0, 2], &[])]).0, [0, 2]);
}

#[test]
fn a_quotient_by_one_number_is_exact() {
    let equal = vec![
        node("Div", &["x", "a"], &["d"]),
        node("Equal", &["d", "b"], &["e"]),
        with_int(node("Cast", &["e"], &["y"]), "to", 1),
    ];
    for (dims, given) in [("1", vec![41.0]), ("n", vec![41.0]), ("2", vec![41.0, 41.0]), ("2 n", vec![41.0; 2])] {
        let file = on_x(dims, equal.clone()).with_weights("a", &[], &[41.0]).with_weights("b", &[], &[1.0]);
        let axes: Vec<i64> = dims.split(' ').map(|dim| dim.parse().unwrap_or(1)).collect();
        assert!(answer(file, &[(&axes, &given)]).1.iter().all(|found| *found == 1.0), "{dims}");
    }
    let file = on_x("1", vec![node("Div", &["x", "a"], &["y"])]).with_weights("a", &[1], &[1e-39]);
    assert_eq!(answer(file, &[(&[1], &[0.0])]).1, [0.0]);
}

#[test]
fn the_nearest_element_is_that_of_the_quotient_by_the_scale() {
    let one = |name: &str| {
        let mut one = node(name, &["x", "s"], &["y"]);
        if name == "Resize" {
            one.input.insert(1, String::new());
            one = super::files::with_text(one, "coordinate_transformation_mode", "asymmetric");
            one = super::files::with_text(one, "nearest_mode", "floor");
        }
        one
    };
    for (operator, opset) in [("Resize", 17), ("Upsample", 9)] {
        let file = on_x("1 1 1 n", vec![one(operator)]).at_opset(opset).with_weights("s", &[4], &[1.0, 1.0, 1.0, 41.0]);
        let found = answer(file, &[(&[1, 1, 1, 2], &[1.0, 2.0])]).1;
        let expected: Vec<f32> = [[1.0; 41], [2.0; 41]].concat();
        assert_eq!(found, expected, "{operator}");
    }
}

#[test]
fn what_is_said_of_sizes_is_what_they_are() {
    let cast = |from: &str| with_int(node("Cast", &[from], &["y"]), "to", 1);
    let equal = vec![
        node("Shape", &["x"], &["s"]),
        node("Mul", &["s", "m"], &["t"]),
        node("Equal", &["t", "c"], &["e"]),
        cast("e"),
    ];
    let file = on_x("n", equal).with_integers("m", &[-1]).with_integers("c", &[-5]);
    assert_eq!(answer(file, &[(&[5], &[0.0; 5])]).1, [1.0]);
    let file = on_x("1", vec![node("Where", &["c", "a", "b"], &["y"])]).with_weights("a", &[], &[1.0]);
    let file = file.with_weights("b", &[], &[2.0]).with_constant("c", DataType::BOOL, &[], vec![1]);
    assert_eq!(answer(file, &[(&[1], &[0.0])]), (vec![], vec![1.0]));
    // The engine makes names of its own for sizes that it does not know.
    for name in ["unknown_0", "unknown_1", "unnamed_1"] {
        let nodes = vec![node("NonZero", &["x"], &["z"]), node("Shape", &["z"], &["s"]), cast("s")];
        assert_eq!(answer(on_x(name, nodes), &[(&[5], &[0.0, 1.0, 0.0, 1.0, 1.0])]).1, [1.0, 3.0], "{name}");
    }
}

#[test]
fn axes_of_one_name_have_one_size() {
    let inputs = [port("a", FLOAT, "n"), port("b", FLOAT, "2 n")];
    let file = File::new(&inputs, &[shapeless("y", I64)], vec![node("Shape", &["b"], &["y"])]);
    let model = Model::parse(file.bytes()).unwrap();
    let run = |a: i64, b: i64| {
        let inputs = [
            Input { dims: &[a], bytes: &vec![0; a as usize * 4] },
            Input { dims: &[2, b], bytes: &vec![0; b as usize * 8] },
        ];
        model.run(&inputs).map(|outputs| outputs[0].to_bytes().unwrap()).map_err(|failure| failure.to_string())
    };
    assert_eq!(run(3, 3), Ok(bytes_of!(i64: 2, 3)));
    let failure = run(2, 3).unwrap_err();
    let text = "axis 0 of input `a` has size 2, and axis 1 of input `b` has size 3";
    assert!(failure.contains(text), "{failure}");
}

#[test]
fn a_result_of_other_sizes_than_were_told_fails_the_run() {
    let nodes = vec![
        node("Shape", &["x"], &["s"]),
        node("Mul", &["s", "m"], &["t"]),
        node("Equal", &["t", "c"], &["e"]),
        node("Where", &["e", "a", "b"], &["d"]),
        node("ConstantOfShape", &["d"], &["y"]),
    ];
    let file = on_x("n", nodes).with_integers("m", &[-1]).with_integers("c", &[-5]);
    let model = Model::parse(file.with_integers("a", &[3]).with_integers("b", &[4]).bytes()).unwrap();
    let bytes = [0; 20];
    // The engine infers that a size is no negative number, also if it is one that is turned.
    assert_eq!(model.outputs()[0].dims, [4]);
    let failure = model.run(&[Input { dims: &[5], bytes: &bytes }]).unwrap_err().to_string();
    assert!(failure.contains("output `y` has dims [3], and the simulator inferred [4]"), "{failure}");
    assert_eq!(model.run(&[Input { dims: &[4], bytes: &bytes[..16] }]).unwrap()[0].dims(), [4]);
}

#[test]
fn a_node_that_no_output_needs_does_not_matter() {
    // A value without axes has no last one.
    let nodes = vec![
        with_int(node("Concat", &["a", "a"], &["b"]), "axis", -1),
        node("Mul", &["x", "b"], &["c"]),
        node("Neg", &["x"], &["y"]),
    ];
    assert_eq!(answer(on_x("1", nodes).with_weights("a", &[], &[1.0]), &[(&[1], &[2.0])]).1, [-2.0]);
}
