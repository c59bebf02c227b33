//! The rows of models and operators. Each row exists before the library creates the first part of its object.
//!
//! A failed call leaves the parts that earlier calls created. The row lists all of them, so one function takes down
//! both finished and unfinished objects. If the library refuses that, the row stays on the shelf without a handle, and
//! [`collect`](Ledger::collect) or the end of the scope tries again.
//!
//! Each function first checks for a forked child. There, a lock may be held forever by a thread that only the parent
//! has.

use super::Ledger;
use crate::attribute::Attribute;
use crate::error::{Boxed, Error};
use crate::ffi::{
    BoundInput, Here, Home, Image, LoadInto, LoadedModel, ModelImage, NotRun, RawBinding, RawBuffer, RawOperator,
    RawStream, SETTLING, Site, TensorArgument, TensorPlace,
};
use crate::model_size::ModelSize;
use core::sync::atomic::Ordering;
use std::sync::Arc;

impl Ledger {
    /// The bytes that a model needs.
    pub(crate) fn sizes(&self, source: ModelImage<'_>) -> Result<ModelSize, Error> {
        self.with_image(source, |image| image.sizes(self.api))
    }

    /// Loads a model, and reads its description. Refuses if work may still be running in the working memory that the
    /// model is to use.
    pub(crate) fn load(&self, source: ModelImage<'_>, onto: LoadInto) -> Result<Arc<LoadedModel>, Error> {
        self.api.check_process()?;
        onto.idle(&self.streams)?;
        let model = self.models.put(LoadedModel::new(onto));
        let is_another = |id| self.models.all().iter().any(|other| other.is_left_as(id));
        let loaded = self.with_image(source, |image| model.load(self.api, image, is_another));
        match loaded.and_then(|()| model.describe(self.api)) {
            Ok(()) => Ok(model),
            Err(error) => {
                // The first error is the one to report.
                let _ = self.unload(&model);
                Err(error)
            }
        }
    }

    /// Gives `read` the model's image in memory that the library can read. If this made a copy of the image, the copy
    /// is freed afterwards. If that fails, the copy stays on its shelf without a handle.
    fn with_image<R>(
        &self,
        source: ModelImage<'_>,
        read: impl FnOnce(Image<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let Some(contents) = source.to_be_copied(self.api) else { return read(Image { source, copy: None }) };
        let copy = self.allocate(Home::Device, contents.len())?;
        let result = copy
            .write(Site::unproven(self.api).here(), contents)
            .map_err(Error::from)
            .and_then(|()| read(Image { source, copy: Some(&copy) }));
        let _ = self.free(&copy);
        result
    }

    pub(crate) fn unload(&self, model: &Arc<LoadedModel>) -> Result<(), Error> {
        self.api.check_process()?;
        model.unload(self.api, &self.streams)?;
        self.models.remove(model);
        Ok(())
    }

    /// Binds a model to the memory of its inputs and outputs.
    pub(crate) fn bind(
        &self,
        model: &LoadedModel,
        inputs: &[BoundInput],
        outputs: &[Option<Arc<RawBuffer>>],
    ) -> Result<Arc<RawBinding>, Error> {
        self.api.check_process()?;
        let binding = self.bindings.put(RawBinding::new(inputs, outputs));
        match binding.create(self.api, model, inputs, outputs) {
            Ok(()) => Ok(binding),
            Err(error) => {
                // The first error is the one to report.
                let _ = self.unbind(&binding);
                Err(error)
            }
        }
    }

    pub(crate) fn reshape(
        &self,
        binding: &RawBinding,
        model: &LoadedModel,
        shapes: (&[Vec<i64>], &[Vec<i64>]),
    ) -> Result<(), Error> {
        self.api.check_process()?;
        binding.reshape(self.api, &self.streams, model, shapes)
    }

    /// Replaces a block by another one of the same size.
    pub(crate) fn exchange(
        &self,
        binding: &RawBinding,
        place: TensorPlace,
        blocks: (&Arc<RawBuffer>, &Arc<RawBuffer>),
    ) -> Result<(), Error> {
        self.api.check_process()?;
        binding.exchange(self.api, &self.streams, place, blocks)
    }

    /// Queues one execution of a bound model.
    pub(crate) fn execute(
        &self,
        here: Here<'_>,
        binding: &RawBinding,
        model: &LoadedModel,
        stream: &RawStream,
    ) -> Result<u64, Boxed> {
        here.check_process()?;
        binding.execute(here, &self.streams, stream, model)
    }

    /// Runs a bound model and waits for it. After a failure the run may still go on, so this waits for everything in
    /// the context, one and a quarter seconds at most.
    pub(crate) fn run(&self, here: Here<'_>, binding: &RawBinding, model: &LoadedModel) -> Result<(), Boxed> {
        binding.run(here, &self.streams, &self.runs, model, || self.settle_runs())
    }

    /// Settles a [run at once](RawBinding::run_at_once) that failed, as [`run`](Self::run) does. Returns its error.
    pub(crate) fn settle_run(
        &self,
        here: Here<'_>,
        binding: &RawBinding,
        model: &LoadedModel,
        failed: NotRun,
    ) -> Boxed {
        binding.settle_run(here, &self.runs, model, failed, || self.settle_runs())
    }

    /// Waits for everything in the context. Returns whether all runs are over.
    fn settle_runs(&self) -> bool {
        let is_over = self.settle_all(SETTLING).is_ok();
        if !is_over {
            self.streams.keep(&self.runs);
        }
        is_over
    }

    /// An error while an execution that was given up may use a binding's memory. With a stream, an execution that comes
    /// before new work on that stream is allowed.
    #[inline]
    pub(crate) fn check_not_running(&self, binding: &RawBinding, stream: Option<&RawStream>) -> Result<(), Error> {
        if binding.is_in_doubt() { binding.check_over(&self.streams, stream) } else { Ok(()) }
    }

    /// An error unless a capture can use a bound model.
    pub(crate) fn check_capturable(&self, binding: &RawBinding, model: &LoadedModel) -> Result<(), Error> {
        binding.check_capturable(&self.streams, model)
    }

    /// Removes a binding's outputs that the library has allocated. Their memory is freed, or stays with the scope.
    pub(crate) fn empty(&self, binding: &RawBinding) -> Result<(), Error> {
        self.api.check_process()?;
        binding.empty(self.api, &self.streams, |block| self.free(&self.keep(block)))
    }

    /// Destroys a binding. No graph that was given up uses it, and so its model, afterwards.
    pub(crate) fn unbind(&self, binding: &Arc<RawBinding>) -> Result<(), Error> {
        self.no_graph_has(binding)?;
        self.empty(binding)?;
        binding.destroy(self.api, &self.streams)?;
        self.bindings.remove(binding);
        Ok(())
    }

    /// Creates an operator with its tensors. Compiles it if `compile` is set.
    pub(crate) fn create_operator(
        &self,
        name: &str,
        attributes: &[(&str, &Attribute)],
        (inputs, outputs): (&[TensorArgument], &[TensorArgument]),
        compile: bool,
    ) -> Result<Arc<RawOperator>, Error> {
        self.api.check_process()?;
        self.end_operators_sometimes();
        let raw = self.operators.put(RawOperator::new(name, inputs, outputs)?);
        let created = raw.create(self.api, attributes, inputs, outputs);
        match created.and_then(|()| if compile { raw.compile(self.api) } else { Ok(()) }) {
            Ok(()) => Ok(raw),
            Err(error) => {
                // The first error is the one to report.
                let _ = self.destroy_operator(&raw);
                Err(error)
            }
        }
    }

    /// Queues one execution of an operator.
    pub(crate) fn launch(&self, here: Here<'_>, raw: &RawOperator, stream: &RawStream) -> Result<u64, Error> {
        here.check_process()?;
        raw.execute(here, &self.streams, stream)
    }

    /// Ends the operators without a handle when the number of operators has doubled since the last time. So the
    /// operators of a program that makes one for each step do not pile up, and the average cost of a step stays
    /// constant.
    fn end_operators_sometimes(&self) {
        /// With fewer operators there is nothing to gain.
        const FEW: usize = 32;
        if self.operators.len() >= self.operators_before_next_check.load(Ordering::Relaxed).max(FEW) {
            self.end_unreferenced_operators();
            self.operators_before_next_check.store(2 * self.operators.len(), Ordering::Relaxed);
        }
    }

    /// Ends the operators that no handle refers to and no work in flight uses. Returns how many ended. If the library
    /// refuses, the operator stays for the next collection, which reports the error.
    pub(crate) fn end_unreferenced_operators(&self) -> usize {
        self.operators.unreferenced().iter().filter(|operator| self.destroy_operator(operator).is_ok()).count()
    }

    pub(crate) fn destroy_operator(&self, raw: &Arc<RawOperator>) -> Result<(), Error> {
        self.api.check_process()?;
        self.no_graph_has(raw)?;
        raw.destroy(self.api, &self.streams)?;
        self.operators.remove(raw);
        Ok(())
    }
}
