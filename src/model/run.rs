//! Running a model and waiting for the result.

use super::tensor::arrange;
use super::{Input, Model, Output, Outputs, RunsAlone, TensorInfo};
use crate::current::Current;
use crate::error::Error;
use crate::ffi::{Block, Given, Home};
use crate::ledger::Ledger;
use crate::life_cycle::leads;
use ascendcl_macros::rule;
use std::sync::Arc;

impl<'c, N, P> Model<'c, N, P> {
    /// Copies the inputs to the device, runs the model there (`aclmdlExecute`), and copies the outputs back.
    ///
    /// Where the model leaves sizes open, the shapes of the inputs decide.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] when the inputs do not fit the model, before anything is called; [`Error::Vendor`] when the
    /// device has no room, or the model fails.
    #[rule(MODEL_16, MODEL_18, MODEL_20, DATA_06, DATA_07, DATA_08)]
    pub fn run(&mut self, current: &mut Current<'c, N>, inputs: &[Input<'_>]) -> Result<Outputs, Error>
    where
        P: RunsAlone,
    {
        self.run_when(current, inputs, |_| Ok(()))
    }

    /// As [`Model::run`], in a turn: as long as what `turn` gives is there, nothing else runs on this model's working
    /// memory. It is asked for when the inputs are on the device, and gone when the model is done.
    pub(crate) fn run_when<T>(
        &mut self,
        current: &mut Current<'c, N>,
        inputs: &[Input<'_>],
        turn: impl FnOnce(&Current<'c, N>) -> Result<T, Error>,
    ) -> Result<Outputs, Error> {
        leads!(model: Loaded --> Loaded : Run);
        let inputs = arrange(inputs, &self.inputs)?;
        let mut buffers = Buffers { ledger: current.ledger(), blocks: Vec::new() };
        let outputs = self.run_in(&mut buffers, &inputs, || turn(current));
        let freed = buffers.free();
        outputs.and_then(|outputs| freed.map(|()| outputs))
    }

    fn run_in<T>(
        &self,
        buffers: &mut Buffers<'c>,
        inputs: &[&Input<'_>],
        turn: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Outputs, Error> {
        let api = buffers.ledger.api();
        let shapes: Vec<Vec<i64>> = inputs.iter().map(|input| dims(input.shape())).collect();
        let mut blocks = Vec::with_capacity(inputs.len());
        for input in inputs {
            let block = buffers.allocate(input.bytes().len())?;
            block.write(api, input.bytes())?;
            blocks.push(block);
        }
        let parts = inputs.iter().zip(blocks.iter().zip(&shapes));
        let mut given: Vec<Given<'_>> =
            parts.map(|(input, (block, dims))| Given { block, bytes: input.bytes().len(), dims }).collect();
        let gear = self.loaded.gear_input().map(|(index, bytes)| Ok::<_, Error>((index, buffers.allocate(bytes)?)));
        let gear = gear.transpose()?;
        if let Some((index, block)) = &gear {
            given.insert((*index).min(given.len()), Given { block, bytes: block.bytes(), dims: &[] });
        }
        // Where the size is known before the run, the memory is ours; else the library allocates it (DATA-06).
        let results: Vec<Option<Arc<Block>>> = self
            .loaded
            .outputs()
            .iter()
            .map(|port| (port.bytes > 0).then(|| buffers.allocate(port.bytes)).transpose())
            .collect::<Result<_, _>>()?;
        let places: Vec<Option<&Block>> = results.iter().map(Option::as_deref).collect();
        let outcomes = {
            let _turn = turn()?;
            self.loaded.execute(api, &given, &places)?
        };
        let mut outputs = Vec::with_capacity(outcomes.len());
        let mut taken = Vec::with_capacity(outcomes.len());
        // First take over everything that the library allocated, then read: reading may fail.
        for (outcome, result) in outcomes.into_iter().zip(results) {
            let block = outcome.allocated.map(|block| buffers.keep(block)).or(result);
            taken.push((outcome.dims, block));
        }
        for ((dims, block), info) in taken.into_iter().zip(&self.outputs) {
            outputs.push(read(buffers.ledger, info, &dims, block.as_deref())?);
        }
        Ok(Outputs(outputs))
    }
}

/// Copies one output to the host.
fn read(ledger: &Ledger, info: &TensorInfo, dims: &[i64], block: Option<&Block>) -> Result<Output, Error> {
    // Where the library does not say what the run left, the model's own description has open sizes.
    let shape: Option<Vec<usize>> = dims.iter().map(|size| usize::try_from(*size).ok()).collect();
    let shape = shape.ok_or_else(|| Error::UnknownShape { name: info.name.clone() })?;
    let room = block.map_or(0, Block::bytes);
    // An element type that this crate does not know has the size that the library gave it.
    let need =
        info.element.size().map_or(room, |size| shape.iter().fold(size, |bytes, size| bytes.saturating_mul(*size)));
    if need > room {
        return Err(Error::TooShort { what: "output of the model", need, have: room });
    }
    let mut bytes = vec![0_u8; need];
    if let Some(block) = block {
        block.read(ledger.api(), &mut bytes)?;
    }
    Ok(Output::new(info, shape, bytes))
}

pub(crate) fn dims(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|size| i64::try_from(*size).unwrap_or(i64::MAX)).collect()
}

/// The device memory of one run.
struct Buffers<'c> {
    ledger: &'c Ledger,
    blocks: Vec<Arc<Block>>,
}

impl Buffers<'_> {
    fn allocate(&mut self, bytes: usize) -> Result<Arc<Block>, Error> {
        let block = self.ledger.allocate(Home::Device, bytes)?;
        self.blocks.push(Arc::clone(&block));
        Ok(block)
    }

    fn keep(&mut self, block: Block) -> Arc<Block> {
        let block = self.ledger.keep(block);
        self.blocks.push(Arc::clone(&block));
        block
    }

    /// Frees all of it; what cannot be freed stays with the scope.
    fn free(self) -> Result<(), Error> {
        self.blocks.iter().map(|block| self.ledger.free(block)).fold(Ok(()), Result::and)
    }
}
