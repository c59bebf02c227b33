//! Models: what a file declares, and running it.
//!
//! A model file of the simulator is an ONNX file; `rten` runs it. This module is the whole engine behind
//! `aclmdlLoadFromMem`, `aclmdlGetDesc`, `aclmdlQuerySize` and `aclmdlExecute`: it knows bytes, dims and element types,
//! and nothing of handles, datasets or device memory.
//!
//! * [`Model::parse`] reads a file once; everything a description asks for is worked out there.
//! * Before `rten` sees a model, `rewrite` makes of each node what `rten` answers rightly, or refuses it.
//! * [`Model::run`] takes and gives bytes in the element types that the file declares, little endian. `rten` calculates
//!   in fewer types than ONNX has, so some are converted at the border: see [`Element`].
//! * Gears, the shapes a dynamic model was compiled for, come from the file's metadata: see [`Gears`].
//!
//! A model runs on one thread, so that neither its results nor its time depend on how many cores there are. A thread
//! that runs many models does it inside [`serve`], which saves a hand-over to another thread at each run.

#![forbid(unsafe_code)]
#![allow(unreachable_pub, reason = "the crate's root decides what leaves this module")]

mod ceiling;
mod contained;
mod convert;
mod deep;
mod empty;
mod engine;
mod external;
mod failure;
mod fold;
mod gears;
mod names;
mod onnx;
mod port;
mod rewrite;
mod shapes;
mod sizes;
mod sketch;
mod steps;
#[cfg(test)]
mod tests;
mod wire;

pub use convert::Output;
pub use engine::serve;
pub use failure::{LoadFailure, RunFailure};
pub use gears::{Gear, GearKind, Gears};
pub use port::{Element, Format, Port, UNKNOWN_RANK};
pub use sketch::{Setting, Sketch};

use ceiling::Between;
use empty::Needs;
use engine::Engine;
use onnx::OnnxFile;
use port::{Axis, known_bytes};
use rten::{Dimension, Value};
use rten_onnx::onnx::NodeProto;
use std::path::Path;

/// A model, read and ready to run. It never changes: share it through an `Arc` and run it from any thread.
#[derive(Debug)]
pub struct Model {
    name: String,
    engine: Engine,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    output_axes: Vec<Option<Vec<Axis>>>,
    /// As far as they are inferred, and not only declared.
    inferred_axes: Vec<Option<Vec<Axis>>>,
    /// The axes that have to be of one size, in pairs: of which input, and which axis.
    alike: Vec<[(usize, usize); 2]>,
    gears: Option<Gears>,
    weight_bytes: usize,
    /// What it means when a check, an output of the engine behind those of the file, is true somewhere.
    checks: Vec<String>,
    /// The nodes as messages call them, in the order in which they run, each with a value that it makes.
    nodes: Vec<(String, String)>,
    between: Between,
    needs: Needs,
}

/// One input of a run: its dims, and its elements in row-major order, little endian.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Its dims; they fit the port's where those are fixed.
    pub dims: &'a [i64],
    /// Its elements, exactly as many as the dims say.
    pub bytes: &'a [u8],
}

impl AsRef<[i64]> for Input<'_> {
    fn as_ref(&self) -> &[i64] {
        self.dims
    }
}

impl Model {
    /// Reads an ONNX file that has all its data in itself.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, LoadFailure> {
        Self::parse_in(None, bytes)
    }

    /// Reads an ONNX file from this folder, in which it may keep data in other files.
    pub fn parse_in(folder: Option<&Path>, mut bytes: Vec<u8>) -> Result<Self, LoadFailure> {
        let file = OnnxFile::read(&mut bytes, folder)?;
        let name = wire::graph_name(&bytes);
        drop(bytes);
        let engine = file.engine()?;
        let size = |dim: &Dimension| if let Dimension::Fixed(size) = dim { i64::try_from(*size).ok() } else { None };
        let shapes = file.shapes()?;
        let dims_of = |name: &str| Some(shapes.shape_of(name)?.iter().map(size).collect());
        file.graph().map_or(Ok(()), |graph| rewrite::parts::check(graph, dims_of))?;
        let inputs = file.inputs(&shapes)?;
        let (outputs, output_axes) = file.outputs(&shapes)?;
        let (inferred_axes, alike) = (file.inferred(&shapes), shapes.alike());
        let weight_bytes = file.weight_bytes();
        let checks = file.checks.clone();
        let nodes = file.graph().into_iter().flat_map(|graph| &graph.node);
        let named =
            |node: &NodeProto| (names::shown(node.name.as_deref().unwrap_or_default()), node.output.first().cloned());
        let nodes = nodes.map(named).filter_map(|(node, value)| Some((node, value?))).collect();
        let (between, needs) = (Between::of(file.graph(), &shapes), Needs::find(&file.needs, &shapes));
        let gears = None;
        let mut model = Self {
            name,
            engine,
            inputs,
            outputs,
            output_axes,
            inferred_axes,
            alike,
            gears,
            weight_bytes,
            checks,
            nodes,
            between,
            needs,
        };
        model.gears = gears::read(file, &model)?;
        Ok(model)
    }

    /// The name of the graph in the file; empty if it has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The inputs, in the file's order. The one that selects a gear is not among them: see [`Gears::port`].
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// The outputs, in the file's order.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// The shapes that the model was compiled for, when it has such a list.
    pub fn gears(&self) -> Option<&Gears> {
        self.gears.as_ref()
    }

    /// The dims of every output when the inputs have these dims; -1 where that depends on more than the dims, and
    /// [`UNKNOWN_RANK`] alone where not even the number of axes is known.
    pub fn output_dims<D: AsRef<[i64]>>(&self, inputs: &[D]) -> Vec<Vec<i64>> {
        self.output_axes.iter().map(|axes| port::dims_given(axes.as_deref(), inputs)).collect()
    }

    /// Bytes that a buffer for this input needs: for its dims, or for the gear that needs most; `None` if its size is
    /// open, or there is no such input.
    pub fn input_capacity(&self, index: usize) -> Option<usize> {
        let port = self.inputs.get(index)?;
        port.bytes().or_else(|| self.most(port, |gear| gear.inputs.get(index)))
    }

    /// Bytes that a buffer for this output needs, as [`input_capacity`](Self::input_capacity) says it of inputs.
    pub fn output_capacity(&self, index: usize) -> Option<usize> {
        let port = self.outputs.get(index)?;
        port.bytes().or_else(|| self.most(port, |gear| gear.outputs.get(index)))
    }

    /// Bytes of the weights: all constant tensors, in the element types the file declares.
    pub fn weight_bytes(&self) -> usize {
        self.weight_bytes
    }

    /// Bytes of working memory for inputs of these dims: the sum of all inputs and outputs. Values between the
    /// operators are not counted, since `rten` decides only while running which of them share memory. `None` if an
    /// output's size is open.
    pub fn work_bytes<D: AsRef<[i64]>>(&self, inputs: &[D]) -> Option<usize> {
        known_bytes(&self.inputs, inputs)?.checked_add(known_bytes(&self.outputs, &self.output_dims(inputs))?)
    }

    /// Runs the model once and gives its outputs, in the file's order.
    ///
    /// Do not hold a lock meanwhile: a caller that is itself a worker of a `rayon` pool, and not inside [`serve`], may
    /// be given other work of that pool while it waits.
    pub fn run(&self, inputs: &[Input<'_>]) -> Result<Vec<Output>, RunFailure> {
        if inputs.len() != self.inputs.len() {
            return Err(RunFailure::InputCount { found: inputs.len(), expected: self.inputs.len() });
        }
        let values = self.values_of(inputs)?;
        self.check_alike(inputs)?;
        // The inputs have the dims that the model takes: what they lead to is known.
        self.between.check(inputs)?;
        self.needs.check(inputs)?;
        let results = self.engine.run(values.into_iter().map(Ok)).map_err(|failure| self.placed(failure, inputs))?;
        let found = results.iter().skip(self.outputs.len()).zip(&self.checks).find(|(result, _)| convert::any(result));
        if let Some((_, text)) = found {
            return Err(RunFailure::Unfit(text.clone()));
        }
        let mut outputs = Vec::with_capacity(self.outputs.len());
        for ((port, axes), value) in self.outputs.iter().zip(&self.inferred_axes).zip(results) {
            let output = Output::new(port, value)?;
            check_dims(port, &output.dims(), axes.as_deref(), inputs)?;
            outputs.push(output);
        }
        Ok(outputs)
    }

    /// Refuses inputs that have different sizes where the file gives their axes one name.
    fn check_alike(&self, inputs: &[Input<'_>]) -> Result<(), RunFailure> {
        let size = |&(input, axis): &(usize, usize)| inputs.get(input)?.dims.get(axis).copied();
        let text = |place: &(usize, usize)| {
            let port = self.inputs.get(place.0).map(|port| port.name.as_str()).unwrap_or_default();
            format!("axis {} of input `{port}` has size {}", place.1, size(place).unwrap_or(0))
        };
        match self.alike.iter().find(|[one, other]| size(one) != size(other)) {
            None => Ok(()),
            Some([one, other]) => {
                let (one, other) = (text(one), text(other));
                Err(RunFailure::Unfit(format!("{one}, and {other}, but the file gives both axes the same name")))
            }
        }
    }

    fn values_of(&self, inputs: &[Input<'_>]) -> Result<Vec<Value>, RunFailure> {
        let value = |(index, (port, input))| convert::tensor(port, input).map_err(|wrong| wrong.at(index, port));
        self.inputs.iter().zip(inputs).enumerate().map(value).collect()
    }

    /// The failure of a run on these inputs, with the node if the engine has panicked: it does not say where.
    fn placed(&self, failure: RunFailure, inputs: &[Input<'_>]) -> RunFailure {
        match failure {
            RunFailure::Refused(why) if why.starts_with(contained::PANICKED) => {
                let values: Vec<&str> = self.nodes.iter().map(|(_, value)| value.as_str()).collect();
                let place = self.values_of(inputs).ok().and_then(|inputs| self.engine.panics_at(&inputs, &values));
                let node = place.and_then(|place| self.nodes.get(place));
                RunFailure::Refused(node.map_or(why.clone(), |(node, _)| format!("{node}: {why}")))
            }
            other => other,
        }
    }

    fn most<'a>(&'a self, port: &Port, dims: impl Fn(&'a Gear) -> Option<&'a Vec<i64>>) -> Option<usize> {
        let bytes = |gear| port.bytes_for(dims(gear)?);
        self.gears.as_ref()?.list.iter().map(bytes).try_fold(0, |most, bytes| Some(most.max(bytes?)))
    }
}

/// Refuses a result of other dims than those that were told.
fn check_dims(port: &Port, found: &[i64], axes: Option<&[Axis]>, inputs: &[Input<'_>]) -> Result<(), RunFailure> {
    let Some(axes) = axes else { return Ok(()) };
    let told = port::dims_given(Some(axes), inputs);
    let fits = |(found, told): (&i64, &i64)| *told < 0 || found == told;
    if told.len() == found.len() && found.iter().zip(&told).all(fits) {
        return Ok(());
    }
    let name = &port.name;
    Err(RunFailure::Unfit(format!("output `{name}` has dims {found:?}, and the simulator inferred {told:?}")))
}
