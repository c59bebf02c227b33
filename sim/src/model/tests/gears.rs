//! Gears in the metadata.

use super::files::{File, node, port, shapeless, with_ints};
use crate::model::gears::GEAR_INPUT;
use crate::model::{Element, GearKind, Input, LoadFailure, Model};
use rten_onnx::onnx::DataType;

const BATCH: &str = "ascendcl.dynamic_batch";
const IMAGE: &str = "ascendcl.dynamic_image_size";
const DIMS: &str = "ascendcl.dynamic_dims";

#[test]
fn batch_sizes_set_the_first_axis_of_every_dynamic_input() {
    let model = Model::parse(pair().with_metadata(BATCH, "1, 8,2").bytes()).unwrap();
    let gears = model.gears().unwrap();
    assert_eq!(gears.kind, GearKind::Batch);
    assert_eq!(gears.list.iter().map(|gear| gear.values[0]).collect::<Vec<_>>(), [1, 8, 2]);
    let gear = gears.find(&[8]).unwrap();
    assert_eq!((&gear.inputs[..], &gear.outputs[..]), (&[vec![8, 4], vec![8, 2]][..], &[vec![8, 6]][..]));
    assert_eq!(gears.find(&[3]), None);
    assert_eq!((model.input_capacity(0), model.output_capacity(0)), (Some(8 * 4 * 4), Some(8 * 6 * 4)));
    assert_eq!(model.work_bytes(&gear.inputs), Some(8 * (4 + 2 + 6) * 4));
    let extra = gears.port();
    assert_eq!((extra.name.as_str(), extra.element, &extra.dims[..]), (GEAR_INPUT, Element::I64, &[1][..]));
}

#[test]
fn image_sizes_set_height_and_width() {
    let model = Model::parse(image().with_metadata(IMAGE, "8,6;5,20;9,9").bytes()).unwrap();
    let gears = model.gears().unwrap();
    assert_eq!(gears.kind, GearKind::ImageSize);
    let gear = gears.find(&[5, 20]).unwrap();
    assert_eq!(gear.inputs, [[1, 1, 5, 20]]);
    assert_eq!(gears.port().dims, [2]);

    let given: Vec<_> = gears.list.iter().map(|gear| gear.outputs[0].as_slice()).collect();
    assert_eq!(given, [[1, 1, 4, 3], [1, 1, 3, 10], [1, 1, 5, 5]], "which the inputs' sizes alone do not tell");
    assert_eq!((model.input_capacity(0), model.output_capacity(0)), (Some(400), Some(120)));
    for gear in &gears.list {
        let bytes = vec![0; model.inputs()[0].bytes_for(&gear.inputs[0]).unwrap()];
        let outputs = model.run(&[Input { dims: &gear.inputs[0], bytes: &bytes }]).unwrap();
        assert_eq!(outputs[0].dims(), gear.outputs[0]);
    }
}

#[test]
fn dims_set_all_dynamic_axes_in_order() {
    let model = Model::parse(pair_of_squares().with_metadata(DIMS, "1,2,3,1 ; 4,5,6,4").bytes()).unwrap();
    let gears = model.gears().unwrap();
    assert_eq!(gears.kind, GearKind::Dims);
    let gear = gears.find(&[4, 5, 6, 4]).unwrap();
    assert_eq!((&gear.inputs[..], &gear.outputs[..]), (&[vec![4, 5], vec![6, 4]][..], &[vec![6, 5]][..]));
    assert_eq!(&gears.port().dims[..], &[4][..]);
}

#[test]
fn a_list_that_cannot_be_used_says_why() {
    let refused = |file: File| match Model::parse(file.bytes()).unwrap_err() {
        LoadFailure::Gears(why) => why,
        other => panic!("{other:?}"),
    };
    let batch = |text| refused(pair().with_metadata(BATCH, text));
    assert_eq!(batch(""), "`ascendcl.dynamic_batch` is \"\": \"\" is not a size");
    assert!(batch("1,,2").ends_with("\"\" is not a size"));
    assert!(batch("1,0").ends_with("\"0\" is not a size"));
    assert!(batch("-1").ends_with("\"-1\" is not a size"));
    assert!(batch("1;2").ends_with("\"1;2\" is not a size"));
    assert!(batch("2, 2").ends_with("2 stands there twice"));
    assert!(batch("9223372036854775807").ends_with("needs more bytes than can be counted"));
    let image_of_pair = refused(pair().with_metadata(IMAGE, "8,8"));
    assert!(image_of_pair.ends_with("do not fit the dynamic axes of input `a`, [-1, 4]"), "{image_of_pair}");
    let batch_of_image = refused(image().with_metadata(BATCH, "8"));
    assert!(
        batch_of_image.ends_with("do not fit the dynamic axes of input `image`, [1, 1, -1, -1]"),
        "{batch_of_image}"
    );
    assert!(refused(image().with_metadata(IMAGE, "8,8,8")).ends_with("a gear of 3 values, where 2 are needed"));
    let twice = refused(pair().with_metadata(DIMS, "1,1").with_metadata(BATCH, "1"));
    let both = "`ascendcl.dynamic_batch` and `ascendcl.dynamic_dims` are both in the metadata; a model has one list";
    assert_eq!(twice, both);
    let fixed = File::new(
        &[port("x", DataType::FLOAT, "2")],
        &[port("y", DataType::FLOAT, "2")],
        vec![node("Neg", &["x"], &["y"])],
    );
    assert!(refused(fixed.with_metadata(BATCH, "1")).ends_with("no input has a dynamic axis"));
}

#[test]
fn other_metadata_is_no_gear() {
    let others = pair().with_metadata("dynamic_batch_size", "1").with_metadata("author", "x");
    assert!(Model::parse(others.bytes()).unwrap().gears().is_none());
}

#[test]
fn a_key_that_only_looks_like_one_for_gears_is_refused() {
    let file = pair().with_metadata("ascendcl.dynamic_batch_size", "1,2");
    let failure = Model::parse(file.bytes()).unwrap_err();
    let LoadFailure::Gears(why) = failure else { panic!("{failure:?}") };
    let keys =
        "the keys with gears are `ascendcl.dynamic_batch`, `ascendcl.dynamic_image_size` and `ascendcl.dynamic_dims`";
    assert_eq!(why, format!("`ascendcl.dynamic_batch_size` is in the metadata; {keys}"));
}

/// Two inputs with a common batch axis, put side by side.
fn pair() -> File {
    let inputs = [port("a", DataType::FLOAT, "batch 4"), port("b", DataType::FLOAT, "batch 2")];
    let mut concat = node("Concat", &["a", "b"], &["both"]);
    concat.attribute.push(rten_onnx::onnx::AttributeProto {
        name: Some("axis".to_string()),
        i: Some(1),
        r#type: Some(rten_onnx::onnx::AttributeType::INT),
        ..Default::default()
    });
    File::new(&inputs, &[port("both", DataType::FLOAT, "batch 6")], vec![concat])
}

/// A convolution that halves an image of any size.
fn image() -> File {
    let conv = with_ints(node("Conv", &["image", "filter"], &["half"]), "kernel_shape", &[3, 3]);
    let conv = with_ints(with_ints(conv, "strides", &[2, 2]), "pads", &[1, 1, 1, 1]);
    File::new(&[port("image", DataType::FLOAT, "1 1 h w")], &[shapeless("half", DataType::FLOAT)], vec![conv])
        .with_weights("filter", &[1, 1, 3, 3], &[1.0; 9])
}

/// A product of matrices, all of whose axes are dynamic.
fn pair_of_squares() -> File {
    let inputs = [port("right", DataType::FLOAT, "k m"), port("left", DataType::FLOAT, "n k")];
    let product = node("MatMul", &["left", "right"], &["product"]);
    File::new(&inputs, &[port("product", DataType::FLOAT, "n m")], vec![product])
}
