//! Nodes that are added to a graph, one behind the other.

use super::names;
use rten_onnx::onnx::{AttributeProto, AttributeType, DataType, NodeProto, TensorProto};
use std::cell::RefCell;

/// The prefix of the names of checks.
pub(super) const MARK: &str = "ascendcl.room";

/// Nodes that calculate one value after the other.
pub(super) struct Steps<'a> {
    /// That of the node for which they are.
    pub(super) name: String,
    pub(super) prefix: String,
    pub(super) number: usize,
    pub(super) nodes: &'a mut Vec<NodeProto>,
}

impl Steps<'_> {
    pub(super) fn then(&mut self, operator: &str, inputs: &[&str]) -> String {
        let name = names::one_more(&self.name, &format!("0.{}", self.number));
        self.named(name, operator, inputs)
    }

    pub(super) fn named(&mut self, name: String, operator: &str, inputs: &[&str]) -> String {
        self.number += 1;
        let output = format!("{}.{}", self.prefix, self.number);
        self.nodes.push(NodeProto {
            name: Some(name),
            op_type: Some(operator.to_owned()),
            input: inputs.iter().map(|input| (*input).to_owned()).collect(),
            output: vec![output.clone()],
            ..Default::default()
        });
        output
    }

    /// A value, unless there are more elements than `most`.
    pub(super) fn checked(&mut self, name: String, value: &str, elements: &str, most: f32) -> String {
        let most = self.constant(DataType::FLOAT, &[], most.to_le_bytes().to_vec());
        let too_many = self.then("Greater", &[elements, &most]);
        let index = self.with("Cast", &[&too_many], "to", i64::from(DataType::INT64.0));
        let first = self.ints(&[0]);
        let list = self.then("Unsqueeze", &[value, &first]);
        self.named(format!("{MARK}: {name}"), "Gather", &[&list, &index])
    }

    /// With an attribute that is a number.
    pub(super) fn with(&mut self, operator: &str, inputs: &[&str], attribute: &str, value: i64) -> String {
        let output = self.then(operator, inputs);
        self.set(AttributeProto {
            name: Some(attribute.to_owned()),
            i: Some(value),
            r#type: Some(AttributeType::INT),
            ..Default::default()
        });
        output
    }

    pub(super) fn constant(&mut self, element: DataType, dims: &[i64], bytes: Vec<u8>) -> String {
        let output = self.then("Constant", &[]);
        let tensor = TensorProto {
            dims: dims.to_vec(),
            data_type: Some(element),
            raw_data: Some(RefCell::new(bytes)),
            ..Default::default()
        };
        self.set(AttributeProto {
            name: Some("value".to_owned()),
            t: Some(tensor),
            r#type: Some(AttributeType::TENSOR),
            ..Default::default()
        });
        output
    }

    pub(super) fn ints(&mut self, values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(DataType::INT64, &[values.len() as i64], bytes)
    }

    /// Gives the last node an attribute.
    pub(super) fn set(&mut self, attribute: AttributeProto) {
        if let Some(node) = self.nodes.last_mut() {
            node.attribute.push(attribute);
        }
    }

    pub(super) fn float(&mut self, value: &str) -> String {
        self.with("Cast", &[value], "to", i64::from(DataType::FLOAT.0))
    }

    /// The dims of a value, as floats.
    pub(super) fn shape(&mut self, value: &str) -> String {
        let shape = self.then("Shape", &[value]);
        self.float(&shape)
    }

    /// The product of all elements.
    pub(super) fn product(&mut self, value: &str) -> String {
        let value = self.float(value);
        self.with("ReduceProd", &[&value], "keepdims", 0)
    }

    /// As many as the product of these, for each element of a value.
    pub(super) fn times(&mut self, factors: &str, value: &str) -> String {
        let (factors, shape) = (self.product(factors), self.shape(value));
        let elements = self.product(&shape);
        self.then("Mul", &[&factors, &elements])
    }

    /// The last axes of a list of dims, filled up with ones before them.
    pub(super) fn last_axes(&mut self, dims: &str) -> String {
        const AXES: i64 = 8;
        let ones = self.constant(DataType::FLOAT, &[AXES], 1_f32.to_le_bytes().repeat(8));
        let long = self.with("Concat", &[&ones, dims], "axis", 0);
        let [from, to] = [-AXES, i64::from(i32::MAX)].map(|end| self.ints(&[end]));
        self.then("Slice", &[&long, &from, &to])
    }
}
