//! A model as a capture uses it.

use super::BoundModel;
use super::bindings::Tensors;
use crate::brand::Brand;
use crate::current::Current;
use crate::element::Element;
use crate::error::Error;
use crate::ffi::{Api, LoadedModel, RawBinding, RawBuffer, RawStream};
use std::any::Any;
use std::sync::Arc;

/// The parts of a [`BoundModel`](super::BoundModel) that captured tasks use. The graph owns the model.
#[derive(Debug)]
pub(crate) struct CapturedModel {
    loaded: Arc<LoadedModel>,
    binding: Arc<RawBinding>,
    bound: Tensors,
    executed: bool,
}

impl<C: Brand, P> BoundModel<C, P> {
    /// A graph gets the model. What other graphs did with it does not count any more.
    pub(crate) fn is_captured_no_more(&self) {
        self.binding.is_captured_no_more();
    }

    /// The model as a capture uses it.
    pub(crate) fn for_capture(&self) -> CapturedModel {
        CapturedModel::new(&self.model.loaded, &self.binding, &self.bound)
    }

    /// An error unless a capture can use it. Of an execution that was given up no replay knows.
    pub(crate) fn can_be_captured(&self, current: &Current<C>) -> Result<(), Error> {
        self.binding.is_current()?;
        current.ledger().is_at_hand(&self.binding, None)
    }
}

impl CapturedModel {
    fn new(loaded: &Arc<LoadedModel>, binding: &Arc<RawBinding>, bound: &Tensors) -> Self {
        Self { loaded: Arc::clone(loaded), binding: Arc::clone(binding), bound: bound.clone(), executed: false }
    }

    /// The rows that the graph has to keep. The binding keeps the memory.
    pub(crate) fn rows(&self) -> [Arc<dyn Any + Send + Sync>; 2] {
        [Arc::clone(&self.loaded) as _, Arc::clone(&self.binding) as _]
    }

    /// The memory of an input, for this many elements of this type.
    pub(crate) fn input_of<E: Element>(&self, input: usize, length: usize) -> Result<Arc<RawBuffer>, Error> {
        self.bound.input_of::<E>(input, length).map(Arc::clone)
    }

    /// The memory of an output, for this many elements of this type; after an execution that was captured.
    pub(crate) fn output_of<E: Element>(&self, output: usize, length: usize) -> Result<Arc<RawBuffer>, Error> {
        if !self.executed {
            return Err(Error::NotExecuted);
        }
        self.bound.output_of::<E>(output, length).map(Arc::clone)
    }

    /// Captures one execution.
    ///
    /// # Errors
    ///
    /// [`Error::OutputNotAllocated`] for a model with outputs that the library is to allocate.
    pub(crate) fn capture(&mut self, api: Api, stream: &RawStream) -> Result<(), Error> {
        self.bound.all_have_room()?;
        self.binding.capture(api, stream, &self.loaded)?;
        self.executed = true;
        Ok(())
    }
}
