//! Small ONNX files.

use rten_onnx::onnx::*;
use std::cell::RefCell;

/// `y = x + weights`, both of four columns; an axis that is not a number is a symbol.
pub(crate) fn sum(rows: &str, metadata: Option<(&str, &str)>) -> Vec<u8> {
    let weights = TensorProto {
        dims: vec![4],
        data_type: Some(DataType::FLOAT),
        raw_data: Some(RefCell::new([10.0_f32; 4].iter().flat_map(|value| value.to_le_bytes()).collect())),
        name: Some("weights".to_string()),
        ..Default::default()
    };
    file(
        vec![port("x", &[rows, "4"])],
        port("y", &[rows, "4"]),
        node("Add", &["x", "weights"], "y"),
        vec![weights],
        metadata,
    )
}

/// The same with the weights in the file `model.onnx.data` beside it, from byte 4 on.
pub(crate) fn sum_with_weights_elsewhere() -> Vec<u8> {
    let mut model = ModelProto::parse_buf(&sum("2", None)).unwrap();
    let weights = &mut model.graph.as_mut().unwrap().initializer[0];
    let entry =
        |key: &str, value: &str| StringStringEntryProto { key: Some(key.to_string()), value: Some(value.to_string()) };
    weights.raw_data = None;
    weights.data_location = Some(DataLocation::EXTERNAL);
    weights.external_data = vec![entry("location", "model.onnx.data"), entry("offset", "4"), entry("length", "16")];
    model.write_buf().unwrap()
}

/// The sum of so many inputs, each of one value.
pub(crate) fn sum_of_many(count: usize) -> Vec<u8> {
    let names: Vec<String> = (0..count).map(|number| format!("x{number}")).collect();
    let inputs = names.iter().map(|name| port(name, &["1"])).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    file(inputs, port("y", &["1"]), node("Sum", &names, "y"), Vec::new(), None)
}

/// `y = -x` of an image whose height and width are open.
pub(crate) fn image(metadata: (&str, &str)) -> Vec<u8> {
    let dims = ["1", "1", "h", "w"];
    file(vec![port("x", &dims)], port("y", &dims), node("Neg", &["x"], "y"), Vec::new(), Some(metadata))
}

/// `output = -input`, of two values each.
pub(crate) fn negated(input: &str, output: &str) -> Vec<u8> {
    file(vec![port(input, &["2"])], port(output, &["2"]), node("Neg", &[input], output), Vec::new(), None)
}

/// The product of `a` (n by 3) and `b` (3 by m).
pub(crate) fn product(metadata: (&str, &str)) -> Vec<u8> {
    let inputs = vec![port("a", &["n", "3"]), port("b", &["3", "m"])];
    file(inputs, port("y", &["n", "m"]), node("MatMul", &["a", "b"], "y"), Vec::new(), Some(metadata))
}

/// The positions of what is not zero: how many there are depends on the values.
pub(crate) fn positions() -> Vec<u8> {
    let output = value_info("y", DataType::INT64, &["1", "found"]);
    file(vec![port("x", &["4"])], output, node("NonZero", &["x"], "y"), Vec::new(), None)
}

fn file(
    input: Vec<ValueInfoProto>,
    output: ValueInfoProto,
    node: NodeProto,
    initializer: Vec<TensorProto>,
    metadata: Option<(&str, &str)>,
) -> Vec<u8> {
    let entry = |(key, value): (&str, &str)| StringStringEntryProto {
        key: Some(key.to_string()),
        value: Some(value.to_string()),
    };
    let model = ModelProto {
        ir_version: Some(8),
        graph: Some(GraphProto { input, output: vec![output], node: vec![node], initializer, ..Default::default() }),
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(17) }],
        metadata_props: metadata.into_iter().map(entry).collect(),
        ..Default::default()
    };
    model.write_buf().unwrap()
}

fn port(name: &str, dims: &[&str]) -> ValueInfoProto {
    value_info(name, DataType::FLOAT, dims)
}

fn value_info(name: &str, element: DataType, dims: &[&str]) -> ValueInfoProto {
    let dim = |text: &&str| match text.parse() {
        Ok(size) => Dimension { dim_value: Some(size), dim_param: None },
        Err(_) => Dimension { dim_value: None, dim_param: Some(text.to_string()) },
    };
    let shape = Some(TensorShapeProto { dim: dims.iter().map(dim).collect() });
    let tensor_type = Some(TypeProtoTensor { elem_type: Some(element), shape });
    ValueInfoProto { name: Some(name.to_string()), r#type: Some(TypeProto { tensor_type, sequence: None }) }
}

fn node(operator: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        name: Some(format!("the {operator}")),
        op_type: Some(operator.to_string()),
        input: inputs.iter().map(|name| name.to_string()).collect(),
        output: vec![output.to_string()],
        ..Default::default()
    }
}
