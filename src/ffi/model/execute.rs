//! Running a model and waiting for it.

use super::super::{Api, Block};
use super::dataset::Dataset;
use super::{LoadedModel, Port};
use crate::error::Error;
use crate::ledger::Shelf;

/// A buffer for one input, with its shape.
pub(crate) struct Given<'a> {
    pub(crate) block: &'a Block,
    pub(crate) bytes: usize,
    pub(crate) dims: &'a [i64],
}

/// What an execution left in one output.
pub(crate) struct Outcome {
    /// Memory that the library allocated for it; `None` when the caller gave a block.
    pub(crate) allocated: Option<Block>,
    pub(crate) dims: Vec<i64>,
}

impl LoadedModel {
    /// Runs the model and returns when it is done. `inputs` has a block per input of the dataset. `outputs` has a block per output, or `None` where the library is to
    /// allocate one. The model's context has to be current (MODEL-01), and nothing else may run this model meanwhile
    /// (MODEL-16).
    pub(crate) fn execute(
        &self,
        api: Api,
        inputs: &[Given<'_>],
        outputs: &[Option<&Block>],
    ) -> Result<Vec<Outcome>, Error> {
        api.in_place()?;
        let mut given = Dataset::create(api)?;
        let filled = fill(api, self, &mut given, inputs);
        match filled.and_then(|()| self.execute_into(api, &given, outputs)) {
            Ok(outcomes) => release(api, given, outcomes),
            Err(error) => {
                // The first error is the one to report.
                let _ = given.discard(api);
                Err(error)
            }
        }
    }

    fn execute_into(&self, api: Api, given: &Dataset, outputs: &[Option<&Block>]) -> Result<Vec<Outcome>, Error> {
        let mut results = Dataset::create(api)?;
        let ready = outputs.iter().try_for_each(|output| match output {
            Some(block) => results.add(api, block, block.bytes()),
            None => results.add_empty(api),
        });
        let ran = ready.and_then(|()| {
            // SAFETY: every buffer in both datasets describes a block that the caller holds for the length of this
            // call, or nothing; the call returns when the model is done.
            let code = unsafe { api.library().aclmdlExecute(self.id, given.raw(), results.raw()) };
            api.done("aclmdlExecute", code, || "execute a model".into())
        });
        // Memory that the library allocated is taken over on success and on failure: nobody else would free it.
        let outcomes: Vec<_> = outputs
            .iter()
            .zip(&self.outputs)
            .enumerate()
            .map(|(index, (output, port))| outcome(api, &results, index, *output, port))
            .collect();
        match ran {
            Ok(()) => release(api, results, outcomes),
            Err(error) => {
                outcomes.into_iter().for_each(|outcome| discard(api, outcome));
                // The execution's error is the one to report.
                let _ = results.discard(api);
                Err(error)
            }
        }
    }
}

pub(super) fn fill(api: Api, model: &LoadedModel, dataset: &mut Dataset, inputs: &[Given<'_>]) -> Result<(), Error> {
    inputs.iter().try_for_each(|input| dataset.add(api, input.block, input.bytes))?;
    let shapes: Vec<_> = inputs.iter().map(|input| input.dims).collect();
    model.set_shapes(api, dataset, &shapes)
}

impl LoadedModel {
    /// States the shapes of the next executions' inputs, in the one way that the model takes (MODEL-20).
    pub(super) fn set_shapes(&self, api: Api, dataset: &Dataset, shapes: &[&[i64]]) -> Result<(), Error> {
        if let Some(gears) = &self.gears {
            return gears.choose(api, self.id, dataset, &self.inputs, shapes);
        }
        let free = self.inputs.iter().zip(shapes).enumerate().filter(|(_, (port, _))| port.dims.contains(&-1));
        free.into_iter().try_for_each(|(index, (port, dims))| dataset.set_shape(api, index, port, dims))
    }
}

fn outcome(api: Api, results: &Dataset, index: usize, given: Option<&Block>, port: &Port) -> Outcome {
    let allocated = match given {
        Some(_) => None,
        None => results.memory(api, index).map(|(start, bytes)| Block::adopt(start, bytes)),
    };
    let dims = results.shape(api, index).unwrap_or_else(|| port.dims.clone());
    Outcome { allocated, dims }
}

/// Destroys the dataset; when that fails, what the execution allocated is freed.
fn release(api: Api, dataset: Dataset, outcomes: Vec<Outcome>) -> Result<Vec<Outcome>, Error> {
    match dataset.discard(api) {
        Ok(()) => Ok(outcomes),
        Err(error) => {
            outcomes.into_iter().for_each(|outcome| discard(api, outcome));
            Err(error)
        }
    }
}

/// Frees what a failed execution allocated; there is already an error to report.
fn discard(api: Api, outcome: Outcome) {
    if let Some(block) = outcome.allocated {
        let _ = block.free(api, &Shelf::default());
    }
}
