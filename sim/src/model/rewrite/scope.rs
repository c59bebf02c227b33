//! A graph in the making, and what is known of its values.

use super::attributes::{Value, attribute};
use super::infer;
use crate::model::empty::Need;
use crate::model::names::{self, Attributes};
use rten_onnx::onnx::{DataType, NodeProto, TensorProto};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// What is known of a value before it is calculated.
#[derive(Clone, Default, Debug)]
pub(super) struct Known {
    /// The type that the file gives it, which may be another than it is calculated in.
    pub(super) element: Option<DataType>,
    /// Its axes, if their number is known; `None` for an axis whose size is not.
    pub(super) dims: Option<Vec<Option<i64>>>,
    /// Its elements, if it is a constant of few integers.
    pub(super) integers: Option<Vec<i64>>,
    /// Its elements, if it is a constant of few `f32`.
    pub(super) floats: Option<Vec<f32>>,
    /// It holds this integer, which the engine takes for another.
    pub(super) too_large: Option<i64>,
}

/// Something that a run has to check: the value of this name is true where the answer would be wrong.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) text: String,
}

/// What all graphs of a file share.
pub(super) struct Shared {
    pub(super) opset: i64,
    /// No name of the file begins with this.
    pub(super) prefix: String,
    pub(super) made: Cell<usize>,
    pub(super) needs: RefCell<Vec<Need>>,
    /// By the numbers of the nodes.
    pub(super) attributes: RefCell<Attributes>,
}

pub(super) struct Scope<'a> {
    pub(super) shared: &'a Shared,
    outer: Option<&'a Scope<'a>>,
    values: HashMap<String, Known>,
    pub(super) nodes: Vec<NodeProto>,
    pub(super) initializers: Vec<TensorProto>,
    pub(super) checks: Vec<Check>,
    /// The name of the node that is rewritten: what is made for it has the same name.
    pub(super) label: String,
    /// Its number in the file.
    number: usize,
}

impl<'a> Scope<'a> {
    pub(super) fn new(shared: &'a Shared, outer: Option<&'a Scope<'a>>) -> Self {
        let (nodes, initializers, checks) = (Vec::new(), Vec::new(), Vec::new());
        let values = HashMap::new();
        Self { shared, outer, values, nodes, initializers, checks, label: String::new(), number: 0 }
    }

    pub(super) fn opset(&self) -> i64 {
        self.shared.opset
    }

    /// Whether this is the graph of a branch or a loop, which a run may not come to.
    pub(super) fn is_inside(&self) -> bool {
        self.outer.is_some()
    }

    pub(super) fn know(&mut self, name: &str, known: Known) {
        self.values.insert(name.to_string(), known);
    }

    /// Adds what is known from elsewhere to what is known already.
    pub(super) fn learn(&mut self, name: &str, more: Known) {
        let known = self.values.entry(name.to_string()).or_default();
        known.element = known.element.or(more.element);
        known.too_large = known.too_large.or(more.too_large);
        known.integers = known.integers.take().or(more.integers);
        known.floats = known.floats.take().or(more.floats);
        known.dims = match (known.dims.take(), more.dims) {
            (Some(known), Some(more)) if known.len() == more.len() => {
                Some(known.into_iter().zip(more).map(|(known, more)| known.or(more)).collect())
            }
            (known, more) => known.or(more),
        };
    }

    pub(super) fn known(&self, name: &str) -> Option<&Known> {
        self.values.get(name).or_else(|| self.outer?.known(name))
    }

    pub(super) fn element(&self, name: &str) -> Option<DataType> {
        self.known(name)?.element
    }

    pub(super) fn dims(&self, name: &str) -> Option<&[Option<i64>]> {
        self.known(name)?.dims.as_deref()
    }

    /// The dims, if all are known.
    pub(super) fn sizes(&self, name: &str) -> Option<Vec<i64>> {
        self.dims(name)?.iter().copied().collect()
    }

    pub(super) fn rank(&self, name: &str) -> Option<usize> {
        self.dims(name).map(<[_]>::len)
    }

    pub(super) fn integers(&self, name: &str) -> Option<&[i64]> {
        self.known(name)?.integers.as_deref()
    }

    pub(super) fn floats(&self, name: &str) -> Option<&[f32]> {
        self.known(name)?.floats.as_deref()
    }

    /// A name that nothing in the file has.
    pub(super) fn fresh(&self) -> String {
        let number = self.shared.made.get();
        self.shared.made.set(number + 1);
        format!("{}{number}", self.shared.prefix)
    }

    /// Goes on to a node of the file. `label` is its name in messages, without the nodes that it is inside of.
    pub(super) fn begin(&mut self, label: String, attributes: String) {
        let mut all = self.shared.attributes.borrow_mut();
        self.number = all.len();
        all.push(attributes);
        self.label = match self.outer {
            // Branches have nodes of the same names, or numbers.
            Some(outer) => format!("{}: {label}", outer.label),
            None => label,
        };
    }

    /// Goes on to the node that a scope around this one has come to.
    pub(super) fn go_on_with(&mut self, other: &Scope<'_>) {
        self.label.clone_from(&other.label);
        self.number = other.number;
    }

    /// The name of a node that is made here.
    pub(super) fn name_of_node(&self) -> String {
        names::made_for(&self.label, self.number)
    }

    /// Adds a node as it is.
    pub(super) fn push(&mut self, mut node: NodeProto) {
        node.name = Some(self.name_of_node());
        infer::outputs(self, &node);
        self.nodes.push(node);
    }

    /// Adds a node and gives the name of its output.
    pub(super) fn make(&mut self, operator: &str, inputs: &[&str], attributes: &[(&str, Value<'_>)]) -> String {
        let name = self.fresh();
        self.make_as(operator, inputs, attributes, &[&name]);
        name
    }

    /// Adds a node whose outputs have these names.
    pub(super) fn make_as(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: &[(&str, Value<'_>)],
        outputs: &[&str],
    ) {
        self.push(NodeProto {
            op_type: Some(operator.to_string()),
            input: inputs.iter().map(|name| (*name).to_string()).collect(),
            output: outputs.iter().map(|name| (*name).to_string()).collect(),
            attribute: attributes.iter().map(|(name, value)| attribute(name, value)).collect(),
            ..Default::default()
        });
    }

    pub(super) fn cast(&mut self, input: &str, to: DataType) -> String {
        if self.element(input) == Some(to) {
            return input.to_string();
        }
        self.make("Cast", &[input], &[("to", Value::I(to.0.into()))])
    }

    /// A constant list of integers.
    pub(super) fn list(&mut self, values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(DataType::INT64, Some(values.len()), bytes, Some(values), None)
    }

    /// A constant without axes, of a type that is calculated in 32 bits or less.
    pub(super) fn integer(&mut self, value: i32, element: DataType) -> String {
        let bytes = match element {
            DataType::INT8 | DataType::UINT8 | DataType::BOOL => value.to_le_bytes().into_iter().take(1).collect(),
            DataType::INT64 => i64::from(value).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        };
        self.constant(element, None, bytes, Some(&[value.into()]), None)
    }

    pub(super) fn float(&mut self, value: f32) -> String {
        self.constant(DataType::FLOAT, None, value.to_le_bytes().to_vec(), None, Some(&[value]))
    }

    /// A constant of zero in the type of a value.
    pub(super) fn zero_like(&mut self, value: &str) -> String {
        match self.element(value) {
            Some(element) if !is_float(element) => self.integer(0, element),
            _ => self.float(0.0),
        }
    }

    /// A constant of `f32` with these dims.
    pub(super) fn floats_of(&mut self, dims: &[usize], values: &[f32]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let name = self.constant(DataType::FLOAT, None, bytes, None, None);
        let dims: Vec<i64> = dims.iter().filter_map(|&dim| i64::try_from(dim).ok()).collect();
        if let Some(made) = self.initializers.last_mut() {
            made.dims.clone_from(&dims);
        }
        let dims = Some(dims.into_iter().map(Some).collect());
        self.know(&name, Known { element: Some(DataType::FLOAT), dims, ..Default::default() });
        name
    }

    fn constant(
        &mut self,
        element: DataType,
        count: Option<usize>,
        bytes: Vec<u8>,
        integers: Option<&[i64]>,
        floats: Option<&[f32]>,
    ) -> String {
        let name = self.fresh();
        let dims: Vec<i64> = count.into_iter().filter_map(|count| i64::try_from(count).ok()).collect();
        let (integers, floats) = (integers.map(<[_]>::to_vec), floats.map(<[_]>::to_vec));
        let known = Some(dims.iter().copied().map(Some).collect());
        self.know(&name, Known { element: Some(element), dims: known, integers, floats, too_large: None });
        let stored = if is_carried(element) { DataType::INT32 } else { element };
        self.initializers.push(TensorProto {
            dims,
            data_type: Some(stored),
            raw_data: Some(RefCell::new(bytes)),
            name: Some(name.clone()),
            ..Default::default()
        });
        name
    }

    /// Makes the run fail where an axis has another size than the file declares and this graph was made for.
    pub(super) fn assume(&mut self, value: &str, axis: i64, size: i64) {
        let (sizes, index) = (self.make("Shape", &[value], &[]), self.list(&[axis]));
        let (found, declared) = (self.make("Gather", &[&sizes, &index], &[("axis", Value::I(0))]), self.list(&[size]));
        let same = self.make("Equal", &[&found, &declared], &[]);
        let bad = self.make("Not", &[&same], &[]);
        self.check(bad, format!("axis {axis} of `{value}` is declared to have size {size} and has another"));
    }

    /// Makes the run fail with this text where `bad` is true.
    pub(super) fn check(&mut self, bad: String, text: String) {
        let text = format!("{}: {text}", self.label);
        self.checks.push(Check { name: bad, text });
    }
}

pub(super) fn is_float(element: DataType) -> bool {
    matches!(element, DataType::FLOAT | DataType::FLOAT16 | DataType::DOUBLE)
}

/// Types that the engine has no name for, which are calculated as `i32`.
pub(super) fn is_carried(element: DataType) -> bool {
    matches!(element, DataType::INT16 | DataType::UINT16 | DataType::UINT32 | DataType::UINT64)
}

/// The range of the values of an integer type as far as `i32` has them.
pub(super) fn range(element: DataType) -> Option<(i32, i32)> {
    match element {
        DataType::INT8 => Some((-128, 127)),
        DataType::UINT8 => Some((0, 255)),
        DataType::INT16 => Some((-32768, 32767)),
        DataType::UINT16 => Some((0, 65535)),
        DataType::UINT32 | DataType::UINT64 => Some((0, i32::MAX)),
        DataType::INT32 | DataType::INT64 => Some((i32::MIN, i32::MAX)),
        _ => None,
    }
}
