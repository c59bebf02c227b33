//! ONNX files for the tests, written with the few messages they need.

use rten_onnx::onnx::*;
use std::cell::RefCell;

/// An ONNX file with these inputs, outputs and nodes.
pub struct File {
    pub graph: GraphProto,
    pub metadata: Vec<(&'static str, &'static str)>,
    pub opset: i64,
}

impl File {
    pub fn new(inputs: &[ValueInfoProto], outputs: &[ValueInfoProto], nodes: Vec<NodeProto>) -> Self {
        let (input, output) = (inputs.to_vec(), outputs.to_vec());
        Self { graph: GraphProto { input, output, node: nodes, ..Default::default() }, metadata: Vec::new(), opset: 17 }
    }

    pub fn with_metadata(mut self, key: &'static str, value: &'static str) -> Self {
        self.metadata.push((key, value));
        self
    }

    /// The file with its operators as this version of the standard has them.
    pub fn at_opset(mut self, opset: i64) -> Self {
        self.opset = opset;
        self
    }

    pub fn with_weights(self, name: &str, dims: &[i64], values: &[f32]) -> Self {
        self.with_constant(name, DataType::FLOAT, dims, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    pub fn with_integers(self, name: &str, values: &[i64]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.with_constant(name, DataType::INT64, &[values.len() as i64], bytes)
    }

    pub fn with_constant(mut self, name: &str, element: DataType, dims: &[i64], bytes: Vec<u8>) -> Self {
        self.graph.initializer.push(TensorProto {
            dims: dims.to_vec(),
            data_type: Some(element),
            raw_data: Some(RefCell::new(bytes)),
            name: Some(name.to_string()),
            ..Default::default()
        });
        self
    }

    pub fn bytes(self) -> Vec<u8> {
        let entry = |&(key, value): &(&str, &str)| StringStringEntryProto {
            key: Some(key.to_string()),
            value: Some(value.to_string()),
        };
        let model = ModelProto {
            ir_version: Some(8),
            graph: Some(self.graph),
            opset_import: vec![OperatorSetIdProto { domain: None, version: Some(self.opset) }],
            metadata_props: self.metadata.iter().map(entry).collect(),
            ..Default::default()
        };
        model.write_buf().unwrap()
    }
}

/// An input or output; an axis that is not a number is a symbol, and `?` a nameless dynamic axis.
pub fn port(name: &str, element: DataType, dims: &str) -> ValueInfoProto {
    let dim = |text: &str| match text.parse() {
        Ok(size) => Dimension { dim_value: Some(size), dim_param: None },
        Err(_) if text == "?" => Dimension::default(),
        Err(_) => Dimension { dim_value: None, dim_param: Some(text.to_string()) },
    };
    let shape = TensorShapeProto { dim: dims.split_whitespace().map(dim).collect() };
    value_info(name, Some(element), Some(shape))
}

/// An output of which only the element type is declared.
pub fn shapeless(name: &str, element: DataType) -> ValueInfoProto {
    value_info(name, Some(element), None)
}

pub fn node(operator: &str, inputs: &[&str], outputs: &[&str]) -> NodeProto {
    let strings = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    NodeProto {
        name: Some(format!("the {operator}")),
        op_type: Some(operator.to_string()),
        input: strings(inputs),
        output: strings(outputs),
        ..Default::default()
    }
}

pub fn with_int(mut node: NodeProto, name: &str, value: i64) -> NodeProto {
    let (name, kind) = (Some(name.to_string()), Some(AttributeType::INT));
    node.attribute.push(AttributeProto { name, i: Some(value), r#type: kind, ..Default::default() });
    node
}

pub fn with_float(mut node: NodeProto, name: &str, value: f32) -> NodeProto {
    let (name, kind) = (Some(name.to_string()), Some(AttributeType::FLOAT));
    node.attribute.push(AttributeProto { name, f: Some(value), r#type: kind, ..Default::default() });
    node
}

pub fn with_text(mut node: NodeProto, name: &str, value: &str) -> NodeProto {
    let (name, kind) = (Some(name.to_string()), Some(AttributeType::STRING));
    node.attribute.push(AttributeProto { name, s: Some(value.to_string()), r#type: kind, ..Default::default() });
    node
}

pub fn with_graph(mut node: NodeProto, name: &str, graph: GraphProto) -> NodeProto {
    let (name, kind) = (Some(name.to_string()), Some(AttributeType::GRAPH));
    node.attribute.push(AttributeProto { name, g: Some(graph), r#type: kind, ..Default::default() });
    node
}

/// The node with one more attribute of whole numbers.
pub fn with_ints(mut node: NodeProto, name: &str, ints: &[i64]) -> NodeProto {
    let name = Some(name.to_string());
    node.attribute.push(AttributeProto {
        name,
        ints: ints.to_vec(),
        r#type: Some(AttributeType::INTS),
        ..Default::default()
    });
    node
}

fn value_info(name: &str, elem_type: Option<DataType>, shape: Option<TensorShapeProto>) -> ValueInfoProto {
    let tensor_type = Some(TypeProtoTensor { elem_type, shape });
    ValueInfoProto { name: Some(name.to_string()), r#type: Some(TypeProto { tensor_type, sequence: None }) }
}
