//! A model's inputs and outputs, bound once and executed any number of times.

use super::super::allocator::Keeps;
use super::super::gate::Gate;
use super::super::{Api, Block, LastUse, Queue};
use super::LoadedModel;
use super::dataset::Dataset;
use super::execute::{Given, fill};
use crate::error::Error;
use crate::ledger::Shelf;
use crate::life_cycle::leads;
use ascendcl_macros::rule;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// The datasets of one model's executions, over blocks that it keeps. Without a `Drop`: what is not destroyed stays.
#[derive(Debug)]
#[rule(DATA_02, DATA_10)]
pub(crate) struct Binding {
    given: Dataset,
    results: Dataset,
    /// The outputs that the library is to allocate.
    open: Box<[usize]>,
    /// The caller's allocator that the last execution ran with.
    lender: Mutex<Option<Weak<dyn Keeps>>>,
    gate: Gate,
    /// Somebody destroys the datasets, or has done so.
    ending: AtomicBool,
    last_use: LastUse,
    /// As long as the binding's row is there, these have a name and are not freed (DATA-02).
    blocks: Vec<Arc<Block>>,
}

// SAFETY: datasets belong to the process and have no thread affinity; they are only changed by the one who has the prepared
// model's handle, apart from what the library notes in them while the stream runs the model.
unsafe impl Send for Binding {}
// SAFETY: as above.
unsafe impl Sync for Binding {}

/// One input of a binding: its memory, the bytes of it that count, and its shape.
pub(crate) struct BoundInput {
    pub(crate) block: Arc<Block>,
    pub(crate) bytes: usize,
    pub(crate) dims: Vec<i64>,
}

impl Binding {
    /// Outputs without a block are the library's to allocate.
    pub(crate) fn create(
        api: Api,
        model: &LoadedModel,
        inputs: Vec<BoundInput>,
        outputs: Vec<Option<Arc<Block>>>,
    ) -> Result<Self, Error> {
        leads!(dataset: Start --> Idle : Create, dataset: Idle --> Idle : Add);
        let given = Dataset::create(api)?;
        let results = match Dataset::create(api) {
            Ok(results) => results,
            Err(error) => {
                let _ = given.discard(api);
                return Err(error);
            }
        };
        let open = outputs.iter().enumerate().filter(|(_, block)| block.is_none()).map(|(index, _)| index).collect();
        let mut made = Self {
            given,
            results,
            open,
            lender: Mutex::default(),
            gate: Gate::open(),
            ending: AtomicBool::new(false),
            last_use: LastUse::new(),
            blocks: Vec::new(),
        };
        let parts: Vec<_> =
            inputs.iter().map(|input| Given { block: &input.block, bytes: input.bytes, dims: &input.dims }).collect();
        let filled = fill(api, model, &mut made.given, &parts).and_then(|()| {
            outputs.iter().try_for_each(|block| match block {
                Some(block) => made.results.add(api, block, block.bytes()),
                None => made.results.add_empty(api),
            })
        });
        if let Err(error) = filled {
            // The first error is the one to report.
            let _ = (made.given.discard(api), made.results.discard(api));
            return Err(error);
        }
        made.blocks = inputs.into_iter().map(|input| input.block).chain(outputs.into_iter().flatten()).collect();
        Ok(made)
    }

    pub(crate) fn has_open_outputs(&self) -> bool {
        !self.open.is_empty()
    }

    /// States other shapes for the next executions; refused while queued work may look at the datasets (DATA-10).
    pub(crate) fn reshape(
        &self,
        api: Api,
        streams: &Shelf<Queue>,
        model: &LoadedModel,
        shapes: &[&[i64]],
    ) -> Result<(), Error> {
        self.idle(streams)?;
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "binding" }) };
        model.set_shapes(api, &self.given, shapes)
    }

    /// Queues one execution. The stream's context has to be current and the model's own (MODEL-01). Open outputs have to be
    /// [emptied](Self::empty) before.
    pub(crate) fn execute(&self, api: Api, stream: &Queue, model: &LoadedModel) -> Result<(), Error> {
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "binding" }) };
        leads!(dataset: Idle --> InUse : Execute, dataset: InUse --> InUse : Execute);
        if !self.open.is_empty() {
            *self.lender() = stream.keeps();
        }
        let uses = [model.last_use(), &self.last_use];
        let queued = stream.submit(api, "aclmdlExecuteAsync", "queue a model", uses, |stream| {
            // SAFETY: the datasets are alive (the gate) and are destroyed, like the model, only when a synchronise has
            // covered this submission (the stamps); the memory that they describe is kept by this binding.
            unsafe { api.library().aclmdlExecuteAsync(model.id(), self.given.raw(), self.results.raw(), stream) }
        });
        if queued.is_err() && self.last_use.is_in_doubt() {
            self.blocks.iter().for_each(|block| block.doubt(stream));
        }
        queued
    }

    /// Runs the model once, and returns when it is done. Its context has to be current (MODEL-01), and nothing else may run in
    /// its working memory meanwhile (MODEL-06). Open outputs have to be [emptied](Self::empty) before.
    pub(crate) fn run(&self, api: Api, streams: &Shelf<Queue>, model: &LoadedModel) -> Result<(), Error> {
        self.idle(streams)?;
        if !streams.has_done(model.last_use()) {
            return Err(Error::StillRunning { what: "model" });
        }
        api.in_place()?;
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: "binding" }) };
        *self.lender() = None;
        // SAFETY: the datasets are alive (the gate), no queued work looks at them (the stamps), and the memory that they
        // describe is kept by this binding; the call returns when the model is done.
        let code = unsafe { api.library().aclmdlExecute(model.id(), self.given.raw(), self.results.raw()) };
        api.done("aclmdlExecute", code, || "execute a model".into())
    }

    /// All work that used the binding is known to be done.
    pub(crate) fn rest(&self) {
        leads!(dataset: InUse --> Idle : Wait);
        self.last_use.rest();
    }

    /// What is queued on this stream by now comes after all work that used the binding.
    pub(crate) fn follow(&self, queue: &Queue) {
        queue.lead(&self.last_use);
    }

    /// The shape of an output after an execution, when the library says so.
    pub(crate) fn output_dims(&self, api: Api, index: usize) -> Option<Vec<i64>> {
        let _inside = self.gate.pass()?;
        self.results.shape(api, index)
    }

    /// The memory that the library allocated for an open output, to be read while the caller has the prepared model: it is
    /// not in flight then, and not emptied. `None` when the library left it without (DATA-06).
    pub(crate) fn allocated(&self, api: Api, index: usize) -> Option<Block> {
        let _inside = self.gate.pass()?;
        self.results.memory(api, index).map(|(start, bytes)| Block::adopt(start, bytes))
    }

    /// Empties the open outputs: memory that came from the caller's allocator goes back there, by the data buffer's
    /// update; the library's own is left to the caller, to be freed (DATA-06).
    pub(crate) fn empty(&self, api: Api, streams: &Shelf<Queue>) -> Result<Vec<Block>, Error> {
        self.idle(streams)?;
        let mut left = Vec::new();
        let Some(_inside) = self.gate.pass() else { return Ok(left) };
        for index in &self.open {
            let Some((start, bytes)) = self.results.memory(api, *index) else { continue };
            let lent = self.lender().as_ref().and_then(Weak::upgrade).is_some_and(|keeps| keeps.has_lent(start.addr()));
            self.results.empty(api, *index)?;
            if !lent {
                left.push(Block::adopt(start, bytes));
            }
        }
        Ok(left)
    }

    /// Destroys the datasets; refused while queued work may use them (DATA-10). Open outputs have to be
    /// [emptied](Self::empty) before.
    pub(crate) fn destroy(&self, api: Api, streams: &Shelf<Queue>) -> Result<(), Error> {
        leads!(dataset: Idle --> End : Destroy);
        self.idle(streams)?;
        if self.ending.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        // Closed already when the library has refused before: what is left is then tried once more.
        self.gate.close();
        let given = self.given.destroy(api);
        let destroyed = given.and(self.results.destroy(api));
        self.ending.store(destroyed.is_ok(), Ordering::Release);
        destroyed
    }

    fn idle(&self, streams: &Shelf<Queue>) -> Result<(), Error> {
        if streams.has_done(&self.last_use) {
            return Ok(());
        }
        Err(Error::StillRunning { what: "inputs and outputs of a model" })
    }

    fn lender(&self) -> MutexGuard<'_, Option<Weak<dyn Keeps>>> {
        self.lender.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
