//! Running a model and waiting for the result.

use super::tensor::arrange;
use super::{Input, Model, Output, Outputs, RunsAlone, TensorInfo};
use crate::brand::Brand;
use crate::current::Current;
use crate::error::{Error, ObjectKind};
use crate::ffi::{BoundInput, Home, Port, RawBinding, RawBuffer, Site};
use crate::ledger::Ledger;
use crate::life_cycle::leads;
use ascendcl_macros::rule;
use std::sync::Arc;

impl<C: Brand, P> Model<C, P> {
    /// Copies the inputs to the device, runs the model there (`aclmdlExecute`), and copies the outputs back.
    ///
    /// If the model has dynamic sizes, the shapes of the inputs decide.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if the inputs do not fit the model, before anything is called; [`Error::Vendor`] if the device
    /// has no memory left, or the model fails. After a failure the library may still be running the model. So this
    /// waits for all work of the context, for a second. If that wait fails, the model and its memory answer
    /// [`Error::StillRunning`] until [`Current::synchronize`] has succeeded.
    #[rule(MODEL_16, MODEL_18, MODEL_20, DATA_06, DATA_07, DATA_08)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn run( // GRAPH-04: it waits, and a capture cannot: a helper takes `current: &mut Current<C>`, too
        &mut self,
        current: &mut Current<C>,
        inputs: &[Input<'_>],
    ) -> Result<Outputs, Error>
    where
        P: RunsAlone,
    {
        self.run_when(current, inputs, |_| Ok(()))
    }

    /// As [`Model::run`], in a turn: while the value that `turn` returns exists, nothing else runs in this model's
    /// working memory. The turn begins when the inputs are on the device, and ends when the model is done.
    pub(crate) fn run_when<T>(
        &mut self,
        current: &mut Current<C>,
        inputs: &[Input<'_>],
        turn: impl FnOnce(&Current<C>) -> Result<T, Error>,
    ) -> Result<Outputs, Error> {
        leads!(model: Loaded --> Loaded : Run);
        let inputs = arrange(inputs, self.inputs())?;
        let mut buffers = Buffers { ledger: current.ledger(), blocks: Vec::new() };
        let outputs = self.run_in(&mut buffers, &inputs, || turn(current));
        let freed = buffers.free();
        outputs.and_then(|outputs| freed.map(|()| outputs))
    }

    fn run_in<T>(
        &self,
        buffers: &mut Buffers<'_>,
        inputs: &[&Input<'_>],
        turn: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Outputs, Error> {
        let ledger = buffers.ledger;
        let mut parts = Vec::with_capacity(inputs.len());
        for input in inputs {
            let (bytes, dims) = (input.bytes().len(), dims(input.shape()));
            let block = buffers.allocate(bytes)?;
            block.write(Site::unproven(ledger.api()).here(), input.bytes())?;
            parts.push(BoundInput { block, bytes, dims });
        }
        if let Some((index, bytes)) = self.loaded.gear_input() {
            let block = buffers.allocate(bytes)?;
            parts.insert(index.min(parts.len()), BoundInput { block, bytes, dims: Vec::new() });
        }
        // If the size is known before the run, this crate allocates the memory; otherwise the library does (DATA-06).
        let results: Vec<Option<Arc<RawBuffer>>> = self
            .loaded
            .outputs()
            .iter()
            .map(|port| (port.bytes > 0).then(|| buffers.allocate(port.bytes)).transpose())
            .collect::<Result<_, _>>()?;
        let binding = ledger.bind(&self.loaded, &parts, &results)?;
        let ran = {
            let turn = turn();
            turn.and_then(|_turn| {
                let site = Site::unproven(ledger.api());
                Ok(ledger.run(site.here(), &binding, &self.loaded)?)
            })
        };
        let outputs = ran.and_then(|()| {
            let outputs = self.loaded.outputs().iter().zip(self.outputs()).zip(&results).enumerate();
            outputs.map(|(index, ((port, info), result))| read(ledger, &binding, index, port, info, result)).collect()
        });
        // Objects that cannot be released stay with the scope. The first error is reported.
        let unbound = ledger.unbind(&binding);
        outputs.and_then(|outputs| unbound.map(|()| Outputs(outputs)))
    }
}

/// Copies one output to the host.
fn read(
    ledger: &Ledger,
    binding: &RawBinding,
    index: usize,
    port: &Port,
    info: &TensorInfo,
    result: &Option<Arc<RawBuffer>>,
) -> Result<Output, Error> {
    let own;
    let block = match result {
        Some(block) => Some(&**block),
        None => {
            own = binding.allocated(ledger.api(), index);
            own.as_ref()
        }
    };
    // If the library does not report the output's shape, the model's own description has dynamic sizes.
    let dims = binding.output_dims(ledger.api(), index).unwrap_or_else(|| port.dims.clone());
    let shape: Option<Vec<usize>> = dims.iter().map(|size| usize::try_from(*size).ok()).collect();
    let shape = shape.ok_or_else(|| Error::UnknownShape { name: info.name.clone() })?;
    let room = block.map_or(0, RawBuffer::bytes);
    // An element type that this crate does not know has the size that the library gave it.
    let need =
        info.element.size().map_or(room, |size| shape.iter().fold(size, |bytes, size| bytes.saturating_mul(*size)));
    if need > room {
        return Err(Error::TooShort { what: ObjectKind::MODEL_OUTPUT, need, have: room });
    }
    let mut bytes = vec![0_u8; need];
    if let Some(block) = block {
        block.read(Site::unproven(ledger.api()).here(), &mut bytes)?;
    }
    Ok(Output::new(info, shape, bytes))
}

pub(crate) fn dims(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|size| i64::try_from(*size).unwrap_or(i64::MAX)).collect()
}

/// The device memory of one run.
struct Buffers<'l> {
    ledger: &'l Ledger,
    blocks: Vec<Arc<RawBuffer>>,
}

impl Buffers<'_> {
    fn allocate(&mut self, bytes: usize) -> Result<Arc<RawBuffer>, Error> {
        let block = self.ledger.allocate(Home::Device, bytes)?;
        self.blocks.push(Arc::clone(&block));
        Ok(block)
    }

    /// Frees all of it. Memory that cannot be freed stays with the scope.
    fn free(self) -> Result<(), Error> {
        self.blocks.iter().map(|block| self.ledger.free(block)).fold(Ok(()), Result::and)
    }
}
