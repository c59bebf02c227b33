//! The tasks that a capture takes.

use super::objects::Object;
use super::{Capture, Captured, TaskKind};
use crate::brand::Brand;
use crate::element::Element;
use crate::error::{Error, ObjectKind};
use crate::ffi::{BlockPosition, RawBuffer};
use crate::memory::{DeviceBuffer, HostBuffer};
use crate::model::BoundModel;
use crate::operator::{BoundOperator, IdleInputs, IdleOutputs};
use ascendcl_macros::rule;

impl<'g, C: Brand, K> Capture<'g, C, K> {
    /// Captures a copy from the host to the device (`aclrtMemcpyAsync`). Each replay copies the current contents of the
    /// host buffer.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when they differ in length, or [`Error::Vendor`].
    #[rule(GRAPH_05)]
    pub fn copy_to_device<E: Element>(
        &mut self,
        from: &Captured<'g, HostBuffer<C, E>, K>,
        to: &mut Captured<'g, DeviceBuffer<C, E>, K>,
    ) -> Result<(), Error> {
        self.copy::<E>(from.object, to.object)
    }

    /// Captures a copy from the device to the host (`aclrtMemcpyAsync`).
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device).
    #[rule(GRAPH_05)]
    pub fn copy_to_host<E: Element>(
        &mut self,
        from: &Captured<'g, DeviceBuffer<C, E>, K>,
        to: &mut Captured<'g, HostBuffer<C, E>, K>,
    ) -> Result<(), Error> {
        self.copy::<E>(from.object, to.object)
    }

    /// Captures a copy from one device buffer to another (`aclrtMemcpyAsync`).
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device).
    pub fn copy_on_device<E: Element>(
        &mut self,
        from: &Captured<'g, DeviceBuffer<C, E>, K>,
        to: &mut Captured<'g, DeviceBuffer<C, E>, K>,
    ) -> Result<(), Error> {
        self.copy::<E>(from.object, to.object)
    }

    /// Captures setting every byte of a device buffer (`aclrtMemsetAsync`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`].
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn set_bytes<E: Element>( // GRAPH-06: memory of this branch: `side.adopt_after(capture, buffer)?`
        &mut self,
        buffer: &mut Captured<'g, DeviceBuffer<C, E>, K>,
        value: u8,
    ) -> Result<(), Error> {
        let block = self.recording.memory(buffer.object)?;
        let given = self.queue.capture_set(self.recording.api(), BlockPosition { block: &block, start: 0 }, value);
        self.recording.note(self.branch, TaskKind::SetMemory, &[], &[buffer.object], given)
    }

    /// Captures one execution of a model (`aclmdlExecuteAsync`).
    ///
    /// # Errors
    ///
    /// [`Error::OutputNotAllocated`] for a model with an output that the library is to allocate, or [`Error::Vendor`].
    #[rule(GRAPH_05)]
    pub fn execute(&mut self, model: &mut Captured<'g, BoundModel<C>, K>) -> Result<(), Error> {
        let mut taken = self.recording.take_model(model.object)?;
        let given = taken.capture(self.recording.api(), &self.queue);
        self.recording.put_back(model.object, Object::Model(taken));
        self.recording.note_execution(self.branch, TaskKind::ExecuteModel, model.object, given)
    }

    /// Captures one execution of an operator (`aclopExecuteV2`).
    ///
    /// The functions of [`operator`](crate::operator) bind to new memory for the outputs, and its type says so for as
    /// long as the operator is captured. To read an output after a replay, [copy it](Self::copy_from_output) to a
    /// buffer in the capture, or bind the operator to outputs that are written before:
    /// [`Operator::bind`](crate::operator::Operator::bind) with
    /// [`Current::zeros_tensor`](crate::Current::zeros_tensor).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`].
    #[rule(GRAPH_05)]
    pub fn launch<I: IdleInputs, O: IdleOutputs>(
        &mut self,
        operator: &mut Captured<'g, BoundOperator<C, I, O>, K>,
    ) -> Result<(), Error> {
        let mut taken = self.recording.take_operator(operator.object)?;
        let given = taken.capture(self.recording.api(), &self.queue);
        self.recording.put_back(operator.object, Object::Operator(taken));
        self.recording.note_execution(self.branch, TaskKind::LaunchOperator, operator.object, given)
    }

    /// Captures a call of `callback` on the host (`aclrtLaunchHostFunc`). Each replay calls it in the graph's order, on
    /// a thread of the library, with a reference to `state`, which the graph owns.
    ///
    /// The rules for callbacks of [streams](crate::stream::StreamOps::launch_host_fn) apply here. The graph keeps the
    /// message of the first panic: [`CapturedGraph::take_panic`](crate::capture::CapturedGraph::take_panic).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`], or [`Error::MissingFunction`] on releases that lack the function. The capture then makes no
    /// graph, and the state is dropped when what was captured is destroyed.
    #[rule(CB_01, CB_08, CB_09)]
    pub fn launch_host_fn<T: Send + Sync + 'static>(&mut self, state: T, callback: fn(&T)) -> Result<(), Error> {
        let (recording, api) = (self.recording, self.recording.api());
        let (kept, given) = self.queue.capture_callback(api, state, callback, recording.panicked());
        recording.graph().needs().states.push(kept);
        recording.note(self.branch, TaskKind::Callback, &[], &[], given)
    }

    pub(super) fn copy<E: Element>(&mut self, from: usize, to: usize) -> Result<(), Error> {
        let (source, target) = (self.recording.memory(from)?, self.recording.memory(to)?);
        if source.bytes() != target.bytes() {
            let [expected, found] = [&source, &target].map(|block| block.bytes() / size_of::<E>().max(1));
            return Err(Error::LengthMismatch { what: ObjectKind::COPY_DESTINATION, expected, found });
        }
        self.copy_between((&source, from), (&target, to), source.bytes())
    }

    /// Captures a copy between two blocks, which operands of the graph keep.
    pub(super) fn copy_between(
        &mut self,
        (from, read): (&RawBuffer, usize),
        (to, written): (&RawBuffer, usize),
        bytes: usize,
    ) -> Result<(), Error> {
        let (to, from) = (BlockPosition { block: to, start: 0 }, BlockPosition { block: from, start: 0 });
        let given = self.queue.capture_copy(self.recording.api(), to, from, bytes);
        self.recording.note(self.branch, TaskKind::CopyMemory, &[read], &[written], given)
    }
}
