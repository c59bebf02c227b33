//! Scan.

use super::files::{File, node, port, shapeless, with_graph, with_int, with_ints};
use crate::model::{Input, Model};
use rten_onnx::onnx::{DataType, GraphProto, NodeProto};

const FLOAT: DataType = DataType::FLOAT;

/// `sum, slice -> sum + slice, sum + slice`.
fn summing(dims: &str) -> GraphProto {
    let ports = [port("sum", FLOAT, dims), port("slice", FLOAT, dims)];
    let nodes = vec![node("Add", &["sum", "slice"], &["more"])];
    File::new(&ports, &[port("more", FLOAT, dims), port("more", FLOAT, dims)], nodes).graph
}

fn scan(body: GraphProto) -> NodeProto {
    with_int(with_graph(node("Scan", &["start", "x"], &["last", "all"]), "body", body), "num_scan_inputs", 1)
}

fn file(one: NodeProto) -> File {
    let ports = [port("start", FLOAT, "m"), port("x", FLOAT, "n k")];
    File::new(&ports, &[shapeless("last", FLOAT), shapeless("all", FLOAT)], vec![one])
}

type Output = (Vec<i64>, Vec<f32>);

/// What a file answers for two zeros and three rows of two.
fn answer(file: File, dims: &[i64]) -> Result<Vec<Output>, String> {
    let model = Model::parse(file.bytes()).map_err(|failure| failure.to_string())?;
    let bytes = |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|value| value.to_le_bytes()).collect() };
    let (start, x) = (bytes(&[0.0, 0.0]), bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let inputs = [Input { dims: &[2], bytes: &start }, Input { dims, bytes: &x }];
    let outputs = model.run(&inputs).map_err(|failure| failure.to_string())?;
    let floats = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
    Ok(outputs.iter().map(|output| (output.dims(), floats(&output.to_bytes().unwrap()))).collect())
}

#[test]
fn a_scan_takes_one_slice_in_each_turn_and_collects_what_its_body_gives() {
    let sums = (vec![3, 2], vec![1.0, 2.0, 4.0, 6.0, 9.0, 12.0]);
    for dims in ["2", "m"] {
        let found = answer(file(scan(summing(dims))).at_opset(9), &[3, 2]);
        assert_eq!(found, Ok(vec![(vec![2], vec![9.0, 12.0]), sums.clone()]));
    }
}

#[test]
fn slices_are_taken_along_any_axis_and_from_the_end() {
    for axis in [1, -1] {
        let one = with_ints(scan(summing("2")), "scan_input_axes", &[axis]);
        let found = answer(file(one), &[2, 3]).unwrap();
        assert_eq!(found[1], (vec![3, 2], vec![1.0, 4.0, 3.0, 9.0, 6.0, 15.0]));
    }
    let one = with_ints(scan(summing("2")), "scan_input_directions", &[1]);
    assert_eq!(answer(file(one), &[3, 2]).unwrap()[1], (vec![3, 2], vec![5.0, 6.0, 8.0, 10.0, 9.0, 12.0]));
}

#[test]
fn outputs_are_put_along_any_axis_and_from_the_end() {
    for axis in [1, -1] {
        let one = with_ints(scan(summing("2")), "scan_output_axes", &[axis]);
        assert_eq!(answer(file(one), &[3, 2]).unwrap()[1], (vec![2, 3], vec![1.0, 4.0, 9.0, 2.0, 6.0, 12.0]));
    }
    let one = with_ints(scan(summing("2")), "scan_output_directions", &[1]);
    assert_eq!(answer(file(one), &[3, 2]).unwrap()[1], (vec![3, 2], vec![9.0, 12.0, 4.0, 6.0, 1.0, 2.0]));
}

#[test]
fn a_body_uses_what_is_outside_of_it_and_a_state_may_stay_as_it_is() {
    let ports = [port("kept", FLOAT, "2"), port("slice", FLOAT, "2")];
    let nodes = vec![node("Mul", &["slice", "scale"], &["scaled"]), node("Identity", &["kept"], &["same"])];
    let body = File::new(&ports, &[port("same", FLOAT, "2"), port("scaled", FLOAT, "2")], nodes).graph;
    let found = answer(file(scan(body)).with_weights("scale", &[1], &[10.0]), &[3, 2]);
    assert_eq!(found, Ok(vec![(vec![2], vec![0.0; 2]), (vec![3, 2], vec![10.0, 20.0, 30.0, 40.0, 50.0, 60.0])]));
}

#[test]
fn a_scan_that_is_not_one_of_the_standard_is_refused_by_its_name() {
    let refused = |one: NodeProto| answer(file(one), &[3, 2]).unwrap_err();
    let without = with_graph(node("Scan", &["start", "x"], &["last", "all"]), "body", summing("2"));
    let failure = refused(without);
    assert!(failure.contains("the Scan (Scan)") && failure.contains("num_scan_inputs"), "{failure}");
    let failure = refused(with_ints(scan(summing("2")), "scan_output_axes", &[2]));
    assert!(failure.contains("scan_output_axes") && failure.contains("no such axis"), "{failure}");
    let failure = answer(file(scan(summing("2"))).at_opset(8), &[3, 2]).unwrap_err();
    assert!(failure.contains("before version 9"), "{failure}");
}

#[test]
fn lists_of_different_lengths_fail_the_run_and_an_unfit_integer_in_a_body_too() {
    let ports = [port("a", FLOAT, "2"), port("b", FLOAT, "2")];
    let body = File::new(&ports, &[port("sum", FLOAT, "2")], vec![node("Add", &["a", "b"], &["sum"])]).graph;
    let one = with_int(with_graph(node("Scan", &["x", "y"], &["all"]), "body", body), "num_scan_inputs", 2);
    let ports = [port("x", FLOAT, "n 2"), port("y", FLOAT, "m 2")];
    let model = Model::parse(File::new(&ports, &[shapeless("all", FLOAT)], vec![one]).bytes()).unwrap();
    let bytes = 1_f32.to_le_bytes().repeat(6);
    let run = |rows: i64| {
        let (x, y) =
            (Input { dims: &[3, 2], bytes: &bytes }, Input { dims: &[rows, 2], bytes: &bytes[..rows as usize * 8] });
        model.run(&[x, y])
    };
    assert_eq!(run(3).unwrap()[0].to_bytes().unwrap(), 2_f32.to_le_bytes().repeat(6));
    assert!(run(2).is_err(), "three turns over two rows");

    // The running sum of what 32 bits do not hold.
    let ports = [port("sum", DataType::INT64, "1"), port("slice", DataType::INT64, "1")];
    let nodes = vec![node("Add", &["sum", "slice"], &["more"])];
    let body = File::new(&ports, &[shapeless("more", DataType::INT64)], nodes).graph;
    let one = with_int(with_graph(node("Scan", &["start", "x"], &["last"]), "body", body), "num_scan_inputs", 1);
    let ports = [port("start", DataType::INT64, "1"), port("x", DataType::INT64, "n 1")];
    let model = Model::parse(File::new(&ports, &[shapeless("last", DataType::INT64)], vec![one]).bytes()).unwrap();
    let run = |value: i64| {
        let (start, x) = (0_i64.to_le_bytes(), value.to_le_bytes().repeat(3));
        model.run(&[Input { dims: &[1], bytes: &start }, Input { dims: &[3, 1], bytes: &x }])
    };
    assert_eq!(run(7).unwrap()[0].to_bytes().unwrap(), 21_i64.to_le_bytes());
    assert!(run(1 << 30).is_err());
}
