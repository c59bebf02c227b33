//! The device memory of runs of a model.

use crate::error::Error;
use crate::ffi::{BoundInput, Home, LoadedModel, Port, RawBinding, RawBuffer};
use crate::ledger::Ledger;
use ascendcl_macros::rule;
use std::sync::Arc;

/// The bytes and the shape of each input.
pub(super) type Sizes = [(usize, Vec<i64>)];

/// Device memory for the inputs and outputs of a model, bound to it. Runs with inputs of the same shapes use it again.
pub(super) struct Buffers {
    /// The inputs, without the one in which the library notes the chosen shape.
    pub(super) inputs: Vec<BoundInput>,
    /// `None` where the library allocates the memory.
    pub(super) outputs: Vec<Option<Arc<RawBuffer>>>,
    /// All blocks that this crate has allocated.
    blocks: Vec<Arc<RawBuffer>>,
    pub(super) binding: Arc<RawBinding>,
}

impl Buffers {
    pub(super) fn allocate(ledger: &Ledger, model: &LoadedModel, inputs: &Sizes) -> Result<Self, Error> {
        let mut blocks = Vec::new();
        match Self::bound(ledger, model, inputs, &mut blocks) {
            Ok((inputs, outputs, binding)) => Ok(Self { inputs, outputs, blocks, binding }),
            Err(error) => {
                // The first error is the one to report. Memory that cannot be freed stays with the scope.
                let _ = free(ledger, blocks);
                Err(error)
            }
        }
    }

    fn bound(
        ledger: &Ledger,
        model: &LoadedModel,
        inputs: &Sizes,
        blocks: &mut Vec<Arc<RawBuffer>>,
    ) -> Result<(Vec<BoundInput>, Vec<Option<Arc<RawBuffer>>>, Arc<RawBinding>), Error> {
        let mut place = |bytes| -> Result<Arc<RawBuffer>, Error> {
            let block = ledger.allocate(Home::Device, bytes)?;
            blocks.push(Arc::clone(&block));
            Ok(block)
        };
        let input = |(bytes, dims): &(usize, Vec<i64>)| {
            Ok(BoundInput { block: place(*bytes)?, bytes: *bytes, dims: dims.clone() })
        };
        let mut inputs = inputs.iter().map(input).collect::<Result<Vec<_>, Error>>()?;
        let gear = model.gear_input().map(|(index, bytes)| (index.min(inputs.len()), bytes));
        if let Some((index, bytes)) = gear {
            inputs.insert(index, BoundInput { block: place(bytes)?, bytes, dims: Vec::new() });
        }
        // If the size is known before the run, this crate allocates the memory; otherwise the library does (DATA-06).
        let output = |port: &Port| (port.bytes > 0).then(|| place(port.bytes)).transpose();
        let outputs = model.outputs().iter().map(output).collect::<Result<Vec<_>, Error>>()?;
        let binding = ledger.bind(model, &inputs, &outputs)?;
        if let Some((index, _)) = gear {
            inputs.remove(index);
        }
        Ok((inputs, outputs, binding))
    }

    pub(super) fn fit(&self, inputs: &Sizes) -> bool {
        let has = |place: &BoundInput, (bytes, dims): &(usize, Vec<i64>)| place.bytes == *bytes && place.dims == *dims;
        self.inputs.len() == inputs.len() && self.inputs.iter().zip(inputs).all(|(place, size)| has(place, size))
    }

    /// Gives back the memory that the library has allocated for outputs (DATA-06).
    pub(super) fn empty(&self, ledger: &Ledger) -> Result<(), Error> {
        if self.binding.has_open_outputs() { ledger.empty(&self.binding) } else { Ok(()) }
    }

    /// Frees all of it. What cannot be released stays with the scope. The first error is reported.
    pub(super) fn free(self, ledger: &Ledger) -> Result<(), Error> {
        let Self { inputs, outputs, blocks, binding } = self;
        let unbound = ledger.unbind(&binding);
        drop((inputs, outputs, binding));
        unbound.and(free(ledger, blocks))
    }
}

/// Frees the blocks that no binding has. A binding that the library refuses to end has its blocks until it ends.
#[rule(DATA_02)]
fn free(ledger: &Ledger, blocks: Vec<Arc<RawBuffer>>) -> Result<(), Error> {
    /// The pointer here, and that of the ledger.
    const NAMES: usize = 2;
    let free = |block: Arc<_>| if Arc::strong_count(&block) > NAMES { Ok(()) } else { ledger.free(&block) };
    blocks.into_iter().map(free).fold(Ok(()), Result::and)
}

pub(crate) fn dims(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|size| i64::try_from(*size).unwrap_or(i64::MAX)).collect()
}
