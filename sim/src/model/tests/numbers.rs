//! Numbers of more bits than the engine has.

use super::bytes_of;
use super::files::{File, node, port, shapeless, with_graph, with_int, with_ints};
use crate::model::{Input, Model};
use rten_onnx::onnx::{DataType, NodeProto, TensorProto};

const I64: DataType = DataType::INT64;

/// A model of `y` from these nodes, on a list `x` of 64-bit integers.
fn on_integers(nodes: Vec<NodeProto>) -> File {
    File::new(&[port("x", I64, "n")], &[shapeless("y", I64)], nodes)
}

fn run(model: &Model, values: &[i64]) -> Result<Vec<i64>, String> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let dims = [values.len() as i64];
    let outputs = model.run(&[Input { dims: &dims, bytes: &bytes }]).map_err(|failure| failure.to_string())?;
    let bytes = outputs[0].to_bytes().unwrap();
    Ok(bytes.as_chunks().0.iter().map(|chunk| i64::from_le_bytes(*chunk)).collect())
}

#[test]
fn a_result_of_more_than_32_bits_is_refused_and_not_changed() {
    let two = |operator: &str| node(operator, &["x", "x"], &["y"]);
    let axis = || node("CumSum", &["x", "zero"], &["y"]);
    let sum = |operator: &str| with_int(node(operator, &["x"], &["y"]), "keepdims", 0);
    let cases = [
        (two("Mul"), [100_000, 3], Some([10_000, 3])),
        (two("Add"), [2_000_000_000, 3], Some([1_000_000_000, 3])),
        (node("Pow", &["x", "two"], &["y"]), [100_000, 3], Some([10_000, 3])),
        (axis(), [2_000_000_000, 2_000_000_000], Some([1_000_000_000, 5])),
        (sum("ReduceSum"), [2_000_000_000, 2_000_000_000], Some([1_000_000_000, 5])),
        (sum("ReduceProd"), [100_000, 100_000], Some([10_000, 5])),
        (node("Neg", &["x"], &["y"]), [i32::MIN.into(), 1], Some([5, 1])),
        (node("Sub", &["x", "two"], &["y"]), [i32::MIN.into(), 1], Some([5, 1])),
    ];
    for (one, large, small) in cases {
        let operator = one.op_type.clone().unwrap();
        let file = on_integers(vec![one]).with_integers("two", &[2]).with_constant("zero", I64, &[], vec![0; 8]);
        let model = Model::parse(file.bytes()).unwrap();
        let failure = run(&model, &large).unwrap_err();
        assert!(failure.contains(&operator) || failure.contains("overflow"), "{operator}: {failure}");
        if !cfg!(debug_assertions) {
            assert!(failure.contains(&format!("the {operator} ({operator})")), "{failure}");
        }
        run(&model, &small.unwrap()).unwrap();
    }
}

#[test]
fn a_result_of_more_than_32_bits_is_refused_inside_branches_and_loops() {
    let inner =
        |output: &str| File::new(&[], &[shapeless(output, I64)], vec![node("Mul", &["x", "x"], &[output])]).graph;
    let one = with_graph(node("If", &["c"], &["y"]), "then_branch", inner("a"));
    let other = File::new(&[], &[shapeless("b", I64)], vec![node("Identity", &["x"], &["b"])]).graph;
    let one = with_graph(one, "else_branch", other);
    let mut file = on_integers(vec![one]);
    file.graph.input.push(port("c", DataType::BOOL, ""));
    let model = Model::parse(file.bytes()).unwrap();
    let choose = |yes: u8, value: i64| {
        let bytes = value.to_le_bytes();
        model.run(&[Input { dims: &[1], bytes: &bytes }, Input { dims: &[], bytes: &[yes] }])
    };
    assert_eq!(choose(1, 1000).unwrap()[0].to_bytes().unwrap(), bytes_of!(i64: 1_000_000));
    assert_eq!(choose(0, 100_000).unwrap()[0].to_bytes().unwrap(), bytes_of!(i64: 100_000));
    assert!(choose(1, 100_000).is_err());

    // x, x², x⁴, … : one step too far is told, whatever the steps after it give.
    let square = vec![node("Mul", &["v", "v"], &["w"]), node("Identity", &["go"], &["stay"])];
    let ports = [port("turn", I64, ""), port("go", DataType::BOOL, ""), port("v", I64, "n")];
    let body = File::new(&ports, &[shapeless("stay", DataType::BOOL), shapeless("w", I64)], square).graph;
    let file = on_integers(vec![with_graph(node("Loop", &["turns", "", "x"], &["y"]), "body", body)]);
    let model = Model::parse(file.with_constant("turns", I64, &[], 6_i64.to_le_bytes().to_vec()).bytes()).unwrap();
    assert_eq!(run(&model, &[1]), Ok(vec![1]));
    assert!(run(&model, &[2]).is_err(), "2 to the power of 64");
}

/// The standard's largest number of turns stands for "until the condition says so".
#[test]
fn more_turns_than_the_engine_counts_need_a_condition_that_ends_them() {
    let load = |goes_on: NodeProto, turns: i64| {
        let nodes = vec![node("Add", &["v", "v"], &["w"]), goes_on];
        let ports = [port("turn", I64, ""), port("go", DataType::BOOL, ""), port("v", I64, "n")];
        let body = File::new(&ports, &[shapeless("stay", DataType::BOOL), shapeless("w", I64)], nodes).graph;
        let file = on_integers(vec![with_graph(node("Loop", &["turns", "", "x"], &["y"]), "body", body)]);
        let file = file.with_constant("turns", I64, &[], turns.to_le_bytes().to_vec());
        let file = file.with_constant("three", I64, &[], 3_i64.to_le_bytes().to_vec());
        Model::parse(file.bytes()).map_err(|failure| failure.to_string())
    };
    let always = || node("Identity", &["go"], &["stay"]);
    let failure = load(always(), 1 << 62).unwrap_err();
    assert!(failure.contains("the Loop (Loop): it has 4611686018427387904 turns and no condition"), "{failure}");
    assert_eq!(run(&load(always(), 2).unwrap(), &[1]), Ok(vec![4]));
    let until_three = node("Less", &["turn", "three"], &["stay"]);
    assert_eq!(run(&load(until_three, i64::MAX).unwrap(), &[1]), Ok(vec![16]));
}

#[test]
fn a_constant_of_more_than_32_bits_is_refused_where_it_is_a_number() {
    let add = || on_integers(vec![node("Add", &["x", "large"], &["y"])]).with_integers("large", &[1 << 40]);
    let failure = Model::parse(add().bytes()).unwrap_err().to_string();
    assert!(failure.contains("the Add (Add)") && failure.contains("1099511627776"), "{failure}");
    let out = File::new(&[port("x", I64, "1")], &[port("large", I64, "1")], vec![]).with_integers("large", &[1 << 40]);
    assert!(Model::parse(out.bytes()).is_err());
    // As the end of a slice it says "to the end", also where it comes by way of other nodes.
    let nodes = vec![node("Identity", &["large"], &["end"]), node("Slice", &["x", "start", "end"], &["y"])];
    let file = on_integers(nodes).with_integers("large", &[i64::MAX]).with_integers("start", &[1]);
    assert_eq!(run(&Model::parse(file.bytes()).unwrap(), &[4, 5, 6]), Ok(vec![5, 6]));
}

#[test]
fn a_number_with_a_fraction_becomes_an_integer_of_32_bits_only_if_it_is_one() {
    let file = File::new(
        &[port("x", DataType::FLOAT, "1")],
        &[port("y", I64, "1")],
        vec![with_int(node("Cast", &["x"], &["y"]), "to", 7)],
    );
    let model = Model::parse(file.bytes()).unwrap();
    let run = |value: f32| model.run(&[Input { dims: &[1], bytes: &value.to_le_bytes() }]);
    assert_eq!(run(-7.9).unwrap()[0].to_bytes().unwrap(), bytes_of!(i64: -7));
    for value in [3e9, -3e9, f32::INFINITY, f32::NAN] {
        let failure = run(value).unwrap_err().to_string();
        assert!(failure.contains("the Cast (Cast)"), "{failure}");
    }
}

#[test]
fn sizes_of_tensors_are_still_known_before_a_run() {
    // A flattened image, whose size an exporter multiplies out.
    let nodes = vec![
        node("Shape", &["x"], &["sizes"]),
        with_int(node("Gather", &["sizes", "first"], &["n"]), "axis", 0),
        node("Mul", &["n", "three"], &["count"]),
        with_int(node("Concat", &["count", "four"], &["shape"]), "axis", 0),
        node("Reshape", &["x", "shape"], &["y"]),
    ];
    let float = DataType::FLOAT;
    let file = File::new(&[port("x", float, "n 12")], &[shapeless("y", float)], nodes);
    let file = file.with_integers("first", &[0]).with_integers("three", &[3]).with_integers("four", &[4]);
    let model = Model::parse(file.bytes()).unwrap();
    assert_eq!(model.outputs()[0].dims, [-1, 4]);
}

#[test]
fn numbers_of_64_bits_with_a_fraction_are_handed_on_and_not_calculated() {
    let double = DataType::DOUBLE;
    let ports = || ([port("x", double, "2")], [port("y", double, "2")]);
    let (inputs, outputs) = ports();
    let model = Model::parse(File::new(&inputs, &outputs, vec![node("Neg", &["x"], &["y"])]).bytes()).unwrap();
    let run = |bytes: &[u8]| model.run(&[Input { dims: &[2], bytes }]);
    assert_eq!(run(&bytes_of!(f64: 0.5, -3.0)).unwrap()[0].to_bytes().unwrap(), bytes_of!(f64: -0.5, 3.0));
    let failure = run(&bytes_of!(f64: 0.5, 0.1)).unwrap_err().to_string();
    assert!(failure.starts_with("input 0 (`x`): found the value 0.1 at element 1"), "{failure}");
    let failure = Model::parse(File::new(&inputs, &outputs, vec![node("Exp", &["x"], &["y"])]).bytes()).unwrap_err();
    let text = failure.to_string();
    assert!(text.contains("the Exp (Exp)") && text.contains("DOUBLE"), "{text}");
    let constant = File::new(&inputs, &outputs, vec![node("Max", &["x", "c"], &["y"])]);
    let failure = Model::parse(constant.with_constant("c", double, &[1], bytes_of!(f64: 0.1)).bytes()).unwrap_err();
    assert!(failure.to_string().contains("`c`"), "{failure}");
    // An integer that f32 does not hold becomes none of another value.
    let (_, outputs) = ports();
    let cast = with_int(node("Cast", &["i"], &["y"]), "to", 11);
    let model = Model::parse(File::new(&[port("i", I64, "2")], &outputs, vec![cast]).bytes()).unwrap();
    let run = |bytes: &[u8]| model.run(&[Input { dims: &[2], bytes }]);
    assert_eq!(run(&bytes_of!(i64: 1 << 24, -5)).unwrap()[0].to_bytes().unwrap(), bytes_of!(f64: 16_777_216.0, -5.0));
    assert!(run(&bytes_of!(i64: (1 << 24) + 1, 0)).is_err());
}

#[test]
fn integers_of_8_and_16_bits_overflow_as_such() {
    for (element, width) in [(DataType::UINT8, 1), (DataType::INT8, 1), (DataType::UINT16, 2), (DataType::INT16, 2)] {
        let nodes = vec![node("Mul", &["x", "x"], &["y"])];
        let file = File::new(&[port("x", element, "1")], &[port("y", element, "1")], nodes);
        let model = Model::parse(file.bytes()).unwrap();
        let value = if width == 1 { vec![100] } else { 300_u16.to_le_bytes().to_vec() };
        let found = model.run(&[Input { dims: &[1], bytes: &value }]).unwrap()[0].to_bytes().unwrap();
        // 10000 is 16 modulo 256, 90000 is 24464 modulo 65536.
        assert_eq!(found, if width == 1 { vec![16] } else { 24464_u16.to_le_bytes().to_vec() }, "{element}");
    }
}

#[test]
fn axes_of_length_zero_are_sizes_like_others() {
    let float = DataType::FLOAT;
    let file = File::new(
        &[port("x", float, "2 0")],
        &[shapeless("y", float)],
        vec![with_ints(node("ReduceSum", &["x"], &["y"]), "axes", &[1])],
    );
    let model = Model::parse(file.at_opset(11).bytes()).unwrap();
    assert_eq!(model.inputs()[0].bytes(), Some(0));
    let outputs = model.run(&[Input { dims: &[2, 0], bytes: &[] }]).unwrap();
    assert_eq!((outputs[0].dims(), outputs[0].to_bytes().unwrap()), (vec![2, 1], bytes_of!(f32: 0.0, 0.0)));
}

#[test]
fn a_mean_of_integers_is_cut_off_towards_zero() {
    let one = with_int(with_ints(node("ReduceMean", &["x"], &["y"]), "axes", &[1]), "keepdims", 0);
    let file = File::new(&[port("x", I64, "n m")], &[shapeless("y", I64)], vec![one]);
    let model = Model::parse(file.at_opset(13).bytes()).unwrap();
    let bytes = bytes_of!(i64: 1, 2, -3, -4);
    let found = model.run(&[Input { dims: &[2, 2], bytes: &bytes }]).unwrap();
    assert_eq!(found[0].to_bytes().unwrap(), bytes_of!(i64: 1, -3));
    let large = bytes_of!(i64: 2_000_000_000, 2_000_000_000);
    assert!(model.run(&[Input { dims: &[1, 2], bytes: &large }]).is_err(), "the sum has more than 32 bits");
}

/// Libraries write constants without a sign as `uint64_data`, where the file does not have them as bytes.
#[test]
fn constants_without_a_sign_are_read_as_they_are_written() {
    const SIGNED: u8 = 7 << 3 | 2;
    const UNSIGNED: u8 = 11 << 3 | 2;
    let load = |element: DataType, values: &[i64]| {
        let one = node("Add", &["x", "k"], &["y"]);
        let mut file = File::new(&[port("x", element, "3")], &[shapeless("y", element)], vec![one]);
        file.graph.initializer.push(TensorProto {
            dims: vec![3],
            data_type: Some(element),
            name: Some("k".to_string()),
            int64_data: values.to_vec(),
            ..Default::default()
        });
        let mut bytes = file.bytes();
        // The elements of both fields are written in the same way.
        let end = [2, 1];
        let start = bytes.windows(2).position(|found| found == end).unwrap();
        let tag = bytes[..start].iter().rposition(|&byte| byte == SIGNED).unwrap();
        bytes[tag] = UNSIGNED;
        Model::parse(bytes).map_err(|failure| failure.to_string())
    };
    let model = load(DataType::UINT32, &[7, 2, 1]).unwrap();
    let bytes: Vec<u8> = [1_u32; 3].iter().flat_map(|value| value.to_le_bytes()).collect();
    let sums = model.run(&[Input { dims: &[3], bytes: &bytes }]).unwrap()[0].to_bytes().unwrap();
    assert_eq!(sums, [8_u32, 3, 2].iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>());
    let model = load(DataType::UINT64, &[7, 2, 1]).unwrap();
    assert_eq!(run(&model, &[1, 1, 1]).unwrap(), [8, 3, 2]);
    // The largest one has all 64 bits.
    let failure = load(DataType::UINT64, &[-1, 2, 1]).err().unwrap();
    assert!(failure.contains(&i64::MAX.to_string()), "{failure}");
}
