//! A model as a capture uses it.

use super::BoundModel;
use super::bindings::Tensors;
use crate::brand::Brand;
use crate::current::Current;
use crate::element::{Element, ElementType};
use crate::error::{Error, InputError, ObjectKind};
use crate::ffi::{Api, LoadedModel, RawBinding, RawBuffer, RawStream};
use std::any::Any;
use std::sync::Arc;

/// The parts of a [`BoundModel`](super::BoundModel) that captured tasks use. The graph owns the model.
#[derive(Debug)]
pub(crate) struct CapturedModel {
    loaded: Arc<LoadedModel>,
    binding: Arc<RawBinding>,
    bound: Tensors,
}

/// An input or output of a captured model or operator, for copies.
pub(crate) struct CapturedTensor {
    pub(crate) block: Arc<RawBuffer>,
    pub(crate) element: ElementType,
    /// `None` for as many elements as fit into the memory.
    elements: Option<usize>,
    name: String,
    what: ObjectKind,
}

impl<C: Brand, P> BoundModel<C, P> {
    /// Forgets what earlier graphs did with the model, because another graph gets it.
    pub(crate) fn forget_earlier_graphs(&self) {
        self.parts.binding.set_captured(false);
    }

    /// The model as a capture uses it.
    pub(crate) fn for_capture(&self) -> CapturedModel {
        CapturedModel::new(&self.parts.model.loaded, &self.parts.binding, &self.parts.bound)
    }

    /// An error unless a capture can use the model: a replay would not wait for an execution that timed out.
    pub(crate) fn check_capturable(&self, current: &Current<C>) -> Result<(), Error> {
        current.ledger().check_capturable(&self.parts.binding, &self.parts.model.loaded)
    }
}

impl CapturedModel {
    fn new(loaded: &Arc<LoadedModel>, binding: &Arc<RawBinding>, bound: &Tensors) -> Self {
        let mut bound = bound.clone();
        bound.executed = false;
        Self { loaded: Arc::clone(loaded), binding: Arc::clone(binding), bound }
    }

    /// The rows that the graph has to keep. The binding keeps the memory, but the program can take memory out of it when
    /// it has the model back.
    pub(crate) fn rows(&self) -> Vec<Arc<dyn Any + Send + Sync>> {
        let mut rows: Vec<Arc<dyn Any + Send + Sync>> =
            vec![Arc::clone(&self.loaded) as _, Arc::clone(&self.binding) as _];
        rows.extend(self.bound.rows().map(|block| Arc::clone(block) as _));
        rows
    }

    /// The memory of an input, for a copy to it.
    pub(crate) fn input(&self, index: usize) -> Result<CapturedTensor, Error> {
        self.bound.input_to_write(index).map(|bound| CapturedTensor {
            block: Arc::clone(&bound.block),
            element: bound.info.element,
            elements: Some(bound.elements()),
            name: bound.info.name.clone(),
            what: ObjectKind::MODEL_INPUT,
        })
    }

    /// The memory of an output, for a copy from it; after an execution that was captured.
    pub(crate) fn output(&self, index: usize) -> Result<CapturedTensor, Error> {
        if !self.bound.executed {
            return Err(Error::NotExecuted);
        }
        let bound = self.bound.output(index)?;
        let (elements, block) = bound.memory()?;
        Ok(CapturedTensor {
            block: Arc::clone(block),
            element: bound.info.element,
            elements,
            name: bound.info.name.clone(),
            what: ObjectKind::MODEL_OUTPUT,
        })
    }

    /// Whether every run of the tasks so far executes it.
    pub(crate) fn is_executed(&self) -> bool {
        self.bound.executed
    }

    /// Notes whether every run of the tasks so far executes it.
    pub(crate) fn set_executed(&mut self, is_executed: bool) {
        self.bound.executed = is_executed;
        self.binding.set_captured(is_executed);
    }

    /// Captures one execution.
    ///
    /// # Errors
    ///
    /// [`Error::OutputNotAllocated`] for a model with outputs that the library is to allocate.
    pub(crate) fn capture(&mut self, api: Api, stream: &RawStream) -> Result<(), Error> {
        self.bound.all_have_room()?;
        self.binding.capture(api, stream, &self.loaded)?;
        self.set_executed(true);
        Ok(())
    }
}

impl CapturedTensor {
    /// A tensor of as many elements as its memory has.
    pub(crate) fn of_operator(block: &Arc<RawBuffer>, element: ElementType, index: usize) -> Self {
        let elements = element.size().map(|size| block.bytes() / size.max(1));
        Self { block: Arc::clone(block), element, elements, name: index.to_string(), what: ObjectKind::OPERATOR_TENSOR }
    }

    /// An error unless this many elements of this type can be copied to it.
    pub(crate) fn takes<E: Element>(&self, length: usize) -> Result<(), Error> {
        if !self.element.takes::<E>() {
            let (name, expected) = (self.name.clone(), self.element);
            return Err(InputError::Element { name, expected, found: E::TYPE }.into());
        }
        self.check_length(length)
    }

    /// An error unless this many elements of this type can be copied from it.
    pub(crate) fn gives<E: Element>(&self, length: usize) -> Result<(), Error> {
        if !self.element.takes::<E>() {
            let (name, found) = (self.name.clone(), self.element);
            return Err(Error::OutputType { name: name.into(), found, asked: E::TYPE });
        }
        self.check_length(length)
    }

    /// How many bytes all elements have, if this tensor can be copied to `to`.
    pub(crate) fn goes_to(&self, to: &Self) -> Result<usize, Error> {
        if self.element != to.element {
            let (name, expected) = (to.name.clone(), to.element);
            return Err(InputError::Element { name, expected, found: self.element }.into());
        }
        let size = self.element.size();
        let size = size.ok_or_else(|| Error::UnknownElement { name: self.name.clone(), element: self.element })?;
        let elements = self.elements.unwrap_or(self.block.bytes() / size.max(1));
        to.check_length(elements)?;
        Ok(elements * size)
    }

    fn check_length(&self, found: usize) -> Result<(), Error> {
        let size = self.element.size().unwrap_or(1).max(1);
        let expected = self.elements.unwrap_or(self.block.bytes() / size);
        if found == expected { Ok(()) } else { Err(Error::LengthMismatch { what: self.what, expected, found }) }
    }
}
