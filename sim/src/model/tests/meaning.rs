//! Operators that the engine takes for something else than the standard says.

use super::files::{File, node, port, shapeless, with_int, with_ints, with_text};
use crate::model::{Input, Model};
use rten_onnx::onnx::{DataType, NodeProto};

const FLOAT: DataType = DataType::FLOAT;

/// The dims and elements of the one output of a model with one input.
fn answer(file: File, dims: &[i64], values: &[f32]) -> (Vec<i64>, Vec<f32>) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let (dims, bytes) = run(file, &[(dims, &bytes)]);
    (dims, floats(&bytes))
}

fn run(file: File, inputs: &[(&[i64], &[u8])]) -> (Vec<i64>, Vec<u8>) {
    let model = Model::parse(file.bytes()).unwrap();
    let inputs: Vec<_> = inputs.iter().map(|&(dims, bytes)| Input { dims, bytes }).collect();
    let outputs = model.run(&inputs).unwrap();
    (outputs[0].dims(), outputs[0].to_bytes().unwrap())
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

fn integers(bytes: &[u8]) -> Vec<i64> {
    bytes.as_chunks().0.iter().map(|chunk| i64::from_le_bytes(*chunk)).collect()
}

/// A model of this one node on `x`, whose dims are open.
fn on_x(dims: &str, one: NodeProto) -> File {
    File::new(&[port("x", FLOAT, dims)], &[shapeless("y", FLOAT)], vec![one])
}

fn close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found_one, expected_one) in found.iter().zip(expected) {
        assert!((found_one - expected_one).abs() < 1e-5, "found {found:?}, expected {expected:?}");
    }
}

#[test]
fn a_softmax_before_opset_13_is_over_all_axes_from_its_axis_on() {
    for (operator, expected) in [("Softmax", 0.25_f32), ("LogSoftmax", 0.25_f32.ln())] {
        // By default from axis 1: the shape of what ends an image classifier.
        let file = on_x("n 4 h w", node(operator, &["x"], &["y"])).at_opset(12);
        let (dims, found) = answer(file, &[2, 4, 1, 1], &[1.0; 8]);
        assert_eq!(dims, [2, 4, 1, 1]);
        close(&found, &[expected; 8]);
    }
    let file = on_x("n 2 2", with_int(node("Softmax", &["x"], &["y"]), "axis", 0)).at_opset(11);
    close(&answer(file, &[1, 2, 2], &[0.0; 4]).1, &[0.25; 4]);
    let file = on_x("n 4 h w", node("Softmax", &["x"], &["y"])).at_opset(13);
    close(&answer(file, &[2, 4, 1, 1], &[1.0; 8]).1, &[1.0; 8]);
}

#[test]
fn a_hardmax_before_opset_13_chooses_once_for_all_axes_from_its_axis_on() {
    let file = on_x("n 2 2", node("Hardmax", &["x"], &["y"])).at_opset(11);
    close(&answer(file, &[1, 2, 2], &[1.0, 3.0, 3.0, 2.0]).1, &[0.0, 1.0, 0.0, 0.0]);
    let file = on_x("n 2 2", node("Hardmax", &["x"], &["y"])).at_opset(13);
    close(&answer(file, &[1, 2, 2], &[1.0, 3.0, 3.0, 2.0]).1, &[0.0, 1.0, 1.0, 0.0]);
}

#[test]
fn the_padding_of_same_lower_is_at_the_start() {
    let pool = |strides: &[i64], mode: &str| {
        let pool = with_ints(node("MaxPool", &["x"], &["y"]), "kernel_shape", &[2]);
        with_text(with_ints(pool, "strides", strides), "auto_pad", mode)
    };
    let values = [1.0, 5.0, 2.0, 4.0, 3.0];
    for dims in ["1 1 5", "1 1 n"] {
        close(&answer(on_x(dims, pool(&[1], "SAME_LOWER")), &[1, 1, 5], &values).1, &[1.0, 5.0, 5.0, 4.0, 4.0]);
        close(&answer(on_x(dims, pool(&[1], "SAME_UPPER")), &[1, 1, 5], &values).1, &[5.0, 5.0, 4.0, 4.0, 3.0]);
        close(&answer(on_x(dims, pool(&[2], "SAME_LOWER")), &[1, 1, 5], &values).1, &[1.0, 5.0, 4.0]);
        let filter = |strides: &[i64]| {
            let one = with_ints(node("Conv", &["x", "w"], &["y"]), "strides", strides);
            on_x(dims, with_text(one, "auto_pad", "SAME_LOWER")).with_weights("w", &[1, 1, 2], &[10.0, 1.0])
        };
        close(&answer(filter(&[1]), &[1, 1, 5], &values).1, &[1.0, 15.0, 52.0, 24.0, 43.0]);
        close(&answer(filter(&[2]), &[1, 1, 5], &values).1, &[1.0, 52.0, 43.0]);
        let mean = NodeProto { op_type: Some("AveragePool".to_string()), ..pool(&[2], "SAME_LOWER") };
        close(&answer(on_x(dims, mean), &[1, 1, 5], &values).1, &[1.0, 3.5, 3.5]);
    }
}

#[test]
fn of_equal_elements_the_first_is_the_greatest_and_the_least_unless_asked_otherwise() {
    let values = [2.0_f32, 7.0, 7.0, 2.0, 3.0, 3.0, 3.0, 3.0];
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    for (operator, first, last) in [("ArgMax", [1, 0], [2, 3]), ("ArgMin", [0, 0], [3, 3])] {
        for keeps in [0, 1] {
            let one = with_int(with_int(node(operator, &["x"], &["y"]), "axis", -1), "keepdims", keeps);
            let found = |one| {
                let file = File::new(&[port("x", FLOAT, "n 4")], &[shapeless("y", DataType::INT64)], vec![one]);
                integers(&run(file, &[(&[2, 4], &bytes)]).1)
            };
            assert_eq!(found(one.clone()), first, "{operator}");
            assert_eq!(found(with_int(one, "select_last_index", 1)), last, "{operator}");
        }
    }
}

#[test]
fn the_sign_of_zero_is_zero() {
    let file = on_x("4", node("Sign", &["x"], &["y"]));
    let (_, found) = answer(file, &[4], &[-3.0, 0.0, 5.0, f32::NAN]);
    assert_eq!(found[..3], [-1.0, 0.0, 1.0]);
    assert!(found[3].is_nan());
    let ports = (port("x", DataType::INT8, "3"), port("y", DataType::INT8, "3"));
    let file = File::new(&[ports.0], &[ports.1], vec![node("Sign", &["x"], &["y"])]);
    assert_eq!(run(file, &[(&[3], &[0x80, 0, 9])]).1, [0xff, 0, 1]);
}

#[test]
fn a_convolution_of_integers_is_padded_with_its_zero_point() {
    let one = with_ints(node("ConvInteger", &["x", "w", "z"], &["y"]), "pads", &[1, 1]);
    let ports = [port("x", DataType::UINT8, "1 1 n"), port("z", DataType::UINT8, "")];
    let file = File::new(&ports, &[shapeless("y", DataType::INT32)], vec![one]);
    let file = file.with_constant("w", DataType::UINT8, &[1, 1, 3], vec![1, 1, 1]);
    let (dims, found) = run(file, &[(&[1, 1, 3], &[12, 10, 11]), (&[], &[10])]);
    assert_eq!(dims, [1, 1, 3]);
    let found: Vec<i32> = found.as_chunks().0.iter().map(|chunk| i32::from_le_bytes(*chunk)).collect();
    assert_eq!(found, [2, 3, 1]);
}

#[test]
fn a_cubic_resize_is_cubic() {
    let one = |mode: &str| with_text(node("Resize", &["x", "", "scales"], &["y"]), "mode", mode);
    let image: Vec<f32> = (1..=16_u8).map(f32::from).collect();
    for dims in ["1 1 4 4", "n 1 4 4", "1 1 h w"] {
        let file = on_x(dims, one("cubic")).with_weights("scales", &[4], &[1.0, 1.0, 0.8, 0.8]);
        let (dims, found) = answer(file, &[1, 1, 4, 4], &image);
        assert_eq!(dims, [1, 1, 3, 3]);
        let expected =
            [1.471_191_4, 2.781_25, 4.082_519_5, 6.711_426, 8.021_484, 9.322_754, 11.916_504, 13.226_563, 14.527_832];
        close(&found, &expected);
    }
    // Where smoothing would depend on sizes that are not known, the node is refused, and not done in another way.
    let smooth = with_int(one("cubic"), "antialias", 1);
    let file = on_x("1 1 h w", smooth).with_weights("scales", &[4], &[1.0, 1.0, 0.8, 0.8]).at_opset(19);
    let failure = Model::parse(file.bytes()).unwrap_err().to_string();
    assert!(failure.contains("the Resize (Resize): attribute `antialias` is 1"), "{failure}");
}

#[test]
fn the_nearest_element_is_that_of_the_exact_quotient() {
    // 41 times the inverse of 41 is less than one in 32 bits.
    let one = with_text(node("Resize", &["x", "", "scales"], &["y"]), "coordinate_transformation_mode", "asymmetric");
    let file = on_x("1 1 2", with_text(one, "nearest_mode", "floor")).with_weights("scales", &[3], &[1.0, 1.0, 41.0]);
    let (_, found) = answer(file, &[1, 1, 2], &[1.0, 2.0]);
    assert_eq!(found.iter().filter(|&&value| value == 1.0).count(), 41);
    assert_eq!(found[41], 2.0);
}

#[test]
fn a_quotient_that_is_rounded_down_is_exact() {
    let nodes = vec![node("Div", &["x", "forty-one"], &["q"]), node("Floor", &["q"], &["y"])];
    let file =
        File::new(&[port("x", FLOAT, "n")], &[shapeless("y", FLOAT)], nodes).with_weights("forty-one", &[], &[41.0]);
    assert_eq!(answer(file, &[2], &[41.0, 82.0]).1, [1.0, 2.0]);
}

#[test]
fn boxes_are_suppressed_by_class_and_image_and_by_their_common_area() {
    // Two images of two classes; the boxes of a pair overlap by a third of their union, along a diagonal.
    let corner = |at: f32| [at, at, at + 2.0, at + 2.0];
    let boxes: Vec<f32> = [corner(0.0), corner(0.5), corner(5.0)].concat().repeat(2);
    let scores = [[0.9, 0.8, 0.7], [0.1, 0.6, 0.5], [0.3, 0.4, 0.5], [0.2, 0.2, 0.0]].concat();
    let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let found = |overlap: f32, most: i64| {
        let ports = [port("boxes", FLOAT, "n 3 4"), port("scores", FLOAT, "n c 3")];
        let one = node("NonMaxSuppression", &["boxes", "scores", "most", "overlap", "least"], &["y"]);
        let file = File::new(&ports, &[shapeless("y", DataType::INT64)], vec![one])
            .with_integers("most", &[most])
            .with_weights("overlap", &[1], &[overlap])
            .with_weights("least", &[1], &[0.1]);
        let (dims, bytes) = run(file, &[(&[2, 3, 4], &bytes(&boxes)), (&[2, 2, 3], &bytes(&scores))]);
        assert_eq!(dims[1], 3);
        integers(&bytes).chunks(3).map(|row| [row[0], row[1], row[2]]).collect::<Vec<_>>()
    };
    // The common area is 2.25, that of both 5.75: 0.39.
    let apart = [[0, 0, 0], [0, 0, 2], [0, 1, 1], [0, 1, 2], [1, 0, 2], [1, 0, 1], [1, 1, 0]];
    assert_eq!(found(0.3, 9), apart);
    let all =
        [[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 1, 1], [0, 1, 2], [1, 0, 2], [1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]];
    assert_eq!(found(0.4, 9), all);
    assert_eq!(found(0.4, 1), [[0, 0, 0], [0, 1, 1], [1, 0, 2], [1, 1, 0]]);
    assert_eq!(found(0.4, 0), [[0; 3]; 0]);
}

#[test]
fn a_product_with_a_vector_has_one_axis_less() {
    let expected = [[6.0; 4]; 2].concat();
    for (dims, shape) in [("1 2 4 3", "3"), ("a b c d", "3")] {
        let ports = [port("x", FLOAT, dims), port("v", FLOAT, shape)];
        let file = File::new(&ports, &[shapeless("y", FLOAT)], vec![node("MatMul", &["x", "v"], &["y"])]);
        let ones: Vec<u8> = [1.0_f32; 24].iter().flat_map(|value| value.to_le_bytes()).collect();
        let twos: Vec<u8> = [2.0_f32; 3].iter().flat_map(|value| value.to_le_bytes()).collect();
        let (dims, bytes) = run(file, &[(&[1, 2, 4, 3], &ones), (&[3], &twos)]);
        assert_eq!(dims, [1, 2, 4]);
        assert_eq!(floats(&bytes), expected);
    }
}

#[test]
fn a_sequence_counts_the_place_of_an_insertion_from_its_end_before() {
    let nodes = vec![
        node("SequenceConstruct", &["x", "x"], &["two"]),
        node("Neg", &["x"], &["minus"]),
        node("SequenceInsert", &["two", "minus", "place"], &["three"]),
        node("SequenceAt", &["three", "one"], &["y"]),
    ];
    let file = File::new(&[port("x", FLOAT, "1")], &[shapeless("y", FLOAT)], nodes);
    let scalar = |value: i64| value.to_le_bytes().to_vec();
    let file = file.with_constant("place", DataType::INT64, &[], scalar(-1)).with_constant(
        "one",
        DataType::INT64,
        &[],
        scalar(1),
    );
    assert_eq!(answer(file, &[1], &[3.0]).1, [-3.0]);
}

#[test]
fn everything_but_zero_is_true() {
    let nodes = vec![with_int(node("Cast", &["x"], &["b"]), "to", 9), with_int(node("Cast", &["b"], &["y"]), "to", 1)];
    let file = File::new(&[port("x", FLOAT, "4")], &[shapeless("y", FLOAT)], nodes);
    assert_eq!(answer(file, &[4], &[0.5, 0.0, -3.0, 2.7]).1, [1.0, 0.0, 1.0, 1.0]);
}

#[test]
fn convolutions_and_pools_have_the_defaults_of_the_standard() {
    let values = [1.0, 2.0, 3.0, 4.0];
    let file = on_x("1 1 4", node("Conv", &["x", "w"], &["y"])).with_weights("w", &[1, 1, 2], &[1.0, 1.0]);
    close(&answer(file, &[1, 1, 4], &values).1, &[3.0, 5.0, 7.0]);
    let file = on_x("1 1 4", node("ConvTranspose", &["x", "w"], &["y"])).with_weights("w", &[1, 1, 2], &[1.0, 1.0]);
    close(&answer(file, &[1, 1, 4], &values).1, &[1.0, 3.0, 5.0, 7.0, 4.0]);
    for (operator, expected) in [("MaxPool", [2.0, 3.0, 4.0]), ("AveragePool", [1.5, 2.5, 3.5])] {
        let file = on_x("1 1 n", with_ints(node(operator, &["x"], &["y"]), "kernel_shape", &[2]));
        close(&answer(file, &[1, 1, 4], &values).1, &expected);
    }
}

#[test]
fn operators_that_the_standard_writes_in_others_run() {
    let file = on_x("n", node("Dropout", &["x"], &["y"]));
    assert_eq!(answer(file, &[2], &[1.0, -1.0]).1, [1.0, -1.0]);
    let file = on_x("n", node("Selu", &["x"], &["y"]));
    close(&answer(file, &[2], &[1.0, -1.0]).1, &[1.050_701, -1.111_330_7]);
    let file = on_x("n", node("Celu", &["x"], &["y"]));
    close(&answer(file, &[2], &[1.0, -1.0]).1, &[1.0, -0.632_120_6]);
    let file = on_x("1 3 1", with_int(node("LRN", &["x"], &["y"]), "size", 3));
    let over = |value: f32, squares: f32| value / (1.0 + 0.0001 / 3.0 * squares).powf(0.75);
    close(
        &answer(file, &[1, 3, 1], &[100.0, 200.0, 300.0]).1,
        &[over(100.0, 5e4), over(200.0, 14e4), over(300.0, 13e4)],
    );
    let file = on_x("1 1 2 4", with_int(node("SpaceToDepth", &["x"], &["y"]), "blocksize", 2));
    let (dims, found) = answer(file, &[1, 1, 2, 4], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!((dims, found), (vec![1, 4, 1, 2], vec![0.0, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0]));
}
