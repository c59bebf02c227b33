//! Running a model and waiting for the result.

use super::bindings::unknown_element;
use super::buffers::{Buffers, dims};
use super::tensor::arrange;
use super::{Input, Model, Output, Outputs, RunsAlone, TensorInfo};
use crate::brand::Brand;
use crate::current::Current;
use crate::error::{Error, ObjectKind, check_truth_values};
use crate::ffi::{Port, RawBinding, RawBuffer, Site};
use crate::ledger::Ledger;
use crate::life_cycle::leads;
use ascendcl_macros::rule;
use std::sync::Arc;

impl<C: Brand, P> Model<C, P> {
    /// Copies the inputs to the device, runs the model there (`aclmdlExecute`), and copies the outputs back.
    ///
    /// If the model has dynamic sizes, the shapes of the inputs decide.
    ///
    /// The device memory of a run stays allocated for the next run with inputs of the same shapes. It is freed by a run
    /// with other shapes, by a run that fails, by [`bind`](Self::bind) and [`unload`](Self::unload), and by
    /// [`free_buffers`](Self::free_buffers). Memory that the library allocates for outputs is given back after each run.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if the inputs do not fit the model, and [`Error::UnknownElement`] for an input of a free shape whose
    /// elements have a size that only the library knows, and [`Error::NoTruthValue`] for a byte other than 0 and 1 in an input of
    /// truth values, before anything is called; [`Error::Vendor`] if the device
    /// has no memory left, or the model fails. After a failure the library may still be running the model. So this
    /// waits for all work of the context, one and a quarter seconds at most. If that wait fails, methods that need the model
    /// or its memory return [`Error::StillRunning`] until [`Current::synchronize`] has succeeded.
    /// After the run, [`Error::UnknownShape`] if the library does not say the shape of an output, and
    /// [`Error::UnknownElement`] if that shape takes no whole number of bytes of elements whose size only the library knows.
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

    /// Frees the device memory that [`run`](Self::run) keeps for the next run (`aclDestroyDataBuffer`,
    /// `aclmdlDestroyDataset`, `aclrtFree`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] if the library refuses. What it refuses to release stays with the scope.
    #[rule(DATA_07, DATA_08)]
    pub fn free_buffers(&mut self, current: &Current<C>) -> Result<(), Error> {
        if self.described.buffers.is_some() {
            // In another context this does nothing.
            self.loaded.check_current()?;
        }
        self.described.buffers.take().map_or(Ok(()), |buffers| buffers.free(current.ledger()))
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
        for ((input, info), least) in inputs.iter().zip(self.inputs()).zip(self.least_input_bytes()) {
            input.check_bytes(info, least)?;
            check_truth_values(info.element, input.bytes())?;
        }
        let ledger = current.ledger();
        // The buffers are out of the model meanwhile, so that no run uses them again after a panic.
        let buffers = self.buffers_for(ledger, &inputs)?;
        let ran = self.run_in(&buffers, ledger, &inputs, || turn(current));
        match ran.and_then(|outputs| buffers.empty(ledger).map(|()| outputs)) {
            Ok(outputs) => {
                self.described.buffers = Some(buffers);
                Ok(outputs)
            }
            Err(error) => {
                // The first error is the one to report.
                let _ = buffers.free(ledger);
                Err(error)
            }
        }
    }

    /// The buffers of the previous run, if its inputs had the same shapes. Otherwise new buffers.
    fn buffers_for(&mut self, ledger: &Ledger, inputs: &[&Input<'_>]) -> Result<Buffers, Error> {
        self.loaded.check_current()?;
        let size = |(input, least): (&&Input<'_>, usize)| (input.bytes().len().max(least), dims(input.shape()));
        let sizes: Vec<_> = inputs.iter().zip(self.least_input_bytes()).map(size).collect();
        match self.described.buffers.take() {
            Some(buffers) if buffers.fit(&sizes) => return Ok(buffers),
            Some(buffers) => buffers.free(ledger)?,
            None => (),
        }
        Buffers::allocate(ledger, &self.loaded, &sizes)
    }

    fn run_in<T>(
        &self,
        buffers: &Buffers,
        ledger: &Ledger,
        inputs: &[&Input<'_>],
        turn: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Outputs, Error> {
        for (place, input) in buffers.inputs.iter().zip(inputs) {
            place.block.write(Site::unproven(ledger.api()).here(), input.bytes())?;
        }
        {
            let _turn = turn()?;
            let site = Site::unproven(ledger.api());
            ledger.run(site.here(), &buffers.binding, &self.loaded)?;
        }
        let outputs = self.loaded.outputs().iter().zip(self.outputs()).zip(&buffers.outputs).enumerate();
        let has_gears = self.gears().is_some();
        let outputs = outputs.map(|(index, ((port, info), result))| {
            let output = (port, info, has_gears);
            read(ledger, &buffers.binding, index, output, result.as_ref())
        });
        Ok(Outputs(outputs.collect::<Result<_, _>>()?))
    }
}

/// Copies one output to the host.
fn read(
    ledger: &Ledger,
    binding: &RawBinding,
    index: usize,
    (port, info, has_gears): (&Port, &TensorInfo, bool),
    result: Option<&Arc<RawBuffer>>,
) -> Result<Output, Error> {
    let own;
    let block = match result {
        Some(block) => Some(&**block),
        None => {
            own = binding.allocated(ledger.api(), index);
            own.as_ref()
        }
    };
    // If the library does not report the output's shape, the model's own description has it, unless it is dynamic. With
    // gears, that is the shape of the largest gear.
    let own_dims = || (!has_gears).then(|| port.dims.clone());
    let dims = binding.output_dims(ledger.api(), index).or_else(own_dims);
    let shape = dims.and_then(|dims| dims.iter().map(|size| usize::try_from(*size).ok()).collect::<Option<Vec<_>>>());
    let shape = shape.ok_or_else(|| Error::UnknownShape { name: info.name.clone() })?;
    let room = block.map_or(0, RawBuffer::bytes);
    let need = match info.element.size() {
        Some(size) => shape.iter().fold(size, |bytes, size| bytes.saturating_mul(*size)),
        None => port.bytes_of_unknown_elements(&shape, room).ok_or_else(|| unknown_element(info))?,
    };
    if need > room {
        return Err(Error::TooShort { what: ObjectKind::MODEL_OUTPUT, need, have: room });
    }
    let mut bytes = vec![0_u8; need];
    if let Some(block) = block {
        block.read(Site::unproven(ledger.api()).here(), &mut bytes)?;
    }
    Ok(Output::new(info, shape, bytes))
}
