//! Models that are made here and not read from a file: a few nodes, for single operators.

use super::Model;
use super::failure::LoadFailure;
use super::port::Element;
use rten_onnx::onnx::*;
use std::cell::RefCell;

/// A graph in the making. Values have the names that its nodes give them.
#[derive(Default)]
pub struct Sketch {
    graph: GraphProto,
}

/// An attribute of a node.
pub enum Setting {
    Int(i64),
    Ints(Vec<i64>),
}

impl Setting {
    /// The attribute by which ONNX's `Cast` knows an element type.
    pub fn element(element: Element) -> Self {
        Self::Int(element.to_onnx().0.into())
    }
}

impl Sketch {
    /// An input with so many axes of any size.
    pub fn input(&mut self, name: &str, element: Element, rank: usize) {
        self.graph.input.push(tensor(name, element, rank));
    }

    /// A constant with one element, which is zero, and no axes.
    pub fn zero(&mut self, name: &str, element: Element) {
        self.graph.initializer.push(TensorProto {
            data_type: Some(element.to_onnx()),
            raw_data: Some(RefCell::new(vec![0; element.bytes()])),
            name: Some(name.to_string()),
            ..Default::default()
        });
    }

    /// A constant list of integers, for operators that take axes as an input.
    pub fn integers(&mut self, name: &str, elements: &[i64]) {
        self.graph.initializer.push(TensorProto {
            dims: vec![i64::try_from(elements.len()).unwrap_or(i64::MAX)],
            data_type: Some(Element::I64.to_onnx()),
            raw_data: Some(RefCell::new(elements.iter().flat_map(|element| element.to_le_bytes()).collect())),
            name: Some(name.to_string()),
            ..Default::default()
        });
    }

    pub fn node(&mut self, operator: &str, inputs: &[&str], output: &str, settings: &[(&str, Setting)]) {
        self.graph.node.push(NodeProto {
            name: Some(operator.to_string()),
            op_type: Some(operator.to_string()),
            input: inputs.iter().map(|name| name.to_string()).collect(),
            output: vec![output.to_string()],
            attribute: settings.iter().map(|(name, setting)| attribute(name, setting)).collect(),
            ..Default::default()
        });
    }

    /// The graph as a model whose one output is this value.
    pub fn finish(mut self, output: &str, element: Element, rank: usize) -> Result<Model, LoadFailure> {
        /// Of ONNX and of its operators; both are old enough to be read by everyone.
        const IR: i64 = 8;
        const OPERATORS: i64 = 17;
        self.graph.output.push(tensor(output, element, rank));
        let file = ModelProto {
            ir_version: Some(IR),
            graph: Some(self.graph),
            opset_import: vec![OperatorSetIdProto { domain: None, version: Some(OPERATORS) }],
            ..Default::default()
        };
        Model::parse(file.write_buf().map_err(|error| LoadFailure::Refused(error.to_string()))?)
    }
}

fn tensor(name: &str, element: Element, rank: usize) -> ValueInfoProto {
    let dim = |axis| Dimension { dim_value: None, dim_param: Some(format!("{name}.{axis}")) };
    let shape = Some(TensorShapeProto { dim: (0..rank).map(dim).collect() });
    let tensor_type = Some(TypeProtoTensor { elem_type: Some(element.to_onnx()), shape });
    ValueInfoProto { name: Some(name.to_string()), r#type: Some(TypeProto { tensor_type, sequence: None }) }
}

fn attribute(name: &str, setting: &Setting) -> AttributeProto {
    let (i, ints, kind) = match setting {
        Setting::Int(value) => (Some(*value), Vec::new(), AttributeType::INT),
        Setting::Ints(values) => (None, values.clone(), AttributeType::INTS),
    };
    AttributeProto { name: Some(name.to_string()), i, ints, r#type: Some(kind), ..Default::default() }
}
