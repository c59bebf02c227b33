//! Reading and making the attributes of nodes.

use rten_onnx::onnx::{AttributeProto, AttributeType, NodeProto, TensorProto};

/// The value of an attribute that is made here.
pub(in super::super) enum Value<'a> {
    I(i64),
    F(f32),
    S(&'a str),
    Is(&'a [i64]),
}

pub(in super::super) fn attribute(name: &str, value: &Value<'_>) -> AttributeProto {
    let mut made = AttributeProto { name: Some(name.to_string()), ..Default::default() };
    made.r#type = Some(match value {
        Value::I(value) => {
            made.i = Some(*value);
            AttributeType::INT
        }
        Value::F(value) => {
            made.f = Some(*value);
            AttributeType::FLOAT
        }
        Value::S(value) => {
            made.s = Some((*value).to_string());
            AttributeType::STRING
        }
        Value::Is(values) => {
            made.ints = values.to_vec();
            AttributeType::INTS
        }
    });
    made
}

/// The attributes of a node by name.
pub(super) trait Attributes {
    fn attribute(&self, name: &str) -> Option<&AttributeProto>;
    fn operator(&self) -> &str;
    /// The name of an input; empty if the node leaves it out.
    fn given(&self, index: usize) -> &str;

    fn int(&self, name: &str, otherwise: i64) -> i64 {
        self.attribute(name).and_then(|found| found.i).unwrap_or(otherwise)
    }

    fn float(&self, name: &str, otherwise: f32) -> f32 {
        self.attribute(name).and_then(|found| found.f).unwrap_or(otherwise)
    }

    fn text(&self, name: &str) -> &str {
        self.attribute(name).and_then(|found| found.s.as_deref()).unwrap_or_default()
    }

    fn ints(&self, name: &str) -> Option<&[i64]> {
        self.attribute(name).map(|found| found.ints.as_slice())
    }

    fn tensor(&self, name: &str) -> Option<&TensorProto> {
        self.attribute(name).and_then(|found| found.t.as_ref())
    }

    fn has(&self, index: usize) -> bool {
        !self.given(index).is_empty()
    }
}

impl Attributes for NodeProto {
    fn attribute(&self, name: &str) -> Option<&AttributeProto> {
        self.attribute.iter().find(|attribute| attribute.name.as_deref() == Some(name))
    }

    fn operator(&self) -> &str {
        self.op_type.as_deref().unwrap_or_default()
    }

    fn given(&self, index: usize) -> &str {
        self.input.get(index).map_or("", String::as_str)
    }
}

/// Gives attributes the numbers that are 0 and the texts that are empty. Files of the third version of the format leave
/// them out: then only the attribute's type says that it has one.
pub(super) fn say_zeros(node: &mut NodeProto) {
    for attribute in &mut node.attribute {
        match attribute.r#type {
            Some(AttributeType::INT) => _ = attribute.i.get_or_insert_default(),
            Some(AttributeType::FLOAT) => _ = attribute.f.get_or_insert_default(),
            Some(AttributeType::STRING) => _ = attribute.s.get_or_insert_default(),
            _ => {}
        }
    }
}

/// An attribute's value, as a message shows it.
pub(in super::super) fn shown(attribute: &AttributeProto) -> String {
    if let Some(value) = attribute.i {
        return value.to_string();
    }
    if let Some(value) = attribute.f {
        return value.to_string();
    }
    if let Some(value) = &attribute.s {
        return format!("\"{value}\"");
    }
    if !attribute.ints.is_empty() {
        return format!("{:?}", attribute.ints);
    }
    if !attribute.floats.is_empty() {
        return format!("{:?}", attribute.floats);
    }
    if !attribute.strings.is_empty() {
        return format!("{:?}", attribute.strings);
    }
    "given".to_string()
}

/// The node without these attributes.
pub(super) fn without(node: &NodeProto, names: &[&str]) -> NodeProto {
    let mut node = node.clone();
    node.attribute.retain(|attribute| !names.contains(&attribute.name.as_deref().unwrap_or_default()));
    node
}

/// The node with this attribute in place of the one it has by that name.
pub(super) fn with(node: &NodeProto, name: &str, value: Value<'_>) -> NodeProto {
    let mut node = without(node, &[name]);
    node.attribute.push(attribute(name, &value));
    node
}
