//! The declarations of an ONNX file. `rten` keeps only what it needs for calculating, so the declared element types,
//! the sizes of the weights and the metadata are read here.

use super::empty::Need;
use super::engine::Engine;
use super::failure::LoadFailure;
use super::names::Attributes;
use super::port::{Axis, Element, Port, UNKNOWN_RANK, dims_of, fixed};
use super::rewrite::{self, Rewritten};
use super::shapes::Shapes;
use super::{external, wire};
use rten::Dimension;
use rten_onnx::onnx::{AttributeProto, GraphProto, ModelProto, TensorProto, TensorShapeProto, ValueInfoProto};
use std::collections::HashSet;
use std::path::Path;

/// How files start that are often taken for a model, and what they are.
const OTHERS: [(&[u8], &str); 6] = [
    (b"IMOD", "it is an offline model (.om), compiled for a device; load the ONNX file it was made from"),
    (b"version https://git-lfs", "it is a pointer of Git LFS in place of the file: `git lfs pull` fetches the file"),
    (b"PK\x03\x04", "it is an archive (zip), as PyTorch saves models; export the model as ONNX"),
    (b"<", "it is a text with `<` at its start, such as a web page: was the download refused?"),
    (b"\x1f\x8b", "it is compressed (gzip); unpack it first"),
    (b"RTEN", "it is a model of rten; load the ONNX file it was made from"),
];

/// A file read as ONNX.
pub(super) struct OnnxFile {
    /// The declared inputs and outputs of the file.
    declared: GraphProto,
    /// The model for the engine.
    model: ModelProto,
    /// The checks of a run; see [`rewrite`].
    pub(super) checks: Vec<String>,
    /// The nodes that need elements; see [`Need`].
    pub(super) needs: Vec<Need>,
    attributes: Attributes,
    weight_bytes: usize,
}

impl OnnxFile {
    /// Reads a file. Data that it keeps in other files are looked for in `folder`.
    pub(super) fn read(bytes: &mut [u8], folder: Option<&Path>) -> Result<Self, LoadFailure> {
        if bytes.is_empty() {
            return Err(LoadFailure::Empty);
        }
        if let Some((_, why)) = OTHERS.iter().find(|(start, _)| bytes.starts_with(start)) {
            return Err(LoadFailure::NotOnnx((*why).to_string()));
        }
        wire::check_model(bytes).map_err(LoadFailure::NotOnnx)?;
        let mut model = ModelProto::parse_buf(bytes).map_err(|error| LoadFailure::NotOnnx(error.to_string()))?;
        let Some(graph) = model.graph.as_mut().filter(|_| model.ir_version.is_some()) else {
            return Err(LoadFailure::NotOnnx("it has no IR version, or no graph".to_string()));
        };
        let weight_bytes = graph_bytes(graph);
        external::bring(graph, folder)?;
        let declared = GraphProto { input: graph.input.clone(), output: graph.output.clone(), ..Default::default() };
        if declared.output.is_empty() {
            return Err(LoadFailure::Refused("its graph has no outputs".to_string()));
        }
        // Old files list their constants among the inputs.
        let constants: HashSet<Option<&String>> = graph.initializer.iter().map(|tensor| tensor.name.as_ref()).collect();
        let is_given = |info: &&ValueInfoProto| !constants.contains(&info.name.as_ref());
        for info in declared.input.iter().filter(is_given).chain(&declared.output) {
            element(named(info), Some(info))?;
        }
        let Rewritten { model, checks, needs, attributes } = rewrite::rewrite(model)?;
        Ok(Self { declared, model, checks, needs, attributes, weight_bytes })
    }

    /// The engine with the model.
    pub(super) fn engine(&self) -> Result<Engine, LoadFailure> {
        let file = self.model.write_buf().map_err(|error| LoadFailure::Refused(error.to_string()))?;
        Engine::load(file, &self.attributes, |node, attribute| self.value_of(node, attribute))
    }

    /// What follows from the file about the sizes of its values.
    pub(super) fn shapes(&self) -> Result<Shapes, LoadFailure> {
        Shapes::infer(&self.model, self.needs.iter().map(Need::value))
    }

    /// An attribute of the node of this name, as messages show it.
    fn value_of(&self, node: &str, attribute: &str) -> Option<String> {
        value_in(self.model.graph.as_ref()?, node, attribute)
    }

    /// The inputs, as a description shows them.
    pub(super) fn inputs(&self, shapes: &Shapes) -> Result<Vec<Port>, LoadFailure> {
        let port = |(name, shape): (&str, Option<&[Dimension]>)| {
            let declared = self.declared.input.iter().find(|info| named(info) == name);
            let element = element(name, declared)?;
            let dims = dims_of(shape.ok_or_else(|| LoadFailure::port(name, "the file does not declare its shape"))?);
            Ok(Port::new(name, element, dims))
        };
        shapes.inputs().map(port).collect()
    }

    /// The outputs, as a description shows them, and where the size of each of their axes comes from.
    pub(super) fn outputs(&self, shapes: &Shapes) -> Result<(Vec<Port>, Vec<Option<Vec<Axis>>>), LoadFailure> {
        let inputs = shapes.dims_of_inputs();
        let port = |(info, inferred): (&ValueInfoProto, Option<Vec<Dimension>>)| {
            let element = element(named(info), Some(info))?;
            let axes = axes(inferred.as_deref(), declared_shape(info), &inputs, shapes);
            let size = |axis: &Axis| if let Axis::Fixed(size) = *axis { size } else { -1 };
            let dims = axes.as_ref().map_or_else(|| vec![UNKNOWN_RANK], |axes| axes.iter().map(size).collect());
            Ok((Port::new(named(info), element, dims), axes))
        };
        self.declared.output.iter().zip(shapes.output_shapes()).map(port).collect()
    }

    /// Where the sizes of the outputs' axes come from, as far as they are inferred.
    pub(super) fn inferred(&self, shapes: &Shapes) -> Vec<Option<Vec<Axis>>> {
        let inputs = shapes.dims_of_inputs();
        shapes.output_shapes().map(|inferred| axes(inferred.as_deref(), None, &inputs, shapes)).collect()
    }

    /// Bytes of all constant tensors, in subgraphs too.
    pub(super) fn weight_bytes(&self) -> usize {
        self.weight_bytes
    }

    /// The keys of the metadata.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.model.metadata_props.iter().filter_map(|entry| entry.key.as_deref())
    }

    /// The values of a metadata property; more than one if the file repeats it.
    pub(super) fn properties<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let entries = self.model.metadata_props.iter().filter(move |entry| entry.key.as_deref() == Some(key));
        entries.map(|entry| entry.value.as_deref().unwrap_or_default())
    }

    /// Makes the file one for inputs of these dims only, and gives the dims that its outputs then have.
    pub(super) fn specialize(&mut self, ports: &[Port], dims: &[Vec<i64>]) -> Result<Vec<Vec<i64>>, LoadFailure> {
        for info in self.model.graph.iter_mut().flat_map(|graph| &mut graph.input) {
            let given = ports.iter().zip(dims).find(|(port, _)| named(info) == port.name);
            let shape = info.r#type.as_mut().and_then(|r#type| r#type.tensor_type.as_mut()?.shape.as_mut());
            if let (Some((_, dims)), Some(shape)) = (given, shape) {
                for (dim, &size) in shape.dim.iter_mut().zip(dims) {
                    dim.dim_value = Some(size);
                }
            }
        }
        let (ports, _) = self.outputs(&self.shapes()?)?;
        Ok(ports.into_iter().map(|port| port.dims).collect())
    }

    pub(super) fn graph(&self) -> Option<&GraphProto> {
        self.model.graph.as_ref()
    }
}

/// Where the sizes of an output's axes come from. `rten`'s inference comes first, for it is what will be calculated;
/// the file's declaration fills what inference leaves open. `None` if neither knows how many axes there are.
fn axes(
    inferred: Option<&[Dimension]>,
    declared: Option<&TensorShapeProto>,
    inputs: &[Vec<Dimension>],
    shapes: &Shapes,
) -> Option<Vec<Axis>> {
    let same = |name: &str| {
        let position = |shape: &Vec<Dimension>| {
            shape.iter().position(|dim| matches!(dim, Dimension::Symbolic(symbol) if symbol == name))
        };
        inputs.iter().enumerate().find_map(|(input, shape)| Some(Axis::Same { input, axis: position(shape)? }))
    };
    let from_inference = |dim: &Dimension| match dim {
        Dimension::Symbolic(name) if name.starts_with("unknown_") => None,
        Dimension::Symbolic(name) => same(name),
        dim => fixed(dim).map(Axis::Fixed),
    };
    let from_file = |dim: &rten_onnx::onnx::Dimension| match (dim.dim_value, &dim.dim_param) {
        (Some(size), _) if size >= 0 => Some(Axis::Fixed(size)),
        (_, Some(name)) => same(shapes.name_of(name)?),
        _ => None,
    };
    let declared = declared.map(|shape| shape.dim.as_slice());
    let count = inferred.map(<[_]>::len).or(declared.map(<[_]>::len))?;
    let declared = declared.filter(|dims| dims.len() == count).unwrap_or_default();
    let axis = |index: usize| {
        let inferred = inferred.and_then(|dims| from_inference(dims.get(index)?));
        inferred.or_else(|| from_file(declared.get(index)?)).unwrap_or(Axis::Open)
    };
    Some((0..count).map(axis).collect())
}

/// An attribute of a node of this graph, or of a graph inside it.
fn value_in(graph: &GraphProto, node: &str, attribute: &str) -> Option<String> {
    let is_it = |found: &&AttributeProto| found.name.as_deref() == Some(attribute);
    match graph.node.iter().find(|found| found.name.as_deref() == Some(node)) {
        Some(found) => found.attribute.iter().find(is_it).map(rewrite::shown),
        None => {
            let mut inner = graph.node.iter().flat_map(|node| &node.attribute).filter_map(|found| found.g.as_ref());
            inner.find_map(|graph| value_in(graph, node, attribute))
        }
    }
}

fn element(name: &str, info: Option<&ValueInfoProto>) -> Result<Element, LoadFailure> {
    let tensor = info.and_then(|info| info.r#type.as_ref()?.tensor_type.as_ref());
    let tensor = tensor.ok_or_else(|| LoadFailure::port(name, "the file does not declare it as a tensor"))?;
    let declared = tensor.elem_type.ok_or_else(|| LoadFailure::port(name, "the file declares no element type"))?;
    Element::from_onnx(declared)
        .ok_or_else(|| LoadFailure::port(name, format!("the simulator has no elements of type {declared}")))
}

fn named(info: &ValueInfoProto) -> &str {
    info.name.as_deref().unwrap_or_default()
}

fn declared_shape(info: &ValueInfoProto) -> Option<&TensorShapeProto> {
    info.r#type.as_ref()?.tensor_type.as_ref()?.shape.as_ref()
}

fn graph_bytes(graph: &GraphProto) -> usize {
    let attributes = graph.node.iter().flat_map(|node| &node.attribute);
    let inside = attributes.map(|attribute| {
        let tensor = attribute.t.as_ref().map_or(0, tensor_bytes);
        tensor.saturating_add(attribute.g.as_ref().map_or(0, graph_bytes))
    });
    graph.initializer.iter().map(tensor_bytes).chain(inside).fold(0, usize::saturating_add)
}

fn tensor_bytes(tensor: &TensorProto) -> usize {
    let element = tensor.data_type.and_then(Element::from_onnx).map_or(0, Element::bytes);
    let sizes = tensor.dims.iter().map(|&dim| usize::try_from(dim).unwrap_or(0));
    sizes.fold(element, usize::saturating_mul)
}
