//! The sizes of a model's values, as far as they follow from the file.
//!
//! The engine infers them while it optimises a model, and there it changes nodes. So a model is loaded for this alone,
//! without its weights, and what runs is another one, which is not optimised.

use super::contained::contained_load;
use super::failure::LoadFailure;
use super::{ceiling, deep};
use rten::{Dimension, ModelOptions};
use rten_onnx::onnx::{self, GraphProto, ModelProto, TensorProto, TensorShapeProto, TypeProto, TypeProtoTensor};
use rten_onnx::onnx::{NodeProto, ValueInfoProto};
use std::collections::{HashMap, HashSet};

/// Constants of more elements are no sizes.
const FEW: i64 = 64;

#[derive(Default)]
pub(super) struct Shapes {
    /// The name of each input and its dims. Initializers that old files also list as inputs are not among them.
    inputs: Vec<(String, Option<Vec<Dimension>>)>,
    /// What the axes that the file names are called here: its names may be any texts, those too that the engine makes.
    names: HashMap<String, String>,
    outputs: usize,
    /// `None` if the engine stumbles over the model.
    graph: Option<rten::Model>,
}

impl Shapes {
    /// `wanted` are values whose sizes somebody asks for.
    pub(super) fn infer<'a>(model: &ModelProto, wanted: impl Iterator<Item = &'a str>) -> Result<Self, LoadFailure> {
        let Some(given) = &model.graph else { return Ok(Self::default()) };
        let mut found = Self { outputs: given.output.len(), ..Default::default() };
        let input = found.take_inputs(given);
        // A value that is an output stays: the engine may make others one with the nodes behind them.
        let mut known: HashSet<&str> = given.output.iter().chain(&given.input).map(named).collect();
        let made: HashSet<&str> = given.node.iter().flat_map(|node| &node.output).map(String::as_str).collect();
        let output = |name: &str| ValueInfoProto { name: Some(name.to_string()), r#type: None };
        let more: Vec<_> = wanted.filter(|name| made.contains(name) && known.insert(name)).map(output).collect();
        let load = |more: &[ValueInfoProto]| loaded(model, light(given, &input, more));
        found.graph = load(&more)?;
        if found.graph.is_none() && !more.is_empty() {
            found.graph = load(&[])?;
        }
        Ok(found)
    }

    /// Enters the inputs and gives them with their axes called as here.
    fn take_inputs(&mut self, graph: &GraphProto) -> Vec<ValueInfoProto> {
        let constants: HashSet<&str> = graph.initializer.iter().filter_map(|tensor| tensor.name.as_deref()).collect();
        let mut inputs = graph.input.clone();
        inputs.retain(|input| !constants.contains(named(input)));
        let mut count = 0;
        for input in &mut inputs {
            let shape = input.r#type.as_mut().and_then(|r#type| r#type.tensor_type.as_mut()?.shape.as_mut());
            let mut dim = |dim: &mut onnx::Dimension| {
                if let Some(size) = dim.dim_value.and_then(|size| usize::try_from(size).ok()) {
                    return Dimension::Fixed(size);
                }
                count += 1;
                let own = format!("axis{count}");
                let own = match dim.dim_param.take() {
                    Some(name) => self.names.entry(name).or_insert(own).clone(),
                    None => own,
                };
                *dim = onnx::Dimension { dim_value: None, dim_param: Some(own.clone()) };
                Dimension::Symbolic(own)
            };
            let dims = shape.map(|shape| shape.dim.iter_mut().map(&mut dim).collect());
            self.inputs.push((named(input).to_string(), dims));
        }
        inputs
    }

    pub(super) fn inputs(&self) -> impl Iterator<Item = (&str, Option<&[Dimension]>)> {
        self.inputs.iter().map(|(name, dims)| (name.as_str(), dims.as_deref()))
    }

    /// The dims of all inputs; none of one whose shape is not declared.
    pub(super) fn dims_of_inputs(&self) -> Vec<Vec<Dimension>> {
        self.inputs.iter().map(|(_, dims)| dims.clone().unwrap_or_default()).collect()
    }

    /// The axes that the file gives the name of one before them, each with that one: of which input, and which axis.
    pub(super) fn alike(&self) -> Vec<[(usize, usize); 2]> {
        let named: HashSet<&str> = self.names.values().map(String::as_str).collect();
        let mut first: HashMap<&str, (usize, usize)> = HashMap::new();
        let mut alike = Vec::new();
        for (input, (_, dims)) in self.inputs.iter().enumerate() {
            for (axis, dim) in dims.iter().flatten().enumerate() {
                let Dimension::Symbolic(name) = dim else { continue };
                if named.contains(name.as_str()) {
                    let one = *first.entry(name).or_insert((input, axis));
                    if one != (input, axis) {
                        alike.push([one, (input, axis)]);
                    }
                }
            }
        }
        alike
    }

    /// What an axis that the file names is called here.
    pub(super) fn name_of(&self, axis: &str) -> Option<&str> {
        self.names.get(axis).map(String::as_str)
    }

    /// The shape of a value as far as it could be inferred; `None` for one that is not known.
    pub(super) fn shape_of(&self, name: &str) -> Option<Vec<Dimension>> {
        match &self.graph {
            Some(graph) => graph.node_info(graph.find_node(name)?)?.shape(),
            None => self.inputs.iter().find(|(input, _)| input == name)?.1.clone(),
        }
    }

    /// The shape of each output as far as it could be inferred. What the engine cannot tell has a name of its own making.
    pub(super) fn output_shapes(&self) -> impl Iterator<Item = Option<Vec<Dimension>>> {
        let ids = self.graph.iter().flat_map(|graph| graph.output_ids().iter().map(move |id| (graph, *id)));
        let shapes = ids.map(|(graph, id)| graph.node_info(id)?.shape());
        shapes.chain(std::iter::repeat(None)).take(self.outputs)
    }
}

/// A graph without what the file declares of sizes within it, and without the data of its weights.
fn light(given: &GraphProto, input: &[ValueInfoProto], more: &[ValueInfoProto]) -> GraphProto {
    let (node, output) = (given.node.clone(), given.output.iter().chain(more).cloned().collect());
    let initializer = given.initializer.iter().map(without_data).collect();
    let mut graph = GraphProto { node, input: input.to_vec(), output, initializer, ..Default::default() };
    undeclared(&mut graph.output);
    graph.node.iter_mut().for_each(forget);
    graph
}

fn without_data(tensor: &TensorProto) -> TensorProto {
    let is_few =
        |dims: &[i64]| dims.iter().try_fold(1_i64, |all, dim| all.checked_mul(*dim)).is_some_and(|all| all <= FEW);
    if is_few(&tensor.dims) {
        return tensor.clone();
    }
    let (name, dims) = (tensor.name.clone(), tensor.dims.clone());
    TensorProto { name, dims, data_type: tensor.data_type, ..Default::default() }
}

/// Forgets the sizes that the graphs inside of a node declare.
fn forget(node: &mut NodeProto) {
    for graph in node.attribute.iter_mut().filter_map(|attribute| attribute.g.as_mut()) {
        undeclared(&mut graph.input);
        undeclared(&mut graph.output);
        graph.node.iter_mut().for_each(forget);
    }
}

fn undeclared(infos: &mut [ValueInfoProto]) {
    let tensors = infos.iter_mut().filter_map(|info| info.r#type.as_mut()?.tensor_type.as_mut());
    tensors.for_each(|tensor| tensor.shape = None);
}

/// The graph once the engine has it; `None` if it stumbles.
fn loaded(model: &ModelProto, graph: GraphProto) -> Result<Option<rten::Model>, LoadFailure> {
    let opset_import = model
        .opset_import
        .iter()
        .map(|import| onnx::OperatorSetIdProto { domain: import.domain.clone(), version: import.version });
    let mut light = ModelProto {
        ir_version: model.ir_version,
        opset_import: opset_import.collect(),
        graph: Some(graph),
        ..Default::default()
    };
    // Before the weights become inputs: what follows from them alone is not looked at while the model runs.
    ceiling::guard(&mut light)?;
    let chain = light.graph.as_ref().map_or(Ok(0), deep::chain)?;
    if let Some(graph) = &mut light.graph {
        let has_data = |tensor: &TensorProto| {
            let lists = tensor.float_data.len() + tensor.double_data.len() + tensor.int32_data.len();
            tensor.raw_data.is_some() || lists + tensor.int64_data.len() > 0 || tensor.dims.contains(&0)
        };
        let (few, weights) = std::mem::take(&mut graph.initializer).into_iter().partition(has_data);
        graph.initializer = few;
        graph.input.extend(Vec::into_iter(weights).map(port));
    }
    let file = light.write_buf().map_err(|error| LoadFailure::Refused(error.to_string()))?;
    let load = || contained_load(|| ModelOptions::with_all_ops().load(file));
    Ok(deep::along(chain, load).flatten().ok().and_then(Result::ok))
}

/// A constant as an input of its sizes.
fn port(tensor: TensorProto) -> ValueInfoProto {
    let dim = |&size: &i64| onnx::Dimension { dim_value: Some(size), dim_param: None };
    let shape = Some(TensorShapeProto { dim: tensor.dims.iter().map(dim).collect() });
    let tensor_type = Some(TypeProtoTensor { elem_type: tensor.data_type, shape });
    ValueInfoProto { name: tensor.name, r#type: Some(TypeProto { tensor_type, sequence: None }) }
}

fn named(info: &ValueInfoProto) -> &str {
    info.name.as_deref().unwrap_or_default()
}
