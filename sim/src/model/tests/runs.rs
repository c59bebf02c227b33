//! Runs of small models: element types, odd graphs, inputs that do not fit.

use super::files::{File, node, port, shapeless, with_ints};
use super::{bytes_of, run_static};
use crate::model::{Element, Input, Model, RunFailure};
use half::f16;
use rten_onnx::onnx::DataType;

#[test]
fn bytes_come_and_go_in_the_declared_element_types() {
    let types = [
        ("f16", DataType::FLOAT16, Element::F16),
        ("f64", DataType::DOUBLE, Element::F64),
        ("i32", DataType::INT32, Element::I32),
        ("i64", DataType::INT64, Element::I64),
        ("bool", DataType::BOOL, Element::Bool),
        ("u8", DataType::UINT8, Element::U8),
        ("i8", DataType::INT8, Element::I8),
        ("i16", DataType::INT16, Element::I16),
        ("u16", DataType::UINT16, Element::U16),
        ("u32", DataType::UINT32, Element::U32),
        ("u64", DataType::UINT64, Element::U64),
    ];
    let inputs = types.map(|(name, declared, _)| port(name, declared, "2"));
    let outputs = types.map(|(name, declared, _)| port(&format!("{name} out"), declared, "2"));
    let twice = |name: &str| node("Add", &[name, name], &[&format!("{name} out")]);
    let mut nodes: Vec<_> = ["f16", "i32", "i64", "u16", "u32", "u64"].map(twice).into();
    nodes.push(node("Neg", &["f64"], &["f64 out"]));
    nodes.push(node("Identity", &["i16"], &["i16 out"]));
    nodes.push(node("Not", &["bool"], &["bool out"]));
    nodes.push(node("Identity", &["u8"], &["u8 out"]));
    nodes.push(node("Identity", &["i8"], &["i8 out"]));
    let model = Model::parse(File::new(&inputs, &outputs, nodes).bytes()).unwrap();

    let elements = types.map(|(_, _, element)| element);
    assert_eq!(model.inputs().iter().map(|port| port.element).collect::<Vec<_>>(), elements);
    assert_eq!(model.outputs().iter().map(|port| port.element).collect::<Vec<_>>(), elements);
    assert_eq!(model.work_bytes(&[[2]; 11]), Some(2 * 2 * (2 + 8 + 4 + 8 + 1 + 1 + 1 + 2 + 2 + 4 + 8)));
    let outputs = run_static(
        &model,
        &[
            &bytes_of!(f16: f16::from_f32(1.5), f16::from_f32(-40000.0)),
            &bytes_of!(f64: 0.25, -3.0),
            &bytes_of!(i32: 7, -8),
            &bytes_of!(i64: 1_000_000_000, -5),
            &[0, 7],
            &[255, 1],
            &bytes_of!(i8: -128, 1),
            &bytes_of!(i16: -32768, 5),
            &bytes_of!(u16: 40000, 3),
            &bytes_of!(u32: 1_000_000_000, 0),
            &bytes_of!(u64: 1_000_000_000, 1),
        ],
    );
    assert_eq!(outputs[0], bytes_of!(f16: f16::from_f32(3.0), f16::NEG_INFINITY));
    assert_eq!(outputs[1], bytes_of!(f64: -0.25, 3.0));
    assert_eq!(outputs[2], bytes_of!(i32: 14, -16));
    assert_eq!(outputs[3], bytes_of!(i64: 2_000_000_000, -10));
    assert_eq!(outputs[4..7], [vec![1, 0], vec![255, 1], bytes_of!(i8: -128, 1)]);
    assert_eq!(outputs[7], bytes_of!(i16: -32768, 5));
    assert_eq!(outputs[8], bytes_of!(u16: 14464, 6), "it overflows as an integer of 16 bits");
    assert_eq!(outputs[9], bytes_of!(u32: 2_000_000_000, 0));
    assert_eq!(outputs[10], bytes_of!(u64: 2_000_000_000, 2));
}

#[test]
fn a_64_bit_value_that_does_not_fit_is_refused_and_not_changed() {
    let (input, output) = (port("ids", DataType::INT64, "2"), port("out", DataType::INT64, "2"));
    let model = Model::parse(File::new(&[input], &[output], vec![node("Neg", &["ids"], &["out"])]).bytes()).unwrap();
    let bytes = bytes_of!(i64: 1, 5_000_000_000);
    let failure = model.run(&[Input { dims: &[2], bytes: &bytes }]).unwrap_err();
    assert!(failure.to_string().starts_with("input 0 (`ids`): found the value 5000000000 at element 1"), "{failure}");
}

#[test]
fn outputs_may_be_inputs_constants_and_one_another() {
    let x = port("x", DataType::FLOAT, "2");
    let outputs = ["x", "same", "again", "weights"].map(|name| port(name, DataType::FLOAT, "2"));
    let nodes = vec![node("Identity", &["x"], &["same"]), node("Identity", &["x"], &["again"])];
    let file = File::new(&[x], &outputs, nodes).with_weights("weights", &[2], &[3.0, 4.0]);
    let model = Model::parse(file.bytes()).unwrap();
    assert_eq!(model.weight_bytes(), 8);
    let (x, weights) = (bytes_of!(f32: 1.0, 2.0), bytes_of!(f32: 3.0, 4.0));
    assert_eq!(run_static(&model, &[&x]), [x.clone(), x.clone(), x, weights]);
}

#[test]
fn a_transposed_output_is_in_row_major_order() {
    let (input, output) = (port("x", DataType::FLOAT, "2 3"), port("y", DataType::FLOAT, "3 2"));
    let transpose = with_ints(node("Transpose", &["x"], &["y"]), "perm", &[1, 0]);
    let model = Model::parse(File::new(&[input], &[output], vec![transpose]).bytes()).unwrap();
    let outputs = run_static(&model, &[&bytes_of!(f32: 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)]);
    assert_eq!(outputs, [bytes_of!(f32: 1.0, 4.0, 2.0, 5.0, 3.0, 6.0)]);
}

#[test]
fn an_output_may_have_no_elements() {
    let (input, output) = (port("x", DataType::FLOAT, "3"), shapeless("where", DataType::INT64));
    let model =
        Model::parse(File::new(&[input], &[output], vec![node("NonZero", &["x"], &["where"])]).bytes()).unwrap();
    let outputs = model.run(&[Input { dims: &[3], bytes: &bytes_of!(f32: 0.0, 0.0, 0.0) }]).unwrap();
    assert_eq!((outputs[0].dims(), outputs[0].len()), (vec![1, 0], 0));
    let outputs = model.run(&[Input { dims: &[3], bytes: &bytes_of!(f32: 0.0, 1.0, 1.0) }]).unwrap();
    assert_eq!((outputs[0].dims(), outputs[0].to_bytes().unwrap()), (vec![1, 2], bytes_of!(i64: 1, 2)));
}

#[test]
fn an_input_that_does_not_fit_is_named_with_what_was_found_and_expected() {
    let inputs = [port("a", DataType::FLOAT, "n 4"), port("b", DataType::FLOAT, "2")];
    let outputs = [port("sum", DataType::FLOAT, "n 4"), port("twice", DataType::FLOAT, "2")];
    let nodes = vec![node("Add", &["a", "a"], &["sum"]), node("Add", &["b", "b"], &["twice"])];
    let model = Model::parse(File::new(&inputs, &outputs, nodes).bytes()).unwrap();
    let b = Input { dims: &[2], bytes: &[0; 8] };
    let refused = |inputs: &[Input<'_>]| model.run(inputs).unwrap_err().to_string();
    let a = |dims, bytes| Input { dims, bytes };

    assert_eq!(refused(&[b]), "found 1 inputs, expected 2");
    let dynamic = "expected [-1, 4], where -1 is any size";
    assert_eq!(refused(&[a(&[4], &[0; 16]), b]), format!("input 0 (`a`): found dims [4], {dynamic}"));
    assert_eq!(refused(&[a(&[1, 5], &[0; 20]), b]), format!("input 0 (`a`): found dims [1, 5], {dynamic}"));
    assert_eq!(refused(&[a(&[-1, 4], &[]), b]), format!("input 0 (`a`): found dims [-1, 4], {dynamic}"));
    let good = a(&[3, 4], &[0; 48]);
    assert_eq!(refused(&[good, a(&[3], &[0; 12])]), "input 1 (`b`): found dims [3], expected [2]");
    let bytes = [0; 9];
    assert_eq!(refused(&[good, a(&[2], &bytes)]), "input 1 (`b`): found 9 bytes, expected 8 for f32 [2]");
    let uncountable = refused(&[a(&[i64::MAX, 4], &[]), b]);
    assert!(uncountable.contains("expected dims whose bytes can be counted"), "{uncountable}");
    assert!(model.run(&[good, b]).is_ok());
    let none = model.run(&[a(&[0, 4], &[]), b]).unwrap();
    assert_eq!((none[0].dims(), none[0].len()), (vec![0, 4], 0));
}

#[test]
fn an_operator_that_fails_is_named() {
    let inputs = [port("a", DataType::FLOAT, "n"), port("b", DataType::FLOAT, "m")];
    let file = File::new(&inputs, &[port("sum", DataType::FLOAT, "?")], vec![node("Add", &["a", "b"], &["sum"])]);
    let model = Model::parse(file.bytes()).unwrap();
    let inputs = [Input { dims: &[2], bytes: &[0; 8] }, Input { dims: &[3], bytes: &[0; 12] }];
    let failure = model.run(&inputs).unwrap_err().to_string();
    assert!(failure.starts_with("the model failed while running: ") && failure.contains("the Add"), "{failure}");
}

#[test]
fn an_output_that_contradicts_its_declaration_is_refused() {
    let (input, output) = (port("x", DataType::FLOAT, "1"), port("y", DataType::INT32, "1"));
    let model = Model::parse(File::new(&[input], &[output], vec![node("Neg", &["x"], &["y"])]).bytes()).unwrap();
    let failure = model.run(&[Input { dims: &[1], bytes: &[0; 4] }]).unwrap_err().to_string();
    assert!(failure.contains("output `y` is declared i32 but calculated as tensor(f32)"), "{failure}");
}

#[test]
fn a_buffer_too_small_for_an_output_stays_untouched() {
    let (input, output) = (port("x", DataType::FLOAT, "2"), port("y", DataType::FLOAT, "2"));
    let model = Model::parse(File::new(&[input], &[output], vec![node("Neg", &["x"], &["y"])]).bytes()).unwrap();
    let outputs = model.run(&[Input { dims: &[2], bytes: &bytes_of!(f32: 1.0, 2.0) }]).unwrap();
    let mut small = [9; 7];
    assert_eq!(outputs[0].write_to(&mut small), Err(RunFailure::OutputSpace { found: 7, expected: 8 }));
    assert_eq!(small, [9; 7]);
    let mut large = [9; 10];
    outputs[0].write_to(&mut large).unwrap();
    assert_eq!((&large[..8], &large[8..]), (&bytes_of!(f32: -1.0, -2.0)[..], &[9, 9][..]));
}

/// A debug build of the engine panics over an overflow of 32 bits, and does not say where.
#[cfg(debug_assertions)]
#[test]
fn a_panic_of_the_engine_names_the_node() {
    let i32s = DataType::INT32;
    let nodes = vec![
        node("Identity", &["x"], &["a"]),
        node("Abs", &["a"], &["b"]),
        node("Add", &["b", "b"], &["c"]),
        node("Abs", &["c"], &["y"]),
    ];
    let file = File::new(&[port("x", i32s, "1")], &[shapeless("y", i32s)], nodes);
    let model = Model::parse(file.bytes()).unwrap();
    let run = |value: i32| model.run(&[Input { dims: &[1], bytes: &value.to_le_bytes() }]);
    assert!(run(3).is_ok());
    let failure = run(i32::MAX).map(|_| ()).unwrap_err().to_string();
    assert!(failure.contains("the Add (Add): rten panicked: attempt to add with overflow"), "{failure}");
}
