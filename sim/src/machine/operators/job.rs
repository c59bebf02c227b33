//! Running an operator: what is checked when the call comes, and what happens when its turn has come.

use super::operand::Operand;
use super::plan::{Plan, Source};
use crate::abi::{Address, Name};
use crate::failure::{Answer, Failure};
use crate::machine::allocators;
use crate::machine::allocators::calls::refuse_inside;
use crate::machine::allocators::scratch::Scratch;
use crate::machine::capture::refuse_blocking;
use crate::machine::contexts::context::{Context, current_context};
use crate::machine::memory::areas::{Area, read_area};
use crate::machine::memory::{Hold, Place, describe, hold};
use crate::machine::models::{Given, claim, lend};
use crate::machine::streams::stream::Stream;
use crate::model::RunFailure;
use ascendcl_rules::{DATA_08, MEM_10, OP_07, Object};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::aclDataBuffer;
use std::sync::Arc;

/// A run with everything it needs, taken from the data buffers when it was asked for.
pub(crate) struct Job {
    plan: Plan,
    context: Arc<Context>,
    inputs: Vec<Elements>,
    output: Area,
    _hold: Hold,
}

/// The elements of one input.
enum Elements {
    /// In device memory, kept in place.
    There { address: Address, bytes: usize, _hold: Hold },
    /// Copied during the call, because host memory may be gone after it.
    Copied(Vec<u8>),
}

/// Where an operand in the workspace starts (MEM-08).
const ALIGNMENT: usize = 64;

impl Job {
    pub(crate) fn prepare(
        plan: &Plan,
        inputs: &[Name<aclDataBuffer>],
        outputs: &[Name<aclDataBuffer>],
    ) -> Answer<Self> {
        refuse_inside()?;
        let signature = &plan.signature;
        let name = &signature.name;
        same_count(name, "input", signature.inputs.len(), inputs.len(), ACL_ERROR_OP_INPUT_NOT_MATCH)?;
        same_count(name, "output", signature.outputs.len(), outputs.len(), ACL_ERROR_OP_OUTPUT_NOT_MATCH)?;
        let context = current_context()?;
        let operands = signature.inputs.iter().zip(&plan.sources).zip(inputs).enumerate();
        let given = operands.map(|(index, ((operand, source), buffer))| {
            let what = format!("{name}, input {index}");
            Elements::of(&what, operand, source, *buffer, &context)
        });
        let given = given.collect::<Answer<Vec<_>>>()?;
        let what = format!("{name}, output 0");
        let buffer = *outputs.first().ok_or_else(|| Failure::invalid(format!("{what} has no data buffer")))?;
        let output = area(&what, &plan.output, buffer, ACL_ERROR_OP_OUTPUT_NOT_MATCH)?;
        let hold = claim_of(&what, output, buffer, &context)?;
        Ok(Self { plan: plan.clone(), context, inputs: given, output, _hold: hold })
    }

    /// Queues the run with a workspace of its own, for which an allocator of the caller is asked in this call. A call that left
    /// the shape of its output open waits for the run (OP-03).
    pub(crate) fn submit(self, stream: &Arc<Stream>) -> Answer {
        if stream.is_persistent() && !stream.is_bound() {
            return Err(Failure::unsupported("a persistent stream runs nothing but the model that it is bound to"));
        }
        let waits = self.plan.is_open();
        if waits {
            refuse_blocking(stream, "an operator whose output has an open shape waits until it has run")?;
            stream.refuse_self_wait()?;
        }
        let workspace = allocators::for_operator(stream, &self.context).take(self.workspace_bytes()?, None)?;
        let position = stream.submit_kernel(move |_| self.run(&workspace))?;
        if waits { stream.finished(position, None) } else { Ok(()) }
    }

    /// Every operand stands in the workspace while the operator runs; 32 bytes are spare behind the last (MEM-08).
    fn workspace_bytes(&self) -> Answer<usize> {
        const BEYOND: usize = 32;
        let output = self.plan.output.bytes();
        let mut operands = self.inputs.iter().map(|input| Some(input.len())).chain([output]);
        let bytes =
            operands.try_fold(0_usize, |sum, bytes| sum.checked_add(bytes?.checked_next_multiple_of(ALIGNMENT)?));
        let bytes = bytes.and_then(|bytes| bytes.checked_add(BEYOND));
        bytes.ok_or_else(|| Failure::invalid(format!("{}: too large for any memory", self.plan.signature.name)))
    }

    fn run(&self, workspace: &Scratch) -> Answer {
        let Self { plan, inputs, output, .. } = self;
        let name = &plan.signature.name;
        let mut place = workspace.address();
        let mut gathered = Vec::with_capacity(inputs.len());
        for (elements, operand) in inputs.iter().zip(&plan.signature.inputs) {
            let bytes = elements.len();
            match elements {
                Elements::There { address, .. } => crate::abi::copy(place, *address, bytes),
                Elements::Copied(bytes) => place.write(bytes),
            }
            gathered.push(Given { dims: operand.dims.clone(), address: place, bytes, _hold: Hold::Nothing });
            place = place.offset(bytes.next_multiple_of(ALIGNMENT));
        }
        let failed = |text: String| Failure::new(ACL_ERROR_GE_INTERNAL_ERROR, format!("{name}: {text}"));
        let results = lend(&gathered, |inputs| plan.model.run(inputs));
        let results = results.map_err(|failure| match failure {
            RunFailure::Refused(why) => failed(format!("it failed while running: {why}")),
            failure => failed(failure.to_string()),
        })?;
        let result = results.first().ok_or_else(|| failed("it gave no output".to_string()))?;
        if result.dims() != plan.output.dims {
            return Err(failed(format!("it gave {:?}, expected {:?}", result.dims(), plan.output.dims)));
        }
        place.write(&result.to_bytes().map_err(|failure| failed(failure.to_string()))?);
        crate::abi::copy(output.address, place, result.len());
        Ok(())
    }
}

impl Elements {
    fn of(
        what: &str,
        operand: &Operand,
        source: &Source,
        buffer: Name<aclDataBuffer>,
        context: &Context,
    ) -> Answer<Self> {
        let mismatch = ACL_ERROR_OP_INPUT_NOT_MATCH;
        if let Source::Constant(elements) = source {
            let need = operand.bytes();
            if need != Some(elements.len()) {
                let text = format!("{what}: found a constant of {} bytes, expected {need:?}", elements.len());
                return Err(Failure::new(mismatch, text));
            }
            return Ok(Self::Copied(elements.to_vec()));
        }
        let area = area(what, operand, buffer, mismatch)?;
        let bytes = operand.bytes().unwrap_or(0);
        match source {
            Source::Host => {
                if let Some(Place::Device(id)) = describe(area.address).map(|found| found.place) {
                    let text = format!("{what}: found memory of device {id}, expected host memory, as described");
                    return Err(Failure::new(mismatch, text));
                }
                let _hold = hold(area.address, bytes)?;
                Ok(Self::Copied(area.address.bytes(bytes)))
            }
            _ => Ok(Self::There { address: area.address, bytes, _hold: claim_of(what, area, buffer, context)? }),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::There { bytes, .. } => *bytes,
            Self::Copied(bytes) => bytes.len(),
        }
    }
}

/// Holds the memory of an operand that is not described as host memory (MEM-10).
fn claim_of(what: &str, area: Area, buffer: Name<aclDataBuffer>, context: &Context) -> Answer<Hold> {
    let named = [Object::data_buffer(buffer.0 as u64), Object::memory(area.address.number() as u64)];
    claim(what, area, context).map_err(|failure| {
        let fix = "copy the operand to the device, or describe it as host memory (aclSetTensorPlaceMent)";
        let failure = failure.breaks(MEM_10, "memory of the device", fix);
        named.into_iter().fold(failure, Failure::about)
    })
}

/// The memory of an operand, which has to be large enough.
fn area(what: &str, operand: &Operand, buffer: Name<aclDataBuffer>, mismatch: i32) -> Answer<Area> {
    let area = read_area(buffer).map_err(|failure| failure.of(what))?;
    if area.address.is_null() {
        return Err(Failure::invalid(format!("{what}: found a null address in its data buffer, expected memory")));
    }
    let Operand { element, dims } = operand;
    match operand.bytes() {
        Some(need) if need <= area.size => Ok(area),
        Some(need) => {
            let text =
                format!("{what}: found {} bytes in its data buffer, expected {need} for {element} {dims:?}", area.size);
            let fix = "ask for the size of the description (aclGetTensorDescSize)";
            let failure =
                Failure::new(mismatch, text).breaks(DATA_08, "a buffer as large as the description says", fix);
            Err(failure.about(Object::data_buffer(buffer.0 as u64)))
        }
        None => Err(Failure::new(mismatch, format!("{what}: found dims {dims:?}, which have no size in bytes"))),
    }
}

fn same_count(name: &str, what: &str, expected: usize, found: usize, code: i32) -> Answer {
    if expected == found {
        return Ok(());
    }
    // Other calls have one count for descriptions and buffers.
    let failure = Failure::new(code, format!("{name}: found {found} {what} buffers, expected {expected}"));
    let fix = "pass one buffer for each description that the handle was created with";
    Err(failure.breaks(OP_07, "as many buffers as the handle has descriptions", fix))
}
