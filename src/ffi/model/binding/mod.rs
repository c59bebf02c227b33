//! A model's inputs and outputs, bound once and executed any number of times.

mod execution;

use super::super::allocator::Keeps;
use super::super::call::call;
use super::super::gate::Gate;
use super::super::{Api, LastUse, Owner, RawBuffer, RawStream};
use super::LoadedModel;
use super::dataset::Dataset;
use super::gear_outputs::ChosenOutputs;
use crate::error::{Boxed, Error, ObjectKind};
use crate::ffi::shelf::{Row, Shelf, ShelfPlace};
use crate::life_cycle::leads;
use ascendcl_macros::rule;
use core::sync::atomic::{AtomicBool, Ordering};
pub(crate) use execution::{DoubtOnDrop, NotExecuted, NotRun};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// The datasets for executions of one model, over blocks that the binding keeps. It has no `Drop`: an object of the
/// library that is not destroyed stays allocated.
#[derive(Debug)]
#[rule(DATA_02, DATA_10)]
pub(crate) struct RawBinding {
    place: ShelfPlace,
    inputs: Dataset,
    outputs: Dataset,
    /// The bytes of the outputs; `None` where the library is to allocate the memory. They stay the same.
    rooms: Box<[Option<usize>]>,
    /// The outputs whose memory the library is to allocate.
    open_outputs: Box<[usize]>,
    /// The outputs in the chosen gear.
    chosen: Mutex<ChosenOutputs>,
    /// The caller's allocator with which the last execution ran.
    last_allocator: Mutex<Option<Weak<dyn Keeps>>>,
    gate: Gate,
    /// Whether a thread is destroying the datasets, or has destroyed them.
    ending: AtomicBool,
    /// Whether a graph executes the binding.
    captured: AtomicBool,
    last_use: LastUse,
    /// While the binding's row exists, it keeps these blocks, so they are not freed (DATA-02).
    blocks: Mutex<Box<[Arc<RawBuffer>]>>,
    owner: Owner,
}

/// A tensor of a binding, by its place in the dataset.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TensorPlace {
    Input(usize),
    Output(usize),
}

// SAFETY: sending the value to another thread must not make a data race. Datasets belong to the process and have no
// thread affinity. Only the code that creates the binding changes them, and after that the owner of the bound model's
// handle, apart from what the library records in them while the stream runs the model.
unsafe impl Send for RawBinding {}
// SAFETY: sharing the value must not make a data race. Several threads use shared references only through the ledger,
// which destroys the datasets only when no handle exists any more. The other fields are atomics and mutexes.
unsafe impl Sync for RawBinding {}

/// One input of a binding: its memory, how many bytes of it are used, and its shape.
pub(crate) struct BoundInput {
    pub(crate) block: Arc<RawBuffer>,
    pub(crate) bytes: usize,
    pub(crate) dims: Vec<i64>,
}

impl Row for RawBinding {
    #[inline]
    fn place(&self) -> &ShelfPlace {
        &self.place
    }
}

impl RawBinding {
    /// A binding for these inputs and outputs. It gets its row before any object of the library is created. The library
    /// allocates the outputs that have no block.
    pub(crate) fn new(inputs: &[BoundInput], outputs: &[Option<Arc<RawBuffer>>]) -> Self {
        let open_outputs =
            outputs.iter().enumerate().filter(|(_, block)| block.is_none()).map(|(index, _)| index).collect();
        let blocks = inputs.iter().map(|input| &input.block).chain(outputs.iter().flatten());
        Self {
            place: ShelfPlace::new(),
            inputs: Dataset::of(inputs.len()),
            outputs: Dataset::of(outputs.len()),
            rooms: outputs.iter().map(|block| block.as_ref().map(|block| block.bytes())).collect(),
            open_outputs,
            chosen: Mutex::default(),
            last_allocator: Mutex::default(),
            gate: Gate::open(),
            ending: AtomicBool::new(false),
            captured: AtomicBool::new(false),
            last_use: LastUse::of(Owner::current().number()),
            blocks: Mutex::new(blocks.map(Arc::clone).collect()),
            owner: Owner::current(),
        }
    }

    /// An error unless this thread has entered the binding's context.
    #[inline]
    #[rule(MODEL_01)]
    pub(crate) fn check_current(&self) -> Result<(), Error> {
        self.owner.check_current(ObjectKind::MODEL_TENSORS)
    }

    /// Creates the datasets for the tensors with which the binding was [made](Self::new). After an error,
    /// [`destroy`](Self::destroy) destroys what was created before.
    pub(crate) fn create(
        &self,
        api: Api,
        model: &LoadedModel,
        inputs: &[BoundInput],
        outputs: &[Option<Arc<RawBuffer>>],
    ) -> Result<(), Error> {
        leads!(dataset: Start --> Idle : Create, dataset: Idle --> Idle : Add);
        model.check_current()?;
        model.check_loaded()?;
        self.blocks().iter().try_for_each(|block| block.check_current())?;
        let has_gears = model.gears().is_some();
        if !has_gears {
            // The sizes are known before the library is called.
            model.check_outputs_fit(&[], &self.rooms)?;
        }
        self.inputs.create(api, inputs.iter().map(|input| Some((&*input.block, input.bytes))))?;
        self.outputs.create(api, outputs.iter().map(|block| block.as_ref().map(|block| (&**block, block.bytes()))))?;
        let shapes: Vec<_> = inputs.iter().map(|input| &input.dims).collect();
        let chosen = model.set_shapes(api, &self.inputs, &shapes)?;
        if has_gears {
            model.check_outputs_fit(&chosen, &self.rooms)?;
            *self.chosen() = chosen;
        }
        Ok(())
    }

    pub(crate) fn has_open_outputs(&self) -> bool {
        !self.open_outputs.is_empty()
    }

    /// Sets `new` shapes for the next executions. Sets the `old` ones again if the library fails, or if an output of the
    /// new gear does not fit into its memory. Refuses while queued work may use the memory (DATA-10).
    pub(crate) fn reshape(
        &self,
        api: Api,
        streams: &Shelf<RawStream>,
        model: &LoadedModel,
        (old, new): (&[Vec<i64>], &[Vec<i64>]),
    ) -> Result<(), Error> {
        self.check_current()?;
        self.idle(streams)?;
        let inside = self.gate.pass().ok_or_else(|| Error::Gone { what: ObjectKind::MODEL_TENSORS })?;
        let failed = match model.set_shapes(api, &self.inputs, new) {
            // The library was not called.
            Err(error @ (Error::Input(_) | Error::CurrentChanged { .. } | Error::InsideCallback)) => return Err(error),
            Err(error) => error,
            Ok(chosen) => match model.check_outputs_fit(&chosen, &self.rooms) {
                Ok(()) => {
                    *self.chosen() = chosen;
                    return Ok(());
                }
                Err(error) => error,
            },
        };
        // The first inputs may have the new shapes.
        if model.set_shapes(api, &self.inputs, old).is_err() {
            // It is unknown which shapes an execution would use, so there are no more executions.
            drop(inside);
            self.gate.close();
        }
        Err(failed)
    }

    /// Makes the next executions use `new` instead of `old`. Refuses while queued work may use the memory (DATA-10).
    /// The blocks have the same size.
    #[rule(DATA_02, DATA_10)]
    pub(crate) fn exchange(
        &self,
        api: Api,
        streams: &Shelf<RawStream>,
        place: TensorPlace,
        (old, new): (&Arc<RawBuffer>, &Arc<RawBuffer>),
    ) -> Result<(), Error> {
        self.check_current()?;
        new.check_usable()?;
        self.idle(streams)?;
        let (dataset, index) = match place {
            TensorPlace::Input(index) => (&self.inputs, index),
            TensorPlace::Output(index) => (&self.outputs, index),
        };
        let inside = self.gate.pass().ok_or_else(|| Error::Gone { what: ObjectKind::MODEL_TENSORS })?;
        let described = dataset.describe(api, index, new);
        if let Err(error) = described {
            if !matches!(error, Error::Vendor(_)) {
                // The library was not called.
                return Err(error);
            }
            // A failed call may have taken effect, also in part.
            let describes = |block: &RawBuffer| {
                dataset
                    .memory(api, index)
                    .is_some_and(|(start, bytes)| start.as_ptr() == block.start() && bytes == block.bytes())
            };
            if !describes(new) {
                let is_undone = describes(old) || dataset.describe(api, index, old).is_ok() || describes(old);
                drop(inside);
                if !is_undone {
                    // It is unknown which memory an execution would use, so there are no more executions.
                    self.gate.close();
                }
                return Err(error);
            }
        }
        if let Some(kept) = self.blocks().iter_mut().find(|kept| Arc::ptr_eq(kept, old)) {
            *kept = Arc::clone(new);
        }
        Ok(())
    }

    /// Captures one execution. The graph keeps the rows of the binding and the model, and so the datasets and the
    /// memory. Before the capture began, [`check_capturable`](Self::check_capturable) found that no execution is running.
    #[rule(GRAPH_05)]
    pub(crate) fn capture(&self, api: Api, stream: &RawStream, model: &LoadedModel) -> Result<(), Error> {
        self.check_current()?;
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: ObjectKind::MODEL_TENSORS }) };
        stream.capture_call(api, "capture a model", |ready, stream| {
            // SAFETY: the function asks for a loaded model, live datasets and a live stream, and for memory that is as
            // large as a replay reads and writes, and stays until the last one is done (MODEL-14, DATA-02, DATA-08,
            // DATA-10, GRAPH-05). The gate is passed, and `capture_call` passed the stream's. Datasets, model and
            // memory end only when nothing keeps their rows, and the graph keeps them until its instance is destroyed.
            // Each input has what its shape and its description need: who calls `create` ensures that,
            // `InputTensor::check_shape` compares new shapes, and `exchange` keeps the sizes. `create` and `reshape` have
            // compared the outputs with what the library itself does not compare.
            unsafe { call!(ready.aclmdlExecuteAsync(model.id(), self.inputs.raw(), self.outputs.raw(), stream)) }
        })
    }

    /// Whether a graph executes the binding. This is determined again for each graph that gets it.
    pub(crate) fn is_captured(&self) -> bool {
        self.captured.load(Ordering::Acquire)
    }

    /// Notes whether each replay of the graph that has the binding executes it.
    pub(crate) fn set_captured(&self, is_captured: bool) {
        self.captured.store(is_captured, Ordering::Release);
    }

    /// Called before a copy of pageable host memory to an input or from an output: see [`RawStream::wait_for_uses`].
    pub(crate) fn wait_for_uses(&self, api: Api, stream: &RawStream, other: &RawBuffer) -> Result<(), Error> {
        if other.is_pageable() { stream.wait_for_uses(api, &[&self.last_use]) } else { Ok(()) }
    }

    /// Called after a failed copy to an input or from an output. If the copy may be running although its call failed,
    /// the binding is in doubt, so that an execution can only come after the copy.
    #[cold]
    pub(crate) fn mark_in_doubt_after_copy(&self, stream: &RawStream, block: &RawBuffer) {
        if block.is_in_doubt() {
            stream.stamp_latest(&self.last_use);
            self.last_use.mark_in_doubt();
        }
    }

    /// Marks the binding idle: all work that used it is known to be done.
    pub(crate) fn mark_idle(&self) {
        leads!(dataset: InUse --> Idle : Wait);
        self.last_use.mark_idle();
    }

    /// Records that the work queued on this stream so far comes after all work that used the binding.
    pub(crate) fn follow(&self, queue: &RawStream) {
        queue.stamp_latest(&self.last_use);
    }

    /// The shape of an output after an execution, if the library says it: when the gear is chosen, or in the description
    /// that an execution makes of the output.
    pub(crate) fn output_dims(&self, api: Api, index: usize) -> Option<Vec<i64>> {
        let _inside = self.gate.pass()?;
        let chosen = self.chosen().get(index).cloned().flatten();
        chosen.or_else(|| self.outputs.shape(api, index))
    }

    /// The number of elements of that shape. Allocates nothing. `None` also if a size is unknown.
    pub(crate) fn output_elements(&self, api: Api, index: usize) -> Option<usize> {
        let _inside = self.gate.pass()?;
        let product = |all: usize, size: &i64| Some(all.saturating_mul(usize::try_from(*size).ok()?));
        let count = |dims: &Vec<i64>| dims.iter().try_fold(1, product);
        let chosen = self.chosen().get(index).and_then(Option::as_ref).map(count);
        chosen.unwrap_or_else(|| self.outputs.elements(api, index))
    }

    /// The memory that the library allocated for an open output. The caller may read it while it has the binding,
    /// because the binding is then neither in flight nor emptied. `None` if the library allocated no memory (DATA-06).
    pub(crate) fn allocated(&self, api: Api, index: usize) -> Option<RawBuffer> {
        let _inside = self.gate.pass()?;
        self.outputs.memory(api, index).map(|(start, bytes)| RawBuffer::adopt(start, bytes))
    }

    /// Empties the open outputs. Memory that came from the caller's allocator returns there through the update of the
    /// data buffer. The library's own memory is passed to `take`, to be freed (DATA-06). The first error is reported,
    /// and the other outputs are emptied anyway. Memory that the library refused to release stays here.
    pub(crate) fn empty(
        &self,
        api: Api,
        streams: &Shelf<RawStream>,
        mut take: impl FnMut(RawBuffer) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.check_current()?;
        self.idle(streams)?;
        let Some(_inside) = self.gate.pass() else { return Ok(()) };
        let mut result = Ok(());
        for index in &self.open_outputs {
            let Some((start, bytes)) = self.outputs.memory(api, *index) else { continue };
            // Held beyond the lock, because dropping the last pointer runs code of the user.
            let keeps = self.last_allocator().as_ref().and_then(Weak::upgrade);
            let lent = keeps.as_ref().is_some_and(|keeps| keeps.has_lent(start.addr()));
            let emptied = self.outputs.empty(api, *index);
            // The failed call may have released the memory.
            let is_there = emptied.is_err() && self.outputs.memory(api, *index).is_some_and(|(at, _)| at == start);
            result = result.and(emptied);
            if !lent && !is_there {
                result = result.and(take(RawBuffer::adopt(start, bytes)));
            }
        }
        result
    }

    /// Destroys the datasets. Refuses while queued work may use their memory (DATA-10). Open outputs must be
    /// [emptied](Self::empty) before.
    pub(crate) fn destroy(&self, api: Api, streams: &Shelf<RawStream>) -> Result<(), Error> {
        leads!(dataset: Idle --> End : Destroy);
        self.check_current()?;
        self.idle(streams)?;
        if self.ending.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        // If the library has refused before, the gate is closed already, and what is left is tried once more.
        self.gate.close();
        let inputs = self.inputs.destroy(api);
        let destroyed = inputs.and(self.outputs.destroy(api));
        self.ending.store(destroyed.is_ok(), Ordering::Release);
        destroyed
    }

    fn idle(&self, streams: &Shelf<RawStream>) -> Result<(), Error> {
        if streams.has_done(&self.last_use) {
            return Ok(());
        }
        Err(Error::StillRunning { what: ObjectKind::MODEL_TENSORS })
    }

    fn blocks(&self) -> MutexGuard<'_, Box<[Arc<RawBuffer>]>> {
        self.blocks.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn chosen(&self) -> MutexGuard<'_, ChosenOutputs> {
        self.chosen.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn last_allocator(&self) -> MutexGuard<'_, Option<Weak<dyn Keeps>>> {
        self.last_allocator.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cold]
fn gone() -> Boxed {
    Error::Gone { what: ObjectKind::MODEL_TENSORS }.into()
}
