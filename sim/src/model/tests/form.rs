//! Graphs that the standard does not have are refused, and say of which node.

use super::bytes_of;
use super::files::{File, node, port, shapeless, with_graph, with_int, with_ints, with_text};
use super::run_static;
use crate::model::Model;
use rten_onnx::onnx::{DataType, GraphProto, ModelProto, NodeProto};

const FLOAT: DataType = DataType::FLOAT;

fn file(nodes: Vec<NodeProto>) -> File {
    File::new(&[port("x", FLOAT, "2")], &[shapeless("y", FLOAT)], nodes)
}

fn refusal(file: File) -> String {
    Model::parse(file.bytes()).unwrap_err().to_string()
}

#[test]
fn each_value_is_made_once_and_by_someone() {
    let add = |inputs: &[&str]| node("Add", inputs, &["y"]);
    let expect = |file: File, expected: &str| assert_eq!(refusal(file), expected);
    let twice = file(vec![node("Neg", &["x"], &["y"]), add(&["x", "x"])]);
    expect(twice, "the model cannot be loaded: the Add (Add): its output `y` is made by the Neg (Neg), too");
    expect(
        file(vec![node("Neg", &["x"], &["x"]), add(&["x", "x"])]),
        "the model cannot be loaded: the Neg (Neg): its output `x` is made by an input or a constant, too",
    );
    let nowhere = "the model cannot be loaded: the Add (Add): nothing makes its input `z`: no node, input or constant";
    expect(file(vec![add(&["x", "z"])]), nowhere);
    let circle = vec![add(&["x", "b"]), node("Neg", &["b"], &["a"]), node("Abs", &["a"], &["b"])];
    expect(
        file(circle),
        "the model cannot be loaded: the Neg (Neg): it needs `b` of the Abs (Abs), which needs its own output",
    );
    expect(file(vec![node("Neg", &["x"], &["z"])]), "the model's `y` cannot be used: no node makes this output");
    let inputs = [port("x", FLOAT, "2"), port("x", FLOAT, "2")];
    let several = File::new(&inputs, &[shapeless("y", FLOAT)], vec![node("Neg", &["x"], &["y"])]);
    expect(several, "the model's `x` cannot be used: the graph has several inputs of this name");
    let constants = file(vec![add(&["x", "w"])]).with_weights("w", &[2], &[1., 2.]).with_weights("w", &[2], &[3., 4.]);
    expect(constants, "the model's `w` cannot be used: the graph has several constants of this name");

    let inner = GraphProto {
        output: vec![shapeless("z", FLOAT)],
        node: vec![node("Mul", &["x", "nowhere"], &["z"])],
        ..Default::default()
    };
    let choice = with_graph(node("If", &["is"], &["y"]), "then_branch", inner.clone());
    let inputs = [port("x", FLOAT, "2"), port("is", DataType::BOOL, "")];
    let found = refusal(File::new(&inputs, &[shapeless("y", FLOAT)], vec![with_graph(choice, "else_branch", inner)]));
    assert!(found.contains("the If (If): the Mul (Mul): nothing makes its input `nowhere`"), "{found}");
}

/// The third version of the format leaves such numbers out of the file.
#[test]
fn an_attribute_with_a_type_and_no_number_is_zero() {
    let mut softmax = with_int(node("Softmax", &["x"], &["y"]), "axis", 0);
    softmax.attribute.iter_mut().for_each(|attribute| attribute.i = None);
    let file = File::new(&[port("x", FLOAT, "2 2")], &[shapeless("y", FLOAT)], vec![softmax]).at_opset(13);
    let found = run_static(&Model::parse(file.bytes()).unwrap(), &[&bytes_of!(f32: 0., 100., 0., 100.)]);
    assert_eq!(found, [bytes_of!(f32: 0.5, 0.5, 0.5, 0.5)], "along the last axis it is 0 and 1");
}

#[test]
fn nodes_in_another_order_are_put_in_order() {
    let half = DataType::FLOAT16;
    let inputs = [port("x", half, "1"), port("c", half, "1")];
    // Only the nodes before it tell that the sum has 16 bits: 2048 and 1 are 2048 then.
    let nodes = vec![
        node("Sub", &["s", "a"], &["y"]),
        node("Add", &["a", "b"], &["s"]),
        node("Abs", &["x"], &["a"]),
        node("Neg", &["c"], &["b"]),
    ];
    let model = Model::parse(File::new(&inputs, &[port("y", half, "1")], nodes).bytes()).unwrap();
    let found = run_static(&model, &[&bytes_of!(u16: 0x6800), &bytes_of!(u16: 0xbc00)]);
    assert_eq!(found, [bytes_of!(u16: 0)]);
}

#[test]
fn nodes_have_the_inputs_outputs_and_attributes_of_the_standard() {
    let relu = |inputs: &[&str]| file(vec![node("Relu", inputs, &["y"])]);
    let start = "the model cannot be loaded: the Relu (Relu): it has";
    assert_eq!(refusal(relu(&[])), format!("{start} 0 inputs, and the standard's operator 1"));
    assert_eq!(refusal(relu(&["x", "x", "x"])), format!("{start} 3 inputs, and the standard's operator 1"));
    assert_eq!(refusal(relu(&[""])), format!("{start} 0 inputs, and the standard's operator 1"));
    assert!(Model::parse(relu(&["x", ""]).bytes()).is_ok(), "an input that is left out");

    let start = "the model cannot be loaded: the Softmax (Softmax): attribute `";
    let softmax = || node("Softmax", &["x"], &["y"]);
    let expected = format!("{start}axis` is \"abc\": the standard has a whole number there");
    assert_eq!(refusal(file(vec![with_text(softmax(), "axis", "abc")])), expected);
    let expected = format!("{start}axis` is [0]: the standard has a whole number there");
    assert_eq!(refusal(file(vec![with_ints(softmax(), "axis", &[0])])), expected);
    let expected = format!("{start}speed` is 3: the standard has no such attribute");
    assert_eq!(refusal(file(vec![with_int(softmax(), "speed", 3)])), expected);
    let expected = format!("{start}axis` is 0: the node has this attribute more than once");
    assert_eq!(refusal(file(vec![with_int(with_int(softmax(), "axis", 0), "axis", 0)])), expected);
    let mut empty = node("", &["x"], &["y"]);
    empty.name = None;
    let expected = "the model cannot be loaded: node 0 (): the file does not say which operator it is";
    assert_eq!(refusal(file(vec![empty])), expected);
}

#[test]
fn versions_of_the_operators_that_are_not_known_are_refused() {
    let relu = || file(vec![node("Relu", &["x"], &["y"])]);
    for version in [0, -1, 99] {
        let found = refusal(relu().at_opset(version));
        assert!(found.contains(&format!("it has version {version} of the standard's operators")), "{found}");
    }
    // Without a version there is none to look the operator up in.
    let mut unversioned = ModelProto::parse_buf(&relu().bytes()).unwrap();
    unversioned.opset_import.clear();
    let found = Model::parse(unversioned.write_buf().unwrap()).unwrap_err().to_string();
    assert!(found.contains("does not say which version of the standard's operators it has"), "{found}");
}

#[test]
fn constants_have_as_many_elements_as_their_dims_say() {
    let with = |dims: &[i64], bytes: usize| {
        file(vec![node("Add", &["x", "w"], &["y"])]).with_constant("w", FLOAT, dims, vec![0; bytes])
    };
    assert!(Model::parse(with(&[2], 8).bytes()).is_ok());
    let start = "the model's `w` cannot be used: it is a constant";
    assert_eq!(refusal(with(&[2], 5)), format!("{start} with 5 bytes, and its dims [2] of type FLOAT need 8"));
    assert_eq!(refusal(with(&[0], 8)), format!("{start} with 8 bytes, and its dims [0] of type FLOAT need 0"));
    assert_eq!(refusal(with(&[-2], 8)), format!("{start}, and its dims are [-2]"));
    assert_eq!(
        refusal(with(&[1 << 40, 1 << 40], 8)),
        format!("{start}, and its dims are [1099511627776, 1099511627776]")
    );
}

#[test]
fn other_files_that_are_taken_for_models_are_called_by_their_name() {
    let why = |bytes: &[u8]| Model::parse(bytes.to_vec()).unwrap_err().to_string();
    assert!(why(b"version https://git-lfs.github.com/spec/v1\noid sha256:0").contains("git lfs pull"));
    assert!(why(b"PK\x03\x04").contains("PyTorch") && why(b"<!DOCTYPE html>").contains("web page"));
}
