//! An operator as a capture uses it.

use crate::error::Error;
use crate::ffi::{Api, RawOperator, RawStream, TensorMemory, TensorState};
use crate::model::CapturedTensor;
use std::any::Any;
use std::sync::Arc;

/// The parts of a [`BoundOperator`](super::BoundOperator) that captured tasks use. The graph owns the operator.
#[derive(Debug)]
pub(crate) struct CapturedOperator {
    raw: Arc<RawOperator>,
    is_launched: bool,
}

impl CapturedOperator {
    pub(crate) fn new(raw: &Arc<RawOperator>) -> Self {
        Self { raw: Arc::clone(raw), is_launched: false }
    }

    pub(crate) fn raw(&self) -> &Arc<RawOperator> {
        &self.raw
    }

    /// The rows that the graph has to keep. The operator keeps the memory, but the program can take tensors out of it
    /// when it has the operator back.
    pub(crate) fn rows(&self) -> Vec<Arc<dyn Any + Send + Sync>> {
        let mut rows: Vec<Arc<dyn Any + Send + Sync>> = vec![Arc::clone(&self.raw) as _];
        let (inputs, outputs) = self.raw.tensors();
        rows.extend(inputs.iter().chain(outputs).flatten().map(|tensor| Arc::clone(&tensor.block) as _));
        rows
    }

    /// The memory of an input, for a copy to it.
    pub(crate) fn input(&self, index: usize) -> Result<CapturedTensor, Error> {
        let (inputs, _) = self.raw.tensors();
        let missing = Error::NoSuchInput { index, count: inputs.len() };
        let Some(TensorMemory { block, element, state }) = inputs.get(index).and_then(Option::as_ref) else {
            return Err(missing);
        };
        match state {
            TensorState::Shared => Err(Error::InputIsShared { name: index.to_string() }),
            TensorState::Written | TensorState::Unwritten => Ok(CapturedTensor::of_operator(block, *element, index)),
        }
    }

    /// The memory of an output, for a copy from it: after a launch that was captured, or if it was written before.
    pub(crate) fn output(&self, index: usize) -> Result<CapturedTensor, Error> {
        let (_, outputs) = self.raw.tensors();
        let missing = Error::NoSuchOutput { index, count: outputs.len() };
        let Some(TensorMemory { block, element, state }) = outputs.get(index).and_then(Option::as_ref) else {
            return Err(missing);
        };
        match (self.is_launched, state) {
            (false, TensorState::Unwritten) => Err(Error::NotExecuted),
            _ => Ok(CapturedTensor::of_operator(block, *element, index)),
        }
    }

    /// Captures one launch.
    pub(crate) fn capture(&mut self, api: Api, stream: &RawStream) -> Result<(), Error> {
        self.raw.capture(api, stream)?;
        self.is_launched = true;
        Ok(())
    }

    /// Whether every run of the tasks so far launches it.
    pub(crate) fn is_launched(&self) -> bool {
        self.is_launched
    }

    /// Notes whether every run of the tasks so far launches it.
    pub(crate) fn set_launched(&mut self, is_launched: bool) {
        self.is_launched = is_launched;
    }
}
