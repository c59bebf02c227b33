//! Values that are cut into parts: right, or refused when the model is loaded if it is known that the parts do not fit.

use super::files::{File, node, port, shapeless, with_graph, with_int, with_ints};
use crate::model::{Input, Model};
use rten_onnx::onnx::{DataType, NodeProto};

const FLOAT: DataType = DataType::FLOAT;

fn file(dims: &str, one: NodeProto, opset: i64) -> File {
    let outputs = one.output.iter().filter(|name| !name.is_empty());
    let outputs: Vec<_> = outputs.map(|name| shapeless(name, FLOAT)).collect();
    File::new(&[port("x", FLOAT, dims)], &outputs, vec![one]).at_opset(opset)
}

fn refusal(file: File) -> String {
    Model::parse(file.bytes()).unwrap_err().to_string()
}

/// The parts of 1, 2 and so on.
fn parts(file: File, count: u8) -> Result<Vec<Vec<f32>>, String> {
    let model = Model::parse(file.bytes()).map_err(|failure| failure.to_string())?;
    let bytes: Vec<u8> = (1..=count).flat_map(|value| f32::from(value).to_le_bytes()).collect();
    let outputs =
        model.run(&[Input { dims: &[count.into()], bytes: &bytes }]).map_err(|failure| failure.to_string())?;
    let values = |bytes: Vec<u8>| bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
    Ok(outputs.iter().map(|output| values(output.to_bytes().unwrap())).collect())
}

#[test]
fn sizes_that_are_not_those_of_the_axis_are_refused_with_the_reason() {
    let one = || node("Split", &["x", "sizes"], &["y", "z"]);
    for sizes in [[3, 3], [2, 2], [6, -1]] {
        let found = refusal(file("5", one(), 13).with_integers("sizes", &sizes));
        assert!(found.contains("the Split (Split): attribute `split` is"), "{found}");
        let old = with_ints(node("Split", &["x"], &["y", "z"]), "split", &sizes);
        assert!(refusal(file("5", old, 11)).contains("`split`"));
    }
    let beyond = with_int(node("Split", &["x"], &["y", "z"]), "axis", 1);
    let found = refusal(file("4", beyond, 13));
    assert!(found.contains("the Split (Split): attribute `axis` is 1: `x` has 1 axes"), "{found}");
    assert_eq!(
        parts(file("5", one(), 13).with_integers("sizes", &[5, 0]), 5).unwrap(),
        [vec![1., 2., 3., 4., 5.], vec![]]
    );
    let found = parts(file("n", one(), 13).with_integers("sizes", &[2, 2]), 5).unwrap_err();
    assert!(found.contains("the Split (Split)"), "{found}");
}

#[test]
fn parts_without_sizes_are_equal_or_the_last_is_smaller() {
    let one = |count: usize| node("Split", &["x"], &["a", "b", "c", "d", "e", "f"][..count]);
    assert_eq!(parts(file("4", one(2), 13), 4).unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
    let found = refusal(file("5", one(2), 13));
    assert!(found.contains("the axis of `x` does not make 2 parts of the same size"), "{found}");
    let found = parts(file("n", one(2), 13), 5).unwrap_err();
    assert!(found.contains("the Split (Split)") && found.contains("does not make 2 parts"), "{found}");

    let newer = |count: usize| with_int(one(count), "num_outputs", count as i64);
    assert_eq!(parts(file("5", newer(3), 18), 5).unwrap(), [vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0]]);
    for (dims, count) in [("5", 4), ("6", 4), ("5", 6)] {
        let found = refusal(file(dims, newer(count), 18));
        assert!(found.contains(&format!("attribute `num_outputs` is {count}")), "{found}");
    }
}

/// ONNX's own definition of AffineGrid has one branch for sizes of four elements, and one for sizes of five.
#[test]
fn a_branch_that_is_not_taken_may_have_parts_that_do_not_fit() {
    let branch = |count: usize| {
        let parts = with_int(node("Split", &["x"], &["a", "b", "c"][..count]), "num_outputs", count as i64);
        File::new(&[], &[shapeless("a", FLOAT)], vec![parts]).graph
    };
    let one = with_graph(node("If", &["c"], &["y"]), "then_branch", branch(2));
    let one = with_graph(one, "else_branch", branch(3));
    let mut file = File::new(&[port("x", FLOAT, "2")], &[shapeless("y", FLOAT)], vec![one]).at_opset(18);
    file.graph.input.push(port("c", DataType::BOOL, ""));
    let model = Model::parse(file.bytes()).unwrap();
    let bytes: Vec<u8> = [1.0_f32, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let choose = |yes: u8| model.run(&[Input { dims: &[2], bytes: &bytes }, Input { dims: &[], bytes: &[yes] }]);
    assert_eq!(choose(1).unwrap()[0].to_bytes().unwrap(), 1.0_f32.to_le_bytes());
    let failure = choose(0).map(|_| ()).unwrap_err().to_string();
    assert!(failure.contains("Split"), "{failure}");
}

/// It is a part all the same.
#[test]
fn an_output_that_nothing_names_is_a_part() {
    let last = node("Split", &["x"], &["y", ""]);
    assert_eq!(parts(file("4", last, 13), 4).unwrap(), [[1.0, 2.0]]);
    let first = node("Split", &["x"], &["", "y"]);
    assert_eq!(parts(file("n", first, 13), 4).unwrap(), [[3.0, 4.0]]);
}

#[test]
fn parts_of_nothing_are_nothing() {
    let split = || node("Split", &["x"], &["y", "z"]);
    assert_eq!(parts(file("0", split(), 17), 0).unwrap(), [vec![], Vec::<f32>::new()]);
    assert_eq!(parts(file("0", with_int(split(), "num_outputs", 2), 18), 0).unwrap(), [vec![], Vec::<f32>::new()]);
}

#[test]
fn parts_of_a_value_whose_size_the_engine_finds_are_refused_when_they_do_not_fit() {
    let load = |sizes: &[i64]| {
        let split = node("Split", &["product", "sizes"], &["y", "z"]);
        let nodes = vec![node("MatMul", &["x", "w"], &["product"]), split];
        let outputs = [shapeless("y", FLOAT), shapeless("z", FLOAT)];
        let file = File::new(&[port("x", FLOAT, "5 2")], &outputs, nodes).with_weights("w", &[2, 1], &[1.0, 1.0]);
        Model::parse(file.with_integers("sizes", sizes).bytes()).map(|_| ()).map_err(|failure| failure.to_string())
    };
    assert_eq!(load(&[2, 3]), Ok(()));
    let found = load(&[2, 2]).unwrap_err();
    assert!(
        found.contains("the Split (Split): attribute `split` is [2, 2]: the axis of `product` has 5 elements"),
        "{found}"
    );
}
