//! Running a model: what is checked when the call comes, and what happens when its turn has come.

use super::datasets::{self, Item};
use super::dump::Dump;
use super::load::check_work;
use super::shapes::{Shapes, too_short};
use super::{Loaded, TensorDesc, buffer_count, data_type, find_here, format, on_device};
use crate::abi::{Address, Name, with_all_bytes};
use crate::failure::{Answer, Failure};
use crate::machine::allocators;
use crate::machine::allocators::calls::{Lent, refuse_inside};
use crate::machine::allocators::scratch::{Scratch, Supply};
use crate::machine::contexts::context::Context;
use crate::machine::memory::areas::{Area, Owner, fill_open};
use crate::machine::memory::{Hold, describe, hold};
use crate::machine::streams;
use crate::machine::streams::stream::Stream;
use crate::machine::trouble;
use crate::model::{Input, Output, Port, RunFailure};
use ascendcl_rules::{DATA_07, DATA_08, Object};
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::{aclDataBuffer, aclmdlDataset};
use std::ffi::CString;
use std::sync::Arc;

/// A run with everything it needs, taken from the datasets when it was asked for.
pub(crate) struct Job {
    model: Arc<Loaded>,
    context: Arc<Context>,
    inputs: Vec<Given>,
    outputs: Vec<Place>,
    output: Name<aclmdlDataset>,
    /// Whether the run describes its outputs in their dataset. As in the vendor's library, it does if an input has a
    /// description, or if the model leaves shapes open and has no gears.
    describes: bool,
}

/// One input, kept in place.
pub(in crate::machine) struct Given {
    pub(in crate::machine) dims: Vec<i64>,
    pub(in crate::machine) address: Address,
    pub(in crate::machine) bytes: usize,
    pub(in crate::machine) _hold: Hold,
}

/// Where one output goes.
enum Place {
    /// To memory of the caller, kept in place.
    There { area: Area, _hold: Hold },
    /// To memory that the library allocates and enters into this data buffer (DATA-06). How many bytes it will be is
    /// known if the dims of the inputs tell.
    Open { buffer: Name<aclDataBuffer>, bytes: Option<usize> },
}

/// Memory that a run takes for itself.
struct Taken {
    work: Option<Scratch>,
    /// By the outputs; for those that are open and whose size is known.
    outputs: Vec<Option<Scratch>>,
}

impl Job {
    /// The caller may give the run working memory of its own.
    pub(crate) fn prepare(
        id: u32,
        input: Name<aclmdlDataset>,
        output: Name<aclmdlDataset>,
        work: Option<Area>,
    ) -> Answer<Self> {
        let datasets = [input, output].map(|dataset| Object::dataset(dataset.0 as u64));
        let about =
            |failure: Failure| datasets.into_iter().fold(failure.about(Object::model(id.into())), Failure::about);
        Self::of(id, input, output, work).map_err(about)
    }

    fn of(id: u32, input: Name<aclmdlDataset>, output: Name<aclmdlDataset>, work: Option<Area>) -> Answer<Self> {
        refuse_inside()?;
        buffer_count(input).and(buffer_count(output))?;
        let (model, context) = find_here(id)?;
        model.check_memory(&context)?;
        work.map_or(Ok(()), |work| check_work(&model, work, &context))?;
        let (given, places) = (datasets::snapshot(input)?, datasets::snapshot(output)?);
        let description = &model.description;
        same_count("inputs", description.inputs.len(), given.items.len(), ACL_ERROR_MODEL_INPUT_NOT_MATCH)?;
        same_count("outputs", description.outputs.len(), places.items.len(), ACL_ERROR_MODEL_OUTPUT_NOT_MATCH)?;
        let shapes = Shapes::of(&model, &given)?;
        let ports = model.engine.inputs().iter().zip(shapes.inputs);
        let inputs = ports.zip(&given.items).enumerate();
        let inputs = inputs.map(|(index, ((port, dims), item))| Given::new(index, port, dims, item, &context));
        let inputs = inputs.collect::<Answer<_>>()?;
        let ports = model.engine.outputs().iter().zip(&shapes.outputs);
        let outputs = ports.zip(&places.items).enumerate();
        let has_gears = description.gears.is_some();
        let outputs = outputs.map(|(index, ((port, dims), item))| {
            // The sizes of an open shape are in no description.
            let is_described = has_gears || port.bytes_for(&port.dims).is_some();
            Place::new((index, is_described), port, dims, item, &context)
        });
        let outputs = outputs.collect::<Answer<_>>()?;
        let is_open = model.engine.inputs().iter().chain(model.engine.outputs()).any(Port::is_dynamic);
        let describes = given.items.iter().any(|item| item.dims.is_some()) || (is_open && !has_gears);
        Ok(Self { model, context, inputs, outputs, output, describes })
    }

    /// Queues the run. An allocator of the caller is asked now, for what a model whose shapes vary needs (ALLOC-05);
    /// everything else is taken when the run has its turn.
    pub(crate) fn submit(self, stream: &Arc<Stream>) -> Answer {
        if stream.is_persistent() && !stream.is_bound() {
            return Err(Failure::unsupported("a persistent stream runs nothing but the model that it is bound to"));
        }
        if stream.is_recording() || stream.is_bound() {
            return self.capture(stream);
        }
        let ticket = self.model.ticket(stream.number())?;
        let supply = match self.model.takes_work_per_run() {
            true => allocators::for_model(stream, &self.context),
            false => Supply::Own(Arc::clone(&self.context)),
        };
        let taken = match supply {
            Supply::Caller(_) => Some(self.take(&supply)?),
            Supply::Own(_) => None,
        };
        stream.submit(move || {
            let answer = self.run_with(&supply, taken);
            drop(ticket);
            answer
        })?;
        Ok(())
    }

    /// Each run of what is captured takes its memory anew, from the allocator that its stream has then. If the model is
    /// unloaded before the run, the run fails.
    fn capture(self, stream: &Arc<Stream>) -> Answer {
        stream.submit_kernel(move |number| {
            let _ticket = self.model.ticket(number)?;
            let supply = match streams::numbered(number) {
                Some(stream) if self.model.takes_work_per_run() => allocators::for_model(&stream, &self.context),
                _ => Supply::Own(Arc::clone(&self.context)),
            };
            self.run_with(&supply, None)
        })?;
        Ok(())
    }

    /// Runs the model here and now.
    pub(crate) fn run(self) -> Answer {
        trouble::before_work()?;
        let supply = Supply::Own(Arc::clone(&self.context));
        self.run_with(&supply, None)
    }

    fn run_with(&self, supply: &Supply, taken: Option<Taken>) -> Answer {
        let taken = match taken {
            Some(taken) => taken,
            None => self.take(supply)?,
        };
        let results = {
            let _turn = self.model.turn();
            lend(&self.inputs, |inputs| self.model.engine.run(inputs)).map_err(failed)?
        };
        // Neither the turn nor any lock is held from here on: the caller's allocator may be called.
        self.store(&results, supply, taken)?;
        self.dump(&results)?;
        let dims: Vec<Vec<i64>> = results.iter().map(|result| result.dims().to_vec()).collect();
        if self.describes {
            let descs = self.model.engine.outputs().iter().zip(&dims).map(|(port, dims)| described(port, dims.clone()));
            datasets::describe_all(self.output, descs.collect());
        }
        self.model.set_current_outputs(dims);
        Ok(())
    }

    /// Writes what the run has read and written to files, where the program has asked for that.
    fn dump(&self, results: &[Output]) -> Answer {
        let Some(dump) = self.model.dump.as_ref().map(Dump::of_next_run) else { return Ok(()) };
        if dump.inputs {
            for (index, (port, input)) in self.model.engine.inputs().iter().zip(&self.inputs).enumerate() {
                dump.write("input", index, port, &input.dims, &input.address.bytes(input.bytes))?;
            }
        }
        if dump.outputs {
            for (index, (port, result)) in self.model.engine.outputs().iter().zip(results).enumerate() {
                let mut bytes = vec![0; result.len()];
                result.write_to(&mut bytes).map_err(failed)?;
                dump.write("output", index, port, &result.dims(), &bytes)?;
            }
        }
        Ok(())
    }

    /// Takes working memory for a model whose shapes are known only now, and memory for the open outputs whose size is.
    fn take(&self, supply: &Supply) -> Answer<Taken> {
        let dims: Vec<&[i64]> = self.inputs.iter().map(|input| input.dims.as_slice()).collect();
        let bytes = if self.model.takes_work_per_run() { self.model.engine.work_bytes(&dims) } else { None };
        let work = bytes.map(|bytes| supply.take(bytes, None)).transpose()?;
        let near = work.as_ref().map(Scratch::address);
        let output = |place: &Place| match *place {
            Place::Open { bytes: Some(bytes), .. } => supply.take(bytes, near).map(Some),
            _ => Ok(None),
        };
        Ok(Taken { outputs: self.outputs.iter().map(output).collect::<Answer<_>>()?, work })
    }

    /// Stores all outputs, or none of them.
    fn store(&self, results: &[Output], supply: &Supply, taken: Taken) -> Answer {
        let near = taken.work.as_ref().map(Scratch::address);
        let mut own = Vec::new();
        for (index, ((place, result), ready)) in self.outputs.iter().zip(results).zip(taken.outputs).enumerate() {
            own.push(match (place, ready) {
                (Place::There { area, .. }, _) => {
                    // The description leaves the size open, or the size was compared when the run was queued.
                    room(index, area.size, result.len(), false)?;
                    None
                }
                // The output may be larger than expected. Then the memory is too small.
                (Place::Open { bytes: Some(bytes), .. }, Some(ready)) if *bytes >= result.len() => Some(ready),
                (Place::Open { .. }, _) => Some(supply.take(result.len(), near)?),
            });
        }
        for (index, ((place, result), own)) in self.outputs.iter().zip(results).zip(own).enumerate() {
            let bytes = result.len();
            let write = |to: Address| to.with_bytes_mut(bytes, |into| result.write_to(into)).map_err(failed);
            match (place, own) {
                (Place::There { area, .. }, _) => write(area.address)?,
                (Place::Open { buffer, .. }, Some(own)) => {
                    write(own.address())?;
                    hand_over(own, index, *buffer, bytes)?;
                }
                (Place::Open { .. }, None) => {}
            }
        }
        Ok(())
    }
}

impl Given {
    fn new(index: usize, port: &Port, dims: Vec<i64>, item: &Item, context: &Context) -> Answer<Self> {
        let Area { address, size } = item.area;
        let name = &port.name;
        let refuse = |text: String| Failure::new(ACL_ERROR_MODEL_INPUT_NOT_MATCH, text);
        let bytes = port.bytes_for(&dims);
        let bytes = bytes.ok_or_else(|| refuse(format!("input {index} (`{name}`): {dims:?} has no size in bytes")))?;
        if address.is_null() {
            let failure = Failure::invalid(format!("input {index} (`{name}`): its data buffer has a null address"));
            // A size without an address was found when the data buffer got it (DATA-03).
            if size > 0 {
                return Err(failure);
            }
            let fix = "set the address and the size of the data buffer before the run";
            return Err(failure.breaks(DATA_07, "a buffer with memory for each input", fix));
        }
        if size < bytes {
            let text =
                format!("input {index} (`{name}`): {dims:?} needs {bytes} bytes, and its data buffer has {size}");
            return Err(too_short(refuse(text)));
        }
        let hold = claim(&format!("input {index} (`{name}`)"), item.area, context)?;
        Ok(Self { dims, address, bytes, _hold: hold })
    }
}

impl Place {
    fn new(
        (index, is_described): (usize, bool),
        port: &Port,
        dims: &[i64],
        item: &Item,
        context: &Context,
    ) -> Answer<Self> {
        if item.area.is_open() {
            return Ok(Self::Open { buffer: item.buffer, bytes: port.bytes_for(dims) });
        }
        let name = &port.name;
        if item.area.address.is_null() {
            let size = item.area.size;
            let text = format!("output {index} (`{name}`): a null address goes with the size 0, not {size} (DATA-03)");
            return Err(Failure::new(ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, text));
        }
        if let Some(need) = port.bytes_for(dims) {
            room(index, item.area.size, need, is_described)?;
        }
        let hold = claim(&format!("output {index} (`{name}`)"), item.area, context)?;
        Ok(Self::There { area: item.area, _hold: hold })
    }
}

/// Enters memory into a data buffer: the library's own becomes the caller's, and a block of the caller's allocator goes
/// back when the data buffer gives it up. A data buffer that was destroyed or filled since takes nothing.
fn hand_over(own: Scratch, index: usize, buffer: Name<aclDataBuffer>, size: usize) -> Answer {
    let area = Area { address: own.address(), size };
    let enter = |lent: Option<Lent>| {
        let own = lent.is_none();
        let entered = fill_open(buffer, area, lent.map(|lent| Box::new(lent) as Owner));
        if own && entered {
            crate::machine::watch::handed_over(area.address, size);
        }
        entered
    };
    if own.hand_over(enter) {
        return Ok(());
    }
    let text = format!("output {index}: its data buffer was changed or destroyed while the model ran (DATA-10)");
    Err(Failure::new(ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, text))
}

/// Lends the bytes of all inputs to `run`.
pub(in crate::machine) fn lend<R>(inputs: &[Given], run: impl FnOnce(&[Input<'_>]) -> R) -> R {
    let areas = inputs.iter().map(|given| (given.address, given.bytes));
    with_all_bytes(areas, |bytes| {
        let lent: Vec<_> = inputs.iter().zip(bytes).map(|(given, bytes)| Input { dims: &given.dims, bytes }).collect();
        run(&lent)
    })
}

/// Device memory of the context, as much as the data buffer says, kept in place.
pub(in crate::machine) fn claim(what: &str, area: Area, context: &Context) -> Answer<Hold> {
    let refused = |failure: Failure| {
        let failure = Failure::new(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID, format!("{what}: {}", failure.text));
        let is_short = describe(area.address).is_some_and(|found| found.left < area.size);
        let fix = "give the data buffer no more bytes than the memory was allocated with";
        if is_short { failure.breaks(DATA_08, "as many bytes of memory as the data buffer says", fix) } else { failure }
    };
    // Held before it is looked at: what another thread frees in between stays in place.
    let hold = hold(area.address, area.size).map_err(refused)?;
    on_device(what, area.address, context)?;
    Ok(hold)
}

fn same_count(what: &str, expected: usize, found: usize, code: i32) -> Answer {
    if expected == found {
        return Ok(());
    }
    let failure = Failure::new(code, format!("the model has {expected} {what}, and the dataset {found} buffers"));
    let fix = "add one buffer for each (aclmdlGetNumInputs, aclmdlGetNumOutputs), in the order of the model";
    Err(failure.breaks(DATA_07, "as many buffers as the model has inputs and outputs", fix))
}

/// DATA-08, if the description of the model says how much an output needs.
fn room(index: usize, have: usize, need: usize, is_described: bool) -> Answer {
    if have >= need {
        return Ok(());
    }
    let text = format!("output {index} needs {need} bytes, and its data buffer has {have}");
    let failure = Failure::new(ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, text);
    Err(if is_described { too_short(failure) } else { failure })
}

fn described(port: &Port, dims: Vec<i64>) -> TensorDesc {
    let mut desc = TensorDesc::new(data_type(port.element), dims, format(port.format));
    desc.name = CString::new(port.name.replace('\0', " ")).unwrap_or_default();
    desc
}

fn failed(failure: RunFailure) -> Failure {
    let code = match failure {
        RunFailure::InputCount { .. } | RunFailure::Input { .. } => ACL_ERROR_MODEL_INPUT_NOT_MATCH,
        RunFailure::OutputSpace { .. } => ACL_ERROR_MODEL_OUTPUT_NOT_MATCH,
        RunFailure::NoRoom { .. } => ACL_ERROR_GE_MEMORY_ALLOCATION,
        RunFailure::Refused(_) | RunFailure::Unfit(_) => ACL_ERROR_GE_INTERNAL_ERROR,
    };
    Failure::new(code, failure.to_string())
}
