//! Corners of operators where the engine's answer is another than the standard's.

use super::files::{File, node, port, shapeless, with_int, with_text};
use crate::model::{Input, Model};
use rten_onnx::onnx::{DataType, NodeProto};

const FLOAT: DataType = DataType::FLOAT;

/// The dims and elements of the one output of a model.
fn answer(file: File, inputs: &[(&[i64], &[f32])]) -> (Vec<i64>, Vec<f32>) {
    run(file, inputs).unwrap()
}

fn run(file: File, inputs: &[(&[i64], &[f32])]) -> Result<(Vec<i64>, Vec<f32>), String> {
    let model = Model::parse(file.bytes()).map_err(|failure| failure.to_string())?;
    let bytes: Vec<Vec<u8>> =
        inputs.iter().map(|(_, values)| values.iter().flat_map(|value| value.to_le_bytes()).collect()).collect();
    let inputs: Vec<_> = inputs.iter().zip(&bytes).map(|(&(dims, _), bytes)| Input { dims, bytes }).collect();
    let outputs = model.run(&inputs).map_err(|failure| failure.to_string())?;
    let bytes = outputs[0].to_bytes().unwrap();
    Ok((outputs[0].dims(), bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()))
}

fn on_x(dims: &str, one: NodeProto) -> File {
    File::new(&[port("x", FLOAT, dims)], &[shapeless("y", FLOAT)], vec![one])
}

#[test]
fn fewer_updates_than_data_go_where_their_indices_say() {
    for (dims, opset) in [("4 2", 17), ("a b", 17), ("4 2", 10)] {
        let operator = if opset < 11 { "Scatter" } else { "ScatterElements" };
        let one = with_int(node(operator, &["x", "places", "updates"], &["y"]), "axis", -1);
        let places: Vec<u8> = [1_i64, -2, 0].iter().flat_map(|place| place.to_le_bytes()).collect();
        let file = on_x(dims, one).with_constant("places", DataType::INT64, &[3, 1], places).with_weights(
            "updates",
            &[3, 1],
            &[10.0, 20.0, 30.0],
        );
        let data = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let found = answer(file.at_opset(opset), &[(&[4, 2], &data)]).1;
        assert_eq!(found, [1.0, 10.0, 20.0, 4.0, 30.0, 6.0, 7.0, 8.0], "{dims}");
    }
    // More than one axis of rows: the first column of each plane.
    let one = with_int(node("ScatterElements", &["x", "places", "updates"], &["y"]), "axis", 2);
    let one = with_text(one, "reduction", "add");
    let file = on_x("2 2 1", one).with_constant("places", DataType::INT64, &[2, 1, 1], vec![0; 16]).with_weights(
        "updates",
        &[2, 1, 1],
        &[10.0, 20.0],
    );
    assert_eq!(answer(file, &[(&[2, 2, 1], &[1.0, 2.0, 3.0, 4.0])]).1, [11.0, 2.0, 23.0, 4.0]);
}

#[test]
fn what_is_no_number_stays_none_when_it_is_clipped() {
    let by_inputs = on_x("n", node("Clip", &["x", "low", "high"], &["y"]));
    let by_inputs = by_inputs.with_weights("low", &[], &[-1.0]).with_weights("high", &[], &[1.0]);
    let one_side = on_x("n", node("Clip", &["x", "", "high"], &["y"])).with_weights("high", &[], &[1.0]);
    let by_attributes = on_x("n", node("Clip", &["x"], &["y"])).at_opset(6);
    for (file, least) in [(by_inputs, -1.0), (one_side, -7.0), (by_attributes, -7.0)] {
        let found = answer(file, &[(&[3], &[f32::NAN, -7.0, 0.5])]).1;
        assert!(found[0].is_nan(), "{found:?}");
        assert_eq!(found[1..], [least, 0.5]);
    }
}

#[test]
fn a_range_has_as_many_elements_as_its_length_has_steps() {
    let ports = || [port("start", FLOAT, ""), port("end", FLOAT, ""), port("step", FLOAT, "")];
    let file = || File::new(&ports(), &[shapeless("y", FLOAT)], vec![node("Range", &["start", "end", "step"], &["y"])]);
    let found =
        |values: [f32; 3]| answer(file(), &values.each_ref().map(|value| (&[][..], std::slice::from_ref(value))));
    assert_eq!(found([2.0, 2.5, 0.1]).0, [5]);
    assert_eq!(found([-4.0, -3.7, 0.1]).0, [3]);
    assert_eq!(found([1.0, 1.1, 0.1]).0, [2]);
    // Three times 0.1 is a little less than 0.3, as f32 has them, and ten times 0.1 is a little more than 1.
    assert_eq!(found([0.0, 0.3, 0.1]).0, [4]);
    assert_eq!(found([0.0, 1.0, 0.1]).0, [10]);
    assert_eq!(found([0.0, -0.3, -0.1]).0, [4]);
    assert_eq!(found([5.0, 5.0, 0.1]).0, [0]);
    assert_eq!(found([1.0, 0.0, -0.25]).1, [1.0, 0.75, 0.5, 0.25]);
    assert_eq!(found([1.0, 0.0, 0.25]).0, [0]);
    let constants = File::new(&[], &[shapeless("y", FLOAT)], vec![node("Range", &["a", "b", "c"], &["y"])]);
    let constants = constants.with_weights("a", &[], &[2.0]).with_weights("b", &[], &[2.5]);
    assert_eq!(answer(constants.with_weights("c", &[], &[0.1]), &[]).0, [5]);
}

#[test]
fn a_constant_that_changes_no_number_still_brings_its_axes() {
    for (operator, neutral, swapped) in
        [("Add", 0.0, true), ("Sub", 0.0, false), ("Mul", 1.0, true), ("Div", 1.0, false)]
    {
        for (dims, given, expected) in [("", &[][..], vec![1, 1]), ("2", &[2], vec![1, 2])] {
            let values = &[3.0, 4.0][..given.iter().product::<i64>() as usize];
            for inputs in [["x", "c"], ["c", "x"]].into_iter().take(1 + usize::from(swapped)) {
                let file = on_x(dims, node(operator, &inputs, &["y"])).with_weights("c", &[1, 1], &[neutral]);
                assert_eq!(answer(file, &[(given, values)]), (expected.clone(), values.to_vec()), "{operator}");
            }
        }
    }
}

#[test]
fn powers_and_quotients_have_the_axes_of_their_second_operand_too() {
    for (operator, expected) in [("Pow", 9.0), ("Div", 1.5)] {
        for dims in ["1 1", "a b"] {
            let ports = [port("x", FLOAT, ""), port("e", FLOAT, dims)];
            let file = File::new(&ports, &[shapeless("y", FLOAT)], vec![node(operator, &["x", "e"], &["y"])]);
            assert_eq!(answer(file, &[(&[], &[3.0]), (&[1, 1], &[2.0])]), (vec![1, 1], vec![expected]), "{operator}");
        }
    }
    let file = on_x("2", with_int(node("LayerNormalization", &["x", "x"], &["", "", "y"]), "axis", 0));
    assert_eq!(answer(file, &[(&[2], &[1.0, 3.0])]).0, [1]);
}

#[test]
fn a_region_that_only_the_run_knows_is_not_left_out() {
    let one = node("Resize", &["x", "region", "", "sizes"], &["y"]);
    let one = with_text(with_text(one, "mode", "linear"), "coordinate_transformation_mode", "tf_crop_and_resize");
    let mut file = on_x("1 4", one.clone()).with_integers("sizes", &[1, 2]);
    file.graph.input.push(port("region", FLOAT, "4"));
    let region: [f32; 4] = [0.0, 1.0 / 3.0, 1.0, 2.0 / 3.0];
    assert_eq!(answer(file, &[(&[1, 4], &[10.0, 20.0, 30.0, 40.0]), (&[4], &region)]).1, [20.0, 30.0]);
    // As a constant of 16 bits it is known.
    let halves = [0_u16, 0x3555, 0x3c00, 0x3955].iter().flat_map(|value| value.to_le_bytes()).collect();
    let file =
        on_x("1 4", one).with_integers("sizes", &[1, 2]).with_constant("region", DataType::FLOAT16, &[4], halves);
    let found = answer(file, &[(&[1, 4], &[0.0, 3.0, 6.0, 9.0])]).1;
    assert!((found[0] - 3.0).abs() < 0.01 && (found[1] - 6.0).abs() < 0.01, "{found:?}");
}

#[test]
fn a_reduction_over_no_axes_still_takes_sizes_squares_and_logarithms() {
    let cases = [
        ("ReduceL1", [-3.0, 2.0], [3.0, 2.0]),
        ("ReduceL2", [-3.0, 2.0], [3.0, 2.0]),
        ("ReduceSumSquare", [-3.0, 2.0], [9.0, 4.0]),
        ("ReduceLogSum", [1.0, 0.0], [0.0, f32::NEG_INFINITY]),
        ("ReduceLogSumExp", [-3.0, 2.0], [-3.0, 2.0]),
        ("ReduceMean", [-3.0, 2.0], [-3.0, 2.0]),
        ("ReduceMax", [-3.0, 2.0], [-3.0, 2.0]),
    ];
    for (operator, values, expected) in cases {
        for inputs in [&["x"][..], &["x", "axes"]] {
            let one = with_int(node(operator, inputs, &["y"]), "noop_with_empty_axes", 1);
            let file = on_x("1 n", one).with_integers("axes", &[]).at_opset(18);
            assert_eq!(answer(file, &[(&[1, 2], &values)]), (vec![1, 2], expected.to_vec()), "{operator} {inputs:?}");
        }
    }
    let one = with_int(node("ReduceL1", &["x", "axes"], &["y"]), "noop_with_empty_axes", 1);
    let mut file = on_x("1 2", one).at_opset(18);
    file.graph.input.push(port("axes", DataType::INT64, "n"));
    let failure = Model::parse(file.bytes()).unwrap_err().to_string();
    assert!(failure.contains("the ReduceL1 (ReduceL1): attribute `noop_with_empty_axes` is 1"), "{failure}");
}

#[test]
fn a_list_without_axes_stands_for_all_of_them() {
    for (operator, expected) in
        [("ReduceSum", 2.0), ("ReduceMax", 3.0), ("ReduceL2", 14.0_f32.sqrt()), ("ReduceMean", 0.5)]
    {
        for (keeps, dims) in [(1, vec![1, 1]), (0, vec![])] {
            let one = with_int(node(operator, &["x", "axes"], &["y"]), "keepdims", keeps);
            let file = on_x("2 n", one).with_integers("axes", &[]).at_opset(18);
            assert_eq!(answer(file, &[(&[2, 2], &[3.0, -2.0, 1.0, 0.0])]), (dims, vec![expected]), "{operator}");
        }
    }
}

#[test]
fn queries_and_keys_of_different_lengths_are_not_masked_by_another_rule() {
    let mut one = with_int(node("MultiHeadAttention", &["x", "k", "k"], &["y"]), "num_heads", 1);
    one.domain = Some("com.microsoft".to_string());
    let one = with_int(one, "unidirectional", 1);
    let file = || {
        let ports = [port("x", FLOAT, "1 a 1"), port("k", FLOAT, "1 b 1")];
        File::new(&ports, &[shapeless("y", FLOAT)], vec![one.clone()])
    };
    let same = answer(file(), &[(&[1, 2, 1], &[0.0, 0.0]), (&[1, 2, 1], &[1.0, 3.0])]).1;
    assert_eq!(same, [1.0, 2.0]);
    let failure = run(file(), &[(&[1, 1, 1], &[0.0]), (&[1, 2, 1], &[1.0, 3.0])]).unwrap_err();
    assert!(failure.contains("the MultiHeadAttention (MultiHeadAttention)"), "{failure}");
    assert!(failure.contains("`unidirectional` is 1"), "{failure}");
}

#[test]
fn an_axis_that_keeps_its_size_is_resized_all_the_same() {
    // Three elements times 1.3 are three again, but each lies elsewhere.
    for (mode, expected) in [("nearest", [1.0, 2.0, 2.0]), ("linear", [1.0, 1.6538461, 2.4230769])] {
        let one = || with_text(node("Resize", &["x", "", "scales"], &["y"]), "mode", mode);
        let file = |dims| on_x(dims, one()).with_weights("scales", &[2], &[1.0, 1.3]);
        let found = answer(file("1 3"), &[(&[1, 3], &[1.0, 2.0, 3.0])]).1;
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{mode}: {found:?}");
        let open = run(file("1 n"), &[(&[1, 3], &[1.0, 2.0, 3.0])]);
        match mode {
            "nearest" => assert_eq!(open.unwrap().1, expected),
            _ => {
                let failure = open.unwrap_err();
                assert!(failure.contains("the Resize (Resize)") && failure.contains("keeps its size"), "{failure}");
            }
        }
        assert_eq!(answer(file("1 n"), &[(&[1, 10], &[1.0; 10])]).0, [1, 13]);
    }
}

#[test]
fn any_axis_may_be_padded_with_its_own_elements() {
    let cases =
        [("reflect", [3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0]), ("edge", [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0])];
    for (mode, expected) in cases {
        for known in [true, false] {
            let one = with_text(node("Pad", &["x", "pads"], &["y"]), "mode", mode);
            let mut file = on_x("a b c", one).with_integers("pads", &[1, 0, 0, 1, 0, 0]);
            if !known {
                // By way of a node whose answer is not looked at.
                file.graph.initializer[0].name = Some("all".to_string());
                file.graph.node.insert(0, node("Neg", &["minus"], &["pads"]));
                file.graph.node.insert(0, node("Neg", &["all"], &["minus"]));
            }
            let found = answer(file, &[(&[2, 1, 2], &[1.0, 2.0, 3.0, 4.0])]);
            assert_eq!(found, (vec![4, 1, 2], expected.to_vec()), "{mode}");
        }
    }
    // All axes of a volume.
    let one = with_text(node("Pad", &["x", "pads"], &["y"]), "mode", "edge");
    let file = on_x("1 2 1", one).with_integers("pads", &[1, 1, 0, 0, 0, 2]);
    let found = answer(file, &[(&[1, 2, 1], &[1.0, 2.0])]);
    assert_eq!(found, (vec![2, 3, 3], [[1.0; 3], [1.0; 3], [2.0; 3]].concat().repeat(2)));
}

#[test]
fn places_outside_of_an_image_are_moved_to_its_border_or_reflected() {
    let found = |mode: &str, aligned: i64, place: f32| {
        let one = with_text(node("GridSample", &["x", "grid"], &["y"]), "padding_mode", mode);
        let file = on_x("1 1 1 w", with_int(one, "align_corners", aligned));
        let file = file.with_weights("grid", &[1, 1, 1, 2], &[place, 0.0]);
        answer(file, &[(&[1, 1, 1, 3], &[1.0, 2.0, 4.0])]).1[0]
    };
    // Elements of three are at -1, 0 and 1 when aligned, and else at -2/3, 0 and 2/3.
    let cases = [
        ("border", 1, 2.5, 4.0),
        ("border", 0, -0.9, 1.0),
        ("border", 0, 1.0 / 3.0, 3.0),
        ("reflection", 1, 1.5, 3.0),
        ("reflection", 1, -3.0, 4.0),
        ("reflection", 0, 5.0 / 3.0, 3.0),
    ];
    for (mode, aligned, place, expected) in cases {
        let found = found(mode, aligned, place);
        assert!((found - expected).abs() < 1e-5, "{mode} {aligned} {place}: {found}, expected {expected}");
    }
}

#[test]
fn vectors_of_integers_are_multiplied() {
    let bytes = |values: &[i64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let product = |a: (&str, &[i64], &[i64]), b: (&str, &[i64], &[i64])| {
        let ports = [port("a", DataType::INT64, a.0), port("b", DataType::INT64, b.0)];
        let file = File::new(&ports, &[shapeless("y", DataType::INT64)], vec![node("MatMul", &["a", "b"], &["y"])]);
        let (first, second) = (bytes(a.2), bytes(b.2));
        let model = Model::parse(file.bytes()).unwrap();
        let outputs = model.run(&[Input { dims: a.1, bytes: &first }, Input { dims: b.1, bytes: &second }]).unwrap();
        (outputs[0].dims(), outputs[0].to_bytes().unwrap())
    };
    let (line, square): ((&str, &[i64], &[i64]), (&str, &[i64], &[i64])) =
        (("n", &[2], &[1, 2]), ("n m", &[2, 2], &[1, 2, 3, 4]));
    assert_eq!(product(line, line), (vec![], bytes(&[5])));
    assert_eq!(product(line, square), (vec![2], bytes(&[7, 10])));
    assert_eq!(product(square, line), (vec![2], bytes(&[5, 11])));
}

#[test]
fn outputs_that_are_the_same_constant_are_answered_each() {
    let nodes = vec![node("Neg", &["x"], &["b"]), node("Shape", &["x"], &["a"]), node("Shape", &["b"], &["c"])];
    let outputs = [shapeless("a", DataType::INT64), shapeless("c", DataType::INT64)];
    let model = Model::parse(File::new(&[port("x", FLOAT, "2 3")], &outputs, nodes).bytes()).unwrap();
    let outputs = model.run(&[Input { dims: &[2, 3], bytes: &[0; 24] }]).unwrap();
    let expected: Vec<u8> = [2_i64, 3].iter().flat_map(|size| size.to_le_bytes()).collect();
    for output in &outputs {
        assert_eq!((output.dims(), output.to_bytes().unwrap()), (vec![2], expected.clone()));
    }
}

#[test]
fn a_model_whose_shapes_the_engine_cannot_infer_is_loaded_without_them() {
    let mut file = on_x("1 3 1", node("Expand", &["x", "sizes"], &["y"]));
    file.graph.input.push(port("sizes", DataType::INT64, "2"));
    let (x, sizes) = ([1.0_f32, 2.0, 3.0].map(f32::to_le_bytes).concat(), [3_i64, 1].map(i64::to_le_bytes).concat());
    let inputs = [Input { dims: &[1, 3, 1], bytes: &x }, Input { dims: &[2], bytes: &sizes }];
    let outputs = Model::parse(file.bytes()).unwrap().run(&inputs).unwrap();
    assert_eq!((outputs[0].dims(), outputs[0].to_bytes().unwrap()), (vec![1, 3, 1], x));
}

#[test]
fn a_slice_that_goes_backwards_from_before_the_first_element_has_that_one() {
    let list = |values: &[i64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    // Sizes that are known when the model is loaded, and sizes that are not.
    for dims in ["3", "n"] {
        let cases: [([i64; 3], &[f32]); 6] = [
            ([-6, i64::MIN, -1], &[1.0]),
            ([-4, -1, -2], &[]),
            ([-3, i64::MIN, -1], &[1.0]),
            ([-1, i64::MIN, -2], &[3.0, 1.0]),
            ([7, 0, -1], &[3.0, 2.0]),
            ([i64::MIN, i64::MAX, 2], &[1.0, 3.0]),
        ];
        for ([start, end, step], expected) in cases {
            let file = on_x(dims, node("Slice", &["x", "start", "end", "axes", "step"], &["y"]));
            let file = [("start", start), ("end", end), ("axes", -1), ("step", step)]
                .into_iter()
                .fold(file, |file, (name, value)| file.with_constant(name, DataType::INT64, &[1], list(&[value])));
            let found = answer(file, &[(&[3], &[1.0, 2.0, 3.0])]).1;
            assert_eq!(found, expected, "{start}:{end}:{step} of {dims}");
        }
    }
    let file = on_x("n", node("Slice", &["x", "start", "start", "axes", "start"], &["y"]));
    let file = file.with_constant("start", DataType::INT64, &[1], list(&[-1]));
    let file = file.with_constant("axes", DataType::INT64, &[1], list(&[0]));
    assert_eq!(answer(file, &[(&[0], &[])]).0, [0]);
}

#[test]
fn a_place_of_a_grid_is_that_of_its_nearest_element_or_on_a_cubic_curve() {
    let image = [10.0, 20.0, 30.0];
    let found = |mode: &str, padding: &str, places: &[f32]| {
        let one = with_text(node("GridSample", &["x", "grid"], &["y"]), "mode", mode);
        let one = with_int(with_text(one, "padding_mode", padding), "align_corners", 1);
        let grid: Vec<f32> = places.iter().flat_map(|place| [*place, 0.0]).collect();
        let count = places.len() as i64;
        let file = on_x("a b c d", one).with_weights("grid", &[1, 1, count, 2], &grid);
        answer(file.at_opset(20), &[(&[1, 1, 1, 3], &image)])
    };
    // The places 0, 1.4, 3 and -1 of the elements 0 to 2.
    let places = [-1.0, 0.4, 2.0, -2.0];
    assert_eq!(found("nearest", "zeros", &places), (vec![1, 1, 1, 4], vec![10.0, 20.0, 0.0, 0.0]));
    assert_eq!(found("nearest", "border", &places).1, [10.0, 20.0, 30.0, 10.0]);
    assert_eq!(found("nearest", "reflection", &places).1, [10.0, 20.0, 20.0, 20.0]);
    // In the middle of two elements the four around have -3/32, 19/32, 19/32 and -3/32 of it.
    assert_eq!(found("cubic", "border", &[-0.5, 0.0]).1, [14.0625, 20.0]);
    assert_eq!(found("cubic", "zeros", &[-0.5, 1.0]).1, [15.0, 30.0]);
    assert_eq!(found("cubic", "reflection", &[-0.5, 2.0]).1, [13.125, 20.0]);
}

#[test]
fn weights_of_four_bits_have_zero_points_and_a_bias() {
    let product = |points: u8, bias: &str| {
        let mut one = node("MatMulNBits", &["x", "w", "scales", "points", "", bias], &["y"]);
        one.domain = Some("com.microsoft".to_string());
        for (name, value) in [("K", 16), ("N", 1), ("bits", 4), ("block_size", 16)] {
            one = with_int(one, name, value);
        }
        let file = on_x("n k", one).with_weights("scales", &[1], &[0.5]).with_weights("bias", &[1], &[1.0]);
        let file = file.with_constant("w", DataType::UINT8, &[1, 1, 8], vec![0x99; 8]);
        answer(file.with_constant("points", DataType::UINT8, &[1], vec![points]), &[(&[2, 16], &[1.0; 32])]).1
    };
    // The upper half of a byte belongs to a block that is not there.
    assert_eq!(product(0xf2, "bias"), [57.0, 57.0]);
    assert_eq!(product(0x0a, ""), [-8.0, -8.0]);
}

#[test]
fn a_size_that_only_the_run_knows_is_resized_to_as_one_that_the_file_has() {
    let x: Vec<f32> = (0..12_u8).map(|value| f32::from(value * value % 11)).collect();
    let settings: [&[(&str, &str)]; 5] = [
        &[("mode", "cubic")],
        &[("mode", "cubic"), ("coordinate_transformation_mode", "align_corners")],
        &[("mode", "linear"), ("coordinate_transformation_mode", "half_pixel_symmetric")],
        &[("mode", "nearest"), ("coordinate_transformation_mode", "half_pixel_symmetric"), ("nearest_mode", "ceil")],
        &[("mode", "linear"), ("coordinate_transformation_mode", "tf_crop_and_resize")],
    ];
    for setting in settings {
        let one = || {
            let one = node("Resize", &["x", "region", "scales"], &["y"]);
            setting.iter().fold(one, |one, (name, value)| with_text(one, name, value))
        };
        let found = |dims: &str| {
            let file = on_x(dims, one()).with_weights("scales", &[2], &[1.5, 0.8]);
            let file = file.with_weights("region", &[4], &[0.2, -0.3, 0.9, 1.1]);
            answer(file.at_opset(19), &[(&[3, 4], &x)])
        };
        let (known, open) = (found("3 4"), found("n m"));
        assert_eq!(open.0, [4, 3]);
        assert_eq!(known.0, open.0);
        let near = known.1.iter().zip(&open.1).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(near, "{setting:?}: {known:?} and {open:?}");
    }
    let mut one = with_text(node("Resize", &["x", "", "scales"], &["y"]), "mode", "cubic");
    one = with_int(one, "exclude_outside", 1);
    let found = |dims: &str| {
        let file = on_x(dims, one.clone()).with_weights("scales", &[2], &[1.0, 2.0]);
        answer(file.at_opset(13), &[(&[3, 4], &x)]).1
    };
    assert!(found("3 4").iter().zip(found("n m")).all(|(a, b)| (a - b).abs() < 1e-5));
}
