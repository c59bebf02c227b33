//! The device memory of a bound model.

use super::description::Shape;
use super::index_or_name::quoted;
use super::{Model, TensorInfo, dims};
use crate::brand::Brand;
use crate::current::Current;
use crate::element::{Element, elements_of};
use crate::error::{Error, InputError, ObjectKind, check_truth_values};
use crate::ffi::{BoundInput, Home, Port, RawBuffer, TensorPlace};
use std::sync::Arc;

/// The memory for one output of a [`BoundModel`](super::BoundModel).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OutputBuffer<'a> {
    /// For exactly this shape.
    Shape(&'a [usize]),
    /// For a shape that is known only after the execution, with at most this many elements.
    AtMost(usize),
    /// The library allocates the memory: through the allocator that is registered on the stream, or by itself
    /// (DATA-06).
    ///
    /// The vendor documents this for synchronous executions ([`Model::run`](super::Model::run)). On a stream, the
    /// library may leave an output without memory. Reading that output returns [`Error::OutputNotAllocated`].
    ByLibrary,
}

#[derive(Clone, Debug)]
pub(super) struct Tensors {
    pub(super) inputs: Vec<InputTensor>,
    pub(super) outputs: Vec<OutputTensor>,
    /// The input in which the library notes the chosen shape, if the model was compiled for a list of shapes.
    gear: Option<(usize, Arc<RawBuffer>)>,
    /// Whether an execution has written the outputs. In a capture: whether every run of the tasks so far does.
    pub(super) executed: bool,
    /// Whether an output has memory that no execution has written yet.
    pub(super) replaced: bool,
}

/// One input on the device.
#[derive(Clone, Debug)]
pub(super) struct InputTensor {
    pub(super) info: TensorInfo,
    pub(super) shape: Vec<usize>,
    pub(super) block: Arc<RawBuffer>,
    /// The memory has other readers, so nobody writes it.
    pub(super) shared: bool,
}

/// One output on the device.
#[derive(Clone, Debug)]
pub(super) struct OutputTensor {
    pub(super) info: TensorInfo,
    pub(super) memory: OutputMemory,
    /// No execution has written to this memory yet.
    pub(super) replaced: bool,
}

#[derive(Clone, Debug)]
pub(super) enum OutputMemory {
    Exactly(usize, Arc<RawBuffer>),
    AtMost(Arc<RawBuffer>),
    ByLibrary,
}

impl InputTensor {
    pub(super) fn elements(&self) -> usize {
        elements_of(&self.shape)
    }

    /// An error if the memory has other readers.
    pub(super) fn check_not_shared(&self) -> Result<(), Error> {
        if self.shared { Err(Error::InputIsShared { name: self.info.name.clone() }) } else { Ok(()) }
    }

    /// An error if the input's memory is too small for this shape.
    pub(super) fn check_shape(&self, shape: &[usize]) -> Result<(), Error> {
        let elements = elements_of(accepted(&self.info, shape)?);
        if self.info.element.size().is_none() && elements == self.elements() {
            return Ok(());
        }
        let need = bytes(&self.info, elements, 0)?;
        if need <= self.block.bytes() {
            return Ok(());
        }
        Err(Error::TooShort { what: ObjectKind::MODEL_INPUT_MEMORY, need, have: self.block.bytes() })
    }
}

impl OutputTensor {
    /// An error when the output is not made of `E`.
    pub(super) fn check_element<E: Element>(&self) -> Result<(), Error> {
        if self.info.element.takes::<E>() {
            return Ok(());
        }
        let (name, found) = (self.info.name.clone(), self.info.element);
        Err(Error::OutputType { name: name.into(), found, asked: E::TYPE })
    }

    /// The memory, and how many elements it has; `None` if the output may have fewer elements than fit.
    pub(super) fn memory(&self) -> Result<(Option<usize>, &Arc<RawBuffer>), Error> {
        match &self.memory {
            OutputMemory::Exactly(elements, block) => Ok((Some(*elements), block)),
            OutputMemory::AtMost(block) => Ok((None, block)),
            // The address is known only after the execution.
            OutputMemory::ByLibrary => Err(Error::OutputNotAllocated { name: self.info.name.clone() }),
        }
    }
}

impl Tensors {
    pub(super) fn allocate<C: Brand, P>(
        current: &Current<C>,
        model: &Model<C, P>,
        inputs: &[&[usize]],
        outputs: &[OutputBuffer<'_>],
    ) -> Result<Self, Error> {
        same_count(model.inputs(), inputs.len())?;
        same_count(model.outputs(), outputs.len()).map_err(InputError::of_an_output)?;
        // The library may read and write more of a tensor of a fixed shape than the shape has: what its description says.
        let place = |elements, info: &TensorInfo, least: usize| {
            current.ledger().allocate(Home::Device, bytes(info, elements, least)?)
        };
        let input = |((info, least), shape): ((&TensorInfo, usize), &&[usize])| {
            let block = place(elements_of(accepted(info, shape)?), info, least)?;
            Ok(InputTensor { info: info.clone(), shape: shape.to_vec(), block, shared: false })
        };
        let has_gears = model.gears().is_some();
        let output = |((info, port), memory): ((&TensorInfo, &Port), &OutputBuffer<'_>)| {
            let memory = match *memory {
                OutputBuffer::Shape(shape) => {
                    // With gears, the description has shape and size of the largest.
                    let accepted = if has_gears { accepted_in_a_gear } else { accepted };
                    let elements = elements_of(accepted(info, shape).map_err(InputError::of_an_output)?);
                    let least = if has_gears { 0 } else { port.fixed_bytes() };
                    OutputMemory::Exactly(elements, place(elements, info, least)?)
                }
                OutputBuffer::AtMost(elements) => OutputMemory::AtMost(place(elements, info, 0)?),
                OutputBuffer::ByLibrary => OutputMemory::ByLibrary,
            };
            Ok(OutputTensor { info: info.clone(), memory, replaced: false })
        };
        let gear = |(index, bytes)| Ok::<_, Error>((index, current.ledger().allocate(Home::Device, bytes)?));
        Ok(Self {
            inputs: model
                .inputs()
                .iter()
                .zip(model.least_input_bytes())
                .zip(inputs)
                .map(input)
                .collect::<Result<_, Error>>()?,
            outputs: model
                .outputs()
                .iter()
                .zip(model.loaded.outputs())
                .zip(outputs)
                .map(output)
                .collect::<Result<_, Error>>()?,
            gear: model.loaded.gear_input().map(gear).transpose()?,
            executed: false,
            replaced: false,
        })
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = &RawBuffer> {
        self.rows().map(|block| &**block)
    }

    /// The rows of the blocks.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Arc<RawBuffer>> {
        let inputs = self.inputs.iter().map(|input| &input.block);
        let outputs = self.outputs.iter().filter_map(|output| match &output.memory {
            OutputMemory::Exactly(_, block) | OutputMemory::AtMost(block) => Some(block),
            OutputMemory::ByLibrary => None,
        });
        inputs.chain(outputs).chain(self.gear.iter().map(|(_, block)| block))
    }

    /// The index of an input in the library's order.
    pub(super) fn place_of_input(&self, index: usize) -> TensorPlace {
        let gear = self.gear.as_ref().map(|(gear, _)| *gear);
        TensorPlace::Input(if gear.is_some_and(|gear| gear <= index) { index + 1 } else { index })
    }

    /// The memory of an input, to be written with this many elements of this type.
    pub(super) fn input_of<E: Element>(&self, input: usize, length: usize) -> Result<&Arc<RawBuffer>, Error> {
        let bound = self.input(input)?;
        if !bound.info.element.takes::<E>() {
            let (name, expected) = (bound.info.name.clone(), bound.info.element);
            return Err(InputError::Element { name, expected, found: E::TYPE }.into());
        }
        if length != bound.elements() {
            let (expected, found) = (bound.elements(), length);
            return Err(Error::LengthMismatch { what: ObjectKind::MODEL_INPUT, expected, found });
        }
        bound.check_not_shared()?;
        Ok(&bound.block)
    }

    /// The memory of an input, to be written with these bytes of its elements.
    pub(super) fn input_of_bytes(&self, input: usize, bytes: &[u8]) -> Result<&Arc<RawBuffer>, Error> {
        let bound = self.input(input)?;
        let size = bound.info.element.size();
        let expected = size.map_or(bound.block.bytes(), |size| bound.elements().saturating_mul(size));
        let found = bytes.len();
        if found != expected {
            let (shape, element) = (format!("{:?}", bound.shape), bound.info.element);
            return Err(InputError::Bytes { shape, element, expected, found }.into());
        }
        check_truth_values(bound.info.element, bytes)?;
        bound.check_not_shared()?;
        Ok(&bound.block)
    }

    /// An error if the input is one of truth values, and a byte is none.
    pub(super) fn check_truth_values(&self, input: usize, bytes: &[u8]) -> Result<(), Error> {
        check_truth_values(self.input(input)?.info.element, bytes)
    }

    /// An input whose memory is to be written.
    pub(super) fn input_to_write(&self, index: usize) -> Result<&InputTensor, Error> {
        let bound = self.input(index)?;
        bound.check_not_shared()?;
        Ok(bound)
    }

    fn input(&self, index: usize) -> Result<&InputTensor, Error> {
        self.inputs.get(index).ok_or_else(|| Error::NoSuchInput { index, count: self.inputs.len() })
    }

    pub(super) fn output(&self, index: usize) -> Result<&OutputTensor, Error> {
        self.outputs.get(index).ok_or_else(|| Error::NoSuchOutput { index, count: self.outputs.len() })
    }

    /// The memory of an output, for this many elements of this type: the whole output.
    pub(super) fn output_of<E: Element>(&self, output: usize, length: usize) -> Result<&Arc<RawBuffer>, Error> {
        let bound = self.output(output)?;
        bound.check_element::<E>()?;
        let (expected, block) = bound.memory()?;
        let expected = expected.unwrap_or(block.elements::<E>());
        if length != expected {
            return Err(Error::LengthMismatch { what: ObjectKind::MODEL_OUTPUT, expected, found: length });
        }
        Ok(block)
    }

    /// An error if the library allocates an output: a captured graph cannot keep such memory.
    pub(super) fn all_have_room(&self) -> Result<(), Error> {
        let open = self.outputs.iter().find(|output| matches!(output.memory, OutputMemory::ByLibrary));
        open.map_or(Ok(()), |open| Err(Error::OutputNotAllocated { name: open.info.name.clone() }))
    }

    /// The inputs in the library's order, including the one for the chosen shape.
    pub(super) fn parts(&self) -> Vec<BoundInput> {
        let part = |bound: &InputTensor| BoundInput {
            block: Arc::clone(&bound.block),
            bytes: bound.block.bytes(),
            dims: dims(&bound.shape),
        };
        let mut parts: Vec<_> = self.inputs.iter().map(part).collect();
        if let Some((index, block)) = &self.gear {
            let (block, bytes) = (Arc::clone(block), block.bytes());
            parts.insert((*index).min(parts.len()), BoundInput { block, bytes, dims: Vec::new() });
        }
        parts
    }

    /// The shapes of the inputs.
    pub(super) fn shapes(&self) -> Vec<&[usize]> {
        self.inputs.iter().map(|input| input.shape.as_slice()).collect()
    }

    /// Shapes in the library's order, with a place for the input of the chosen shape.
    pub(super) fn dims(&self, shapes: &[&[usize]]) -> Vec<Vec<i64>> {
        let mut all: Vec<_> = shapes.iter().map(|shape| dims(shape)).collect();
        if let Some((index, _)) = &self.gear {
            all.insert((*index).min(all.len()), Vec::new());
        }
        all
    }

    pub(super) fn places(&self) -> Vec<Option<Arc<RawBuffer>>> {
        let place = |output: &OutputTensor| match &output.memory {
            OutputMemory::Exactly(_, block) | OutputMemory::AtMost(block) => Some(Arc::clone(block)),
            OutputMemory::ByLibrary => None,
        };
        self.outputs.iter().map(place).collect()
    }
}

pub(super) fn same_count(infos: &[TensorInfo], found: usize) -> Result<(), InputError> {
    if infos.len() == found {
        return Ok(());
    }
    Err(InputError::Count { expected: infos.len(), found, names: names(infos) })
}

pub(super) fn names(infos: &[TensorInfo]) -> String {
    quoted(infos.iter().map(|info| info.name.as_str()))
}

fn accepted<'s>(info: &TensorInfo, shape: &'s [usize]) -> Result<&'s [usize], InputError> {
    if info.accepts(shape) { Ok(shape) } else { Err(misfit(info, shape)) }
}

/// The same for an output of a model with gears: which of its axes vary, and to which sizes, is known when a gear was chosen.
fn accepted_in_a_gear<'s>(info: &TensorInfo, shape: &'s [usize]) -> Result<&'s [usize], InputError> {
    if info.shape.len() == shape.len() { Ok(shape) } else { Err(misfit(info, shape)) }
}

fn misfit(info: &TensorInfo, shape: &[usize]) -> InputError {
    let (name, expected) = (info.name.clone(), Shape(&info.shape).to_string());
    InputError::Shape { name, expected, found: format!("{shape:?}") }
}

/// The bytes of so many elements, or `least` if that is more. Only the library knows the size of some elements: it says how
/// many bytes a tensor of a fixed shape has.
fn bytes(info: &TensorInfo, elements: usize, least: usize) -> Result<usize, Error> {
    match info.element.size() {
        Some(size) => Ok(elements.saturating_mul(size).max(least)),
        None if least > 0 || elements == 0 => Ok(least),
        None => Err(unknown_element(info)),
    }
}

pub(super) fn unknown_element(info: &TensorInfo) -> Error {
    Error::UnknownElement { name: info.name.clone(), element: info.element }
}
