//! Failures at the run name the node of the file, whatever the engine makes of it.

use super::files::{File, node, port, shapeless, with_graph, with_int};
use crate::model::{Input, Model};
use rten_onnx::onnx::{DataType, GraphProto, NodeProto};

const FLOAT: DataType = DataType::FLOAT;

fn failure(file: File, inputs: &[Input<'_>]) -> String {
    Model::parse(file.bytes()).unwrap().run(inputs).unwrap_err().to_string()
}

/// Inputs of zeros with these dims.
fn zeros(dims: &[[i64; 1]]) -> Vec<Input<'_>> {
    dims.iter().map(|dims| Input { dims, bytes: &[0; 64][..4 * dims[0] as usize] }).collect()
}

fn named(name: &str, mut node: NodeProto) -> NodeProto {
    node.name = Some(name.to_string());
    node
}

#[test]
fn a_node_that_has_its_name_from_another_node_or_a_value_is_named() {
    let inputs = [port("a", FLOAT, "n"), port("b", FLOAT, "m")];
    let outputs = [shapeless("y", FLOAT)];
    let add = |first: &str, second: &str, output: &str| named("twice", node("Add", &[first, second], &[output]));
    let nodes = vec![add("a", "a", "c"), add("c", "b", "y")];
    let found = failure(File::new(&inputs, &outputs, nodes), &zeros(&[[2], [3]]));
    assert!(found.starts_with("the model failed while running: operator \"twice (Add)\" failed: "), "{found}");

    let nodes = vec![add("a", "a", "twice (Add)"), add("twice (Add)", "b", "y")];
    let found = failure(File::new(&inputs, &outputs, nodes), &zeros(&[[2], [3]]));
    assert!(found.starts_with("the model failed while running: operator \"twice (Add)\" failed: "), "{found}");
}

#[test]
fn a_node_that_becomes_several_is_named_with_its_attributes() {
    let two = [port("a", DataType::FLOAT16, "n"), port("b", DataType::FLOAT16, "m")];
    let sum = File::new(&two, &[shapeless("y", DataType::FLOAT16)], vec![node("Sum", &["a", "a", "b"], &["y"])]);
    let inputs = [Input { dims: &[2], bytes: &[0; 4] }, Input { dims: &[3], bytes: &[0; 6] }];
    let found = failure(sum, &inputs);
    assert!(found.starts_with("the model failed while running: operator \"the Sum (Sum)\" failed: "), "{found}");

    let split = with_int(with_int(node("Split", &["a"], &["y", "z"]), "axis", 0), "num_outputs", 2);
    let outputs = [shapeless("y", FLOAT), shapeless("z", FLOAT)];
    let file = File::new(&[port("a", FLOAT, "n")], &outputs, vec![split]).at_opset(18);
    let expected = "operator \"the Split (Split)\" (axis = 0, num_outputs = 2) failed: ";
    let found = failure(file, &zeros(&[[1]]));
    assert!(found.contains(expected), "{found}");
}

#[test]
fn a_node_inside_of_a_branch_is_named_with_the_node_around_it() {
    let branch = |operator: &str, inputs: &[&str]| GraphProto {
        output: vec![shapeless("z", FLOAT)],
        node: vec![node("Neg", &["a"], &["n"]), node(operator, inputs, &["z"])],
        ..Default::default()
    };
    let truth = port("is", DataType::BOOL, "");
    let choice = |refused: NodeProto| {
        let bad = GraphProto { output: vec![shapeless("z", FLOAT)], node: vec![refused], ..Default::default() };
        let choice = with_graph(node("If", &["is"], &["y"]), "then_branch", bad);
        let choice = with_graph(choice, "else_branch", branch("Identity", &["n"]));
        let inputs = [truth.clone(), port("a", FLOAT, "n"), port("b", FLOAT, "m")];
        File::new(&inputs, &[shapeless("y", FLOAT)], vec![choice])
    };
    let file = choice(node("Sum", &["a", "a", "b"], &["z"]));
    let inputs = [&[Input { dims: &[], bytes: &[1] }][..], &zeros(&[[2], [3]])].concat();
    let found = failure(file, &inputs);
    let expected = "the model failed while running: operator \"the If (If): the Sum (Sum)\" failed: ";
    assert!(found.starts_with(expected), "{found}");

    let mut nameless = with_int(node("Tanh", &["a"], &["z"]), "speed", 11);
    nameless.name = None;
    let found = Model::parse(choice(nameless).bytes()).unwrap_err().to_string();
    let expected = "the model cannot be loaded: the If (If): node 0 (Tanh): attribute `speed` is 11: ";
    assert!(found.starts_with(expected), "{found}");
}

#[test]
fn a_check_of_sizes_that_fails_names_the_node_for_which_it_is_made() {
    let pad = node("Pad", &["a", "pads"], &["y"]);
    let inputs = [port("a", FLOAT, "n"), port("pads", DataType::INT64, "k")];
    let file = File::new(&inputs, &[shapeless("y", FLOAT)], vec![pad]);
    let bytes = [0; 24];
    let inputs = [zeros(&[[2]])[0], Input { dims: &[3], bytes: &bytes }];
    let found = failure(file, &inputs);
    assert!(found.starts_with("the model failed while running: operator \"the Pad (Pad)\" failed: "), "{found}");
}
