//! What a description tells of a model before it runs.

use super::files::{File, node, port, shapeless, with_ints};
use crate::model::{Format, Model, UNKNOWN_RANK};
use rten_onnx::onnx::DataType;

#[test]
fn a_static_model_has_all_its_sizes() {
    let file = File::new(
        &[port("image", DataType::FLOAT, "1 3 8 8")],
        &[shapeless("features", DataType::FLOAT)],
        vec![with_ints(node("Conv", &["image", "filters"], &["features"]), "kernel_shape", &[3, 3])],
    );
    let model = Model::parse(file.with_weights("filters", &[2, 3, 3, 3], &[0.5; 54]).bytes()).unwrap();
    let [image] = model.inputs() else { panic!("{:?}", model.inputs()) };
    assert_eq!((image.format, image.bytes(), image.is_dynamic()), (Format::Nchw, Some(3 * 64 * 4), false));
    assert_eq!(model.outputs()[0].dims, [1, 2, 6, 6]);
    assert_eq!((model.weight_bytes(), model.work_bytes(&[&image.dims])), (54 * 4, Some((192 + 72) * 4)));
    assert_eq!((model.input_capacity(0), model.output_capacity(0)), (Some(768), Some(288)));
    assert_eq!((model.input_capacity(1), model.output_capacity(1)), (None, None));
}

#[test]
fn an_output_takes_its_dynamic_sizes_from_the_inputs() {
    let inputs = [port("a", DataType::FLOAT, "batch 4"), port("b", DataType::FLOAT, "? 5")];
    let outputs = [shapeless("a out", DataType::FLOAT), port("b out", DataType::FLOAT, "rows 5")];
    let nodes = vec![node("Neg", &["a"], &["a out"]), node("Neg", &["b"], &["b out"])];
    let model = Model::parse(File::new(&inputs, &outputs, nodes).bytes()).unwrap();
    assert_eq!([&model.outputs()[0].dims, &model.outputs()[1].dims], [&[-1, 4], &[-1, 5]]);
    assert_eq!(model.output_dims(&[[6, 4], [2, 5]]), [[6, 4], [2, 5]]);
    assert_eq!(model.work_bytes(&[[6, 4], [2, 5]]), Some(2 * (24 + 10) * 4));
    assert_eq!(model.work_bytes(&[[-1, 4], [2, 5]]), None);
    assert_eq!(model.work_bytes(&[[6, 4]]), None);
    assert_eq!(model.input_capacity(0), None);
}

#[test]
fn a_size_that_depends_on_the_elements_stays_open() {
    let (input, output) = (port("x", DataType::FLOAT, "3"), port("where", DataType::INT64, "1 found"));
    let model =
        Model::parse(File::new(&[input], &[output], vec![node("NonZero", &["x"], &["where"])]).bytes()).unwrap();
    assert_eq!(model.outputs()[0].dims, [1, -1]);
    assert_eq!((model.output_dims(&[[3]]), model.work_bytes(&[[3]])), (vec![vec![1, -1]], None));
}

#[test]
fn an_output_of_unknown_rank_says_so() {
    let inputs = [port("x", DataType::FLOAT, "n"), port("shape", DataType::INT64, "k")];
    let nodes = vec![node("Reshape", &["x", "shape"], &["y"])];
    let model = Model::parse(File::new(&inputs, &[shapeless("y", DataType::FLOAT)], nodes).bytes()).unwrap();
    assert_eq!((&model.outputs()[0].dims[..], model.outputs()[0].bytes()), (&[UNKNOWN_RANK][..], None));
    assert_eq!(model.output_dims(&[[4], [2]]), [[UNKNOWN_RANK]]);
}

#[test]
fn an_initializer_listed_as_an_input_is_none() {
    let inputs = [port("w", DataType::FLOAT, "2"), port("x", DataType::FLOAT, "2")];
    let nodes = vec![node("Add", &["x", "w"], &["y"])];
    let file = File::new(&inputs, &[port("y", DataType::FLOAT, "2")], nodes).with_weights("w", &[2], &[1.0, 2.0]);
    let model = Model::parse(file.bytes()).unwrap();
    assert_eq!(model.inputs().iter().map(|port| port.name.as_str()).collect::<Vec<_>>(), ["x"]);
}

#[test]
fn a_model_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Model>();
}
