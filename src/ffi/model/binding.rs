//! A model's inputs and outputs, bound once and executed any number of times.

use super::super::gate::Gate;
use super::super::{Api, Block, LastUse, Queue};
use super::LoadedModel;
use super::dataset::Dataset;
use super::execute::{Given, fill};
use crate::error::Error;
use crate::ledger::Shelf;
use ascendcl_macros::rule;
use std::sync::Arc;

/// The datasets of one model's executions, over blocks that it keeps. Without a `Drop`: what is not destroyed stays.
#[derive(Debug)]
#[rule(DATA_02, DATA_10)]
pub(crate) struct Binding {
    given: Dataset,
    results: Dataset,
    gate: Gate,
    last_use: LastUse,
    /// As long as the binding's row is there, these have a name and are not freed (DATA-02).
    _blocks: Vec<Arc<Block>>,
}

// SAFETY: datasets belong to the process and have no thread affinity; they are only read between `create` and `destroy`,
// apart from the shapes that the library notes in them while the stream runs the model.
unsafe impl Send for Binding {}
// SAFETY: as above.
unsafe impl Sync for Binding {}

/// One input of a binding: its memory, the bytes of it that count, and its shape where the model leaves sizes open.
pub(crate) struct BoundInput {
    pub(crate) block: Arc<Block>,
    pub(crate) bytes: usize,
    pub(crate) dims: Option<Vec<i64>>,
}

impl Binding {
    pub(crate) fn create(
        api: Api,
        model: &LoadedModel,
        inputs: Vec<BoundInput>,
        outputs: Vec<Arc<Block>>,
    ) -> Result<Self, Error> {
        let mut given = Dataset::create(api)?;
        let mut results = match Dataset::create(api) {
            Ok(results) => results,
            Err(error) => {
                let _ = given.destroy(api);
                return Err(error);
            }
        };
        let parts: Vec<_> = inputs
            .iter()
            .map(|input| Given { block: &input.block, bytes: input.bytes, dims: input.dims.as_deref() })
            .collect();
        let filled = fill(api, &mut given, model.inputs(), &parts)
            .and_then(|()| outputs.iter().try_for_each(|block| results.add(api, block, block.bytes())));
        if let Err(error) = filled {
            // The first error is the one to report.
            let _ = (given.destroy(api), results.destroy(api));
            return Err(error);
        }
        let blocks = inputs.into_iter().map(|input| input.block).chain(outputs).collect();
        Ok(Self { given, results, gate: Gate::open(), last_use: LastUse::new(), _blocks: blocks })
    }

    /// Queues one execution. The stream's context has to be current and the model's own (MODEL-01).
    pub(crate) fn execute(&self, api: Api, stream: &Queue, model: &LoadedModel) -> Result<(), Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "binding" }) };
        stream.submit(api, "aclmdlExecuteAsync", "queue a model", [model.last_use(), &self.last_use], |stream| {
            // SAFETY: the datasets are alive (the gate) and are destroyed, like the model, only when a synchronise has
            // covered this submission (the stamps); the memory that they describe is kept by this binding.
            unsafe { api.library().aclmdlExecuteAsync(model.id(), self.given.raw(), self.results.raw(), stream) }
        })
    }

    /// How many elements an output has after an execution, when the library says so.
    pub(crate) fn output_elements(&self, api: Api, index: usize) -> Option<usize> {
        let _inside = self.gate.pass()?;
        let sizes = self.results.shape(api, index)?;
        sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(usize::try_from(*size).ok()?))
    }

    /// Destroys the datasets; refused while queued work may use them (DATA-10).
    pub(crate) fn destroy(&self, api: Api, streams: &Shelf<Queue>) -> Result<(), Error> {
        if !streams.has_done(&self.last_use) {
            return Err(Error::StillRunning { what: "inputs and outputs of a model" });
        }
        if !self.gate.close() {
            return Ok(());
        }
        // A dataset that the library refuses to destroy is lost; trying once more would destroy its buffers twice.
        let given = self.given.destroy(api);
        given.and(self.results.destroy(api))
    }
}
