//! Convolutions and pools over three axes, and pools with gaps.

use super::files::{File, node, port, shapeless, with_int, with_ints, with_text};
use crate::model::{Input, Model};
use rten_onnx::onnx::{DataType, NodeProto};

const FLOAT: DataType = DataType::FLOAT;

fn answer(one: NodeProto, weights: &[(&str, &[i64], &[f32])], dims: &[i64], x: &[f32]) -> (Vec<i64>, Vec<f32>) {
    let symbols = ["a", "b", "c", "d", "e"].get(..dims.len()).unwrap().join(" ");
    let mut file = File::new(&[port("x", FLOAT, &symbols)], &[shapeless("y", FLOAT)], vec![one]);
    for (name, dims, values) in weights {
        file = file.with_weights(name, dims, values);
    }
    let bytes: Vec<u8> = x.iter().flat_map(|value| value.to_le_bytes()).collect();
    let outputs = Model::parse(file.at_opset(22).bytes()).unwrap().run(&[Input { dims, bytes: &bytes }]).unwrap();
    let bytes = outputs[0].to_bytes().unwrap();
    (outputs[0].dims(), bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect())
}

#[test]
fn a_convolution_of_a_volume_adds_all_places_of_its_filter() {
    // Two places along each axis, of which the filter takes the first and the last.
    let x: Vec<f32> = (1..=8_u8).map(f32::from).collect();
    let filter = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 10.0];
    let weights: [(&str, &[i64], &[f32]); 2] = [("w", &[1, 1, 2, 2, 2], &filter), ("b", &[1], &[0.5])];
    let one = node("Conv", &["x", "w", "b"], &["y"]);
    assert_eq!(answer(one.clone(), &weights, &[1, 1, 2, 2, 2], &x), (vec![1; 5], vec![81.5]));
    // Padded by one element before the first axis of space, and two images in one batch.
    let padded = with_ints(one, "pads", &[1, 0, 0, 0, 0, 0]);
    let found = answer(padded, &weights, &[2, 1, 2, 2, 2], &x.repeat(2));
    assert_eq!(found, (vec![2, 1, 2, 1, 1], vec![40.5, 81.5, 40.5, 81.5]));
    // Every second place of three along the first axis.
    let x: Vec<f32> = (1..=3_u8).map(f32::from).collect();
    let weights: [(&str, &[i64], &[f32]); 1] = [("w", &[1, 1, 2, 1, 1], &[1.0, 10.0])];
    let one = with_ints(node("Conv", &["x", "w"], &["y"]), "dilations", &[2, 1, 1]);
    assert_eq!(answer(one, &weights, &[1, 1, 3, 1, 1], &x), (vec![1; 5], vec![31.0]));
}

#[test]
fn a_convolution_over_too_many_axes_says_how_many_may_be() {
    for (operator, dims, most) in [("Conv", 6, 3), ("ConvTranspose", 5, 2)] {
        let symbols = ["a", "b", "c", "d", "e", "f"].get(..dims).unwrap().join(" ");
        let one = node(operator, &["x", "w"], &["y"]);
        let file = File::new(&[port("x", FLOAT, &symbols)], &[shapeless("y", FLOAT)], vec![one]);
        let file = file.with_weights("w", &vec![1; dims], &[1.0]).at_opset(22);
        let failure = Model::parse(file.bytes()).unwrap_err().to_string();
        let said = format!("it is over {} axes of space, and the simulator has it over 1 to {most}", dims - 2);
        assert!(failure.contains(&said), "{failure}");
    }
}

#[test]
fn a_pool_may_have_gaps() {
    let pool = |operator: &str| {
        let one = with_ints(node(operator, &["x"], &["y"]), "kernel_shape", &[2]);
        with_ints(with_ints(one, "dilations", &[2]), "strides", &[2])
    };
    let x = [1.0, 9.0, 4.0, 2.0, 3.0];
    assert_eq!(answer(pool("MaxPool"), &[], &[1, 1, 5], &x).1, [4.0, 4.0]);
    assert_eq!(answer(pool("AveragePool"), &[], &[1, 1, 5], &x).1, [2.5, 3.5]);
    let padded = |operator: &str| with_ints(pool(operator), "pads", &[1, 1]);
    assert_eq!(answer(padded("MaxPool"), &[], &[1, 1, 5], &[-1.0; 5]).1, [-1.0; 3]);
    assert_eq!(answer(padded("AveragePool"), &[], &[1, 1, 5], &x).1, [9.0, 5.5, 2.0]);
    let counted = with_int(padded("AveragePool"), "count_include_pad", 1);
    assert_eq!(answer(counted, &[], &[1, 1, 5], &x).1, [4.5, 5.5, 1.0]);
    let same = with_ints(with_ints(node("MaxPool", &["x"], &["y"]), "kernel_shape", &[2]), "dilations", &[2]);
    let same = with_text(same, "auto_pad", "SAME_LOWER");
    assert_eq!(answer(same, &[], &[1, 1, 5], &x).1, [9.0, 4.0, 9.0, 4.0, 2.0]);
}

#[test]
fn a_pool_may_be_over_three_axes() {
    let x: Vec<f32> = (1..=8_u8).map(f32::from).collect();
    for (operator, expected) in [("MaxPool", 8.0), ("AveragePool", 4.5)] {
        let one = with_ints(node(operator, &["x"], &["y"]), "kernel_shape", &[2, 2, 2]);
        assert_eq!(answer(one, &[], &[1, 1, 2, 2, 2], &x), (vec![1; 5], vec![expected]), "{operator}");
    }
}

#[test]
fn the_last_window_may_reach_over_the_end() {
    let x: Vec<f32> = (1..=6_u8).map(f32::from).collect();
    let pool = |operator: &str| {
        let one = with_ints(node(operator, &["x"], &["y"]), "kernel_shape", &[2]);
        with_int(with_ints(one, "strides", &[2]), "ceil_mode", 1)
    };
    let gaps = |operator: &str| with_ints(pool(operator), "dilations", &[2]);
    let found = |one: NodeProto| answer(one, &[], &[1, 1, 6], &x).1;
    assert_eq!(found(gaps("MaxPool")), [3.0, 5.0, 5.0]);
    // Of the last window one element is there.
    assert_eq!(found(gaps("AveragePool")), [2.0, 4.0, 5.0]);
    let padded = with_int(with_ints(gaps("AveragePool"), "pads", &[1, 1]), "count_include_pad", 1);
    // Its padding counts, what lies behind does not: 0 and 2, 2 and 4, 4 and 6, and 6 alone.
    assert_eq!(found(padded), [1.0, 3.0, 5.0, 6.0]);
    let odd = with_int(pool("LpPool"), "p", 1);
    assert_eq!(answer(odd, &[], &[1, 1, 5], &x[..5]).1, [3.0, 7.0, 5.0]);
}

#[test]
fn the_size_of_the_output_is_known_where_that_of_the_input_is() {
    let one = with_ints(node("MaxPool", &["x"], &["y"]), "kernel_shape", &[2]);
    let one = with_ints(with_int(with_ints(one, "strides", &[2]), "ceil_mode", 1), "dilations", &[2]);
    let file = File::new(&[port("x", FLOAT, "1 1 6")], &[shapeless("y", FLOAT)], vec![one]);
    assert_eq!(Model::parse(file.at_opset(22).bytes()).unwrap().outputs()[0].dims, [1, 1, 3]);
    let one = with_text(node("GridSample", &["x", "grid"], &["y"]), "mode", "cubic");
    let ports = [port("x", FLOAT, "1 2 5 6"), port("grid", FLOAT, "1 3 4 2")];
    let file = File::new(&ports, &[shapeless("y", FLOAT)], vec![one]);
    assert_eq!(Model::parse(file.at_opset(20).bytes()).unwrap().outputs()[0].dims, [1, 2, 3, 4]);
}
