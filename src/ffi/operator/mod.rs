//! Single operators, bound to their tensors and executed on streams.

mod attributes;
#[cfg(test)]
mod destroy_tests;

use super::answer::ReadyAnswer;
use super::api::c_text;
use super::call::{Current, Ready, call};
use super::gate::Gate;
use super::work::queue_work;
use super::{Api, Here, LastUse, Owner, RawBuffer, RawStream};
use crate::attribute::Attribute;
use crate::element::ElementType;
use crate::error::{Error, ObjectKind};
use crate::ffi::shelf::{Row, Shelf, ShelfPlace};
use ascendcl_macros::rule;
use ascendcl_sys::types::*;
use attributes::Attributes;
use core::cell::Cell;
use core::ffi::{CStr, c_int};
use core::fmt;
use core::iter;
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicBool, Ordering};
use std::ffi::CString;
use std::sync::Arc;

/// An operator with the descriptions and buffers of its tensors. It has no `Drop`: what is not destroyed stays
/// allocated.
pub(crate) struct RawOperator {
    place: ShelfPlace,
    name: CString,
    inputs: TensorList,
    outputs: TensorList,
    attributes: Attributes,
    gate: Gate,
    /// Whether a thread is destroying the descriptions, or has destroyed them.
    ending: AtomicBool,
    last_use: LastUse,
    /// While the operator's row exists, it keeps these blocks, so they are not freed.
    blocks: Box<[Arc<RawBuffer>]>,
    /// The inputs, then the outputs.
    tensors: Box<[Option<TensorMemory>]>,
    owner: Owner,
}

impl fmt::Debug for RawOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown_as("RawOperator", f)
    }
}

// SAFETY: sending the value to another thread must not make a data race. Descriptions, buffers and attributes belong to
// the process and have no thread affinity. The library writes them only while it takes an execution, and only the owner
// of the operator's handle executes it.
unsafe impl Send for RawOperator {}
// SAFETY: sharing the value must not make a data race. Several threads use shared references only through the ledger,
// which destroys the records only when no handle exists any more. The other fields are atomics.
unsafe impl Sync for RawOperator {}

/// A tensor of an operator. Without memory it stands for an optional input that is left out (OP-04).
#[derive(Debug)]
pub struct TensorArgument {
    pub(crate) memory: Option<TensorMemory>,
    pub(crate) dims: Vec<i64>,
}

/// The memory of a tensor of an operator.
#[derive(Clone, Debug)]
pub(crate) struct TensorMemory {
    pub(crate) block: Arc<RawBuffer>,
    pub(crate) element: ElementType,
    pub(crate) state: TensorState,
}

/// Whether the memory of a tensor was written, and whether the operator shares it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TensorState {
    /// Only the operator uses the memory, and it was written.
    Written,
    /// Only the operator uses the memory, and it is not written yet: a launch writes it.
    Unwritten,
    /// The memory was written, and others read it, so nobody may write it.
    Shared,
}

/// Inputs or outputs: descriptions and buffers, in the same order and of the same number (OP-02). Each is null before
/// it is created, and after the library has destroyed it.
#[derive(Debug)]
#[rule(OP_02)]
struct TensorList {
    descs: Box<[Cell<*mut aclTensorDesc>]>,
    buffers: Box<[Cell<*mut aclDataBuffer>]>,
}

const DOING: &str = "put an operator together";

impl Row for RawOperator {
    #[inline]
    fn place(&self) -> &ShelfPlace {
        &self.place
    }
}

impl RawOperator {
    /// What `{:?}` prints of an operator, as a value of the type with this name.
    pub(crate) fn shown_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tensors = (self.inputs.descs.len(), self.outputs.descs.len());
        let mut shown = f.debug_struct(name);
        shown.field("name", &self.name).field("inputs", &tensors.0).field("outputs", &tensors.1).finish_non_exhaustive()
    }

    /// An operator with these tensors. It gets its row before any object of the library is created.
    pub(crate) fn new(name: &str, inputs: &[TensorArgument], outputs: &[TensorArgument]) -> Result<Self, Error> {
        let tensors = || inputs.iter().chain(outputs).map(|part| part.memory.as_ref());
        Ok(Self {
            place: ShelfPlace::new(),
            name: c_text(name)?,
            inputs: TensorList::of(inputs.len()),
            outputs: TensorList::of(outputs.len()),
            attributes: Attributes::none(),
            gate: Gate::open(),
            ending: AtomicBool::new(false),
            last_use: LastUse::of(Owner::current().number()),
            blocks: tensors().flatten().map(|memory| Arc::clone(&memory.block)).collect(),
            tensors: tensors().map(Option::<&_>::cloned).collect(),
            owner: Owner::current(),
        })
    }

    /// An error unless this thread has entered the operator's context.
    #[inline]
    #[rule(STREAM_09)]
    pub(crate) fn check_current(&self) -> Result<(), Error> {
        self.owner.check_current(ObjectKind::OPERATOR)
    }

    /// Creates the descriptions, buffers and attributes, for the tensors with which the operator was [made](Self::new).
    /// After an error, [`destroy`](Self::destroy) destroys what was created before.
    pub(crate) fn create(
        &self,
        api: Api,
        attributes: &[(&str, &Attribute)],
        inputs: &[TensorArgument],
        outputs: &[TensorArgument],
    ) -> Result<(), Error> {
        self.blocks.iter().try_for_each(|block| block.check_usable())?;
        self.inputs.fill(api, inputs)?;
        self.outputs.fill(api, outputs)?;
        self.attributes.fill(api, attributes)
    }

    /// Compiles the operator for these tensors and attributes (`aclopCompile`).
    pub(crate) fn compile(&self, api: Api) -> Result<(), Error> {
        let (inputs, outputs) = (&self.inputs, &self.outputs);
        // SAFETY: the function reads a terminated name, lists of as many live descriptions as stated, and the
        // attributes, during the call (OP-02). `TensorList` has as many of each as `count` says, `create` created them,
        // and they are destroyed only later.
        let answer = unsafe {
            call!(api.aclopCompile(
                self.name.as_ptr(),
                inputs.count(),
                inputs.descs().cast(),
                outputs.count(),
                outputs.descs().cast(),
                self.attributes.raw(),
                aclopEngineType::ACL_ENGINE_SYS,
                aclopCompileType::ACL_COMPILE_SYS,
                null(),
            ))
        };
        answer.done(|| format!("compile the operator {}", self.name.to_string_lossy()))
    }

    /// Queues one execution. The stream's context must be current. Refused while an execution on another stream may be
    /// running although its call failed.
    pub(crate) fn execute(&self, here: Here<'_>, streams: &Shelf<RawStream>, stream: &RawStream) -> Result<u64, Error> {
        self.check_current()?;
        if self.last_use.is_in_doubt() {
            if !streams.comes_after(&self.last_use, stream) {
                return Err(Error::StillRunning { what: ObjectKind::OPERATOR });
            }
            // Forget work that is done. Otherwise the stamp would stand for two streams, and await all of them.
            if streams.has_done(&self.last_use) {
                self.last_use.end_doubt(self.owner.number());
            }
        }
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: ObjectKind::OPERATOR }) };
        // The gate is passed, and the records are destroyed only when a synchronise has covered this submission (the
        // stamps).
        let (ready, ticket) = stream.check_before_work(here)?;
        let queued = queue_work!(stream, ready, ticket, "queue an operator", [&self.last_use], |ready, stream| {
            self.queue(ready, stream)
        });
        if queued.is_err() && self.last_use.is_in_doubt() {
            self.blocks.iter().for_each(|block| block.mark_in_doubt(stream));
        }
        queued.map_err(Error::from)
    }

    /// An error unless the tasks of a graph can use the operator and its memory.
    pub(crate) fn check_capturable(&self) -> Result<(), Error> {
        self.check_current()?;
        self.blocks.iter().try_for_each(|block| block.check_range_anywhere(0, block.bytes()))
    }

    /// Captures one execution. The graph keeps this row, and so the records and memory.
    #[rule(GRAPH_05)]
    pub(crate) fn capture(&self, api: Api, stream: &RawStream) -> Result<(), Error> {
        self.check_capturable()?;
        let Some(_inside) = self.gate.pass() else { return Err(Error::Gone { what: ObjectKind::OPERATOR }) };
        stream.capture_call(api, "capture an operator", |ready, stream| self.queue(ready, stream))
    }

    /// The memory of the inputs and of the outputs. An input that is left out has none.
    pub(crate) fn tensors(&self) -> (&[Option<TensorMemory>], &[Option<TensorMemory>]) {
        self.tensors.split_at(self.inputs.descs.len())
    }

    /// The kind of operator.
    pub(crate) fn kind(&self) -> &CStr {
        &self.name
    }

    /// Calls the library. The caller has passed the gate, and ensures that everything that the call uses stays until
    /// the work is done.
    fn queue(&self, ready: Ready<Current>, stream: aclrtStream) -> ReadyAnswer<aclError> {
        let (inputs, outputs) = (&self.inputs, &self.outputs);
        // SAFETY: the function asks for a live stream, for lists of as many live descriptions and buffers as stated
        // (OP-02), and for memory that stays until the execution is done (MEM-02). The caller has the stream's handle,
        // or has passed its gate. Descriptions, buffers and attributes are destroyed only after the gate is closed, and
        // after a synchronise has covered the work (the stamps), or after the graph that keeps this row is destroyed
        // (GRAPH-05). This value keeps the memory. The library may write to lists and descriptions: both are in cells
        // or its own.
        unsafe {
            call!(ready.aclopExecuteV2(
                self.name.as_ptr(),
                inputs.count(),
                inputs.descs(),
                inputs.buffers(),
                outputs.count(),
                outputs.descs(),
                outputs.buffers(),
                self.attributes.raw(),
                stream,
            ))
        }
    }

    /// Marks the operator and its tensors idle: all work that used them is known to be done.
    pub(crate) fn mark_idle(&self) {
        self.last_use.mark_idle();
        self.blocks.iter().for_each(|block| block.mark_idle());
    }

    /// Records that the work queued on this stream so far comes after all work that used the operator or its tensors.
    pub(crate) fn follow(&self, queue: &RawStream) {
        queue.stamp_latest(&self.last_use);
        self.blocks.iter().for_each(|block| block.follow(queue));
    }

    /// Destroys the descriptions, buffers and attributes. Refuses while queued work may use them.
    pub(crate) fn destroy(&self, api: Api, streams: &Shelf<RawStream>) -> Result<(), Error> {
        self.check_current()?;
        if !streams.has_done(&self.last_use) {
            return Err(Error::StillRunning { what: ObjectKind::OPERATOR });
        }
        if self.ending.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        // If the library has refused before, the gate is closed already, and what is left is tried once more.
        self.gate.close();
        let destroyed = self.take_down(api);
        self.ending.store(destroyed.is_ok(), Ordering::Release);
        destroyed
    }

    /// Destroys all records. Reports the first error and destroys the rest anyway. The next call tries only the refused
    /// records again.
    fn take_down(&self, api: Api) -> Result<(), Error> {
        let inputs = self.inputs.destroy(api);
        inputs.and(self.outputs.destroy(api)).and(self.attributes.destroy(api))
    }
}

impl TensorList {
    /// The place for `tensors` tensors. This calls nothing of the library.
    fn of(tensors: usize) -> Self {
        let (descs, buffers) = (iter::repeat_with(Cell::default), iter::repeat_with(Cell::default));
        Self { descs: descs.take(tensors).collect(), buffers: buffers.take(tensors).collect() }
    }

    fn fill(&self, api: Api, parts: &[TensorArgument]) -> Result<(), Error> {
        let places = self.descs.iter().zip(&self.buffers);
        places.zip(parts).try_for_each(|((desc, buffer), part)| Self::describe(api, desc, buffer, part))
    }

    fn describe(
        api: Api,
        desc: &Cell<*mut aclTensorDesc>,
        buffer: &Cell<*mut aclDataBuffer>,
        part: &TensorArgument,
    ) -> Result<(), Error> {
        // The buffer of an empty tensor describes the one byte that its block has (DATA-03).
        let (element, format, start, bytes) = match &part.memory {
            Some(TensorMemory { block, element, .. }) => {
                (element.raw(), aclFormat::ACL_FORMAT_ND, block.start(), block.bytes().max(1))
            }
            None => (aclDataType::ACL_DT_UNDEFINED, aclFormat::ACL_FORMAT_UNDEFINED, null_mut(), 0),
        };
        let count = c_int::try_from(part.dims.len()).unwrap_or(c_int::MAX);
        // SAFETY: the function reads `count` numbers at `dims`, and copies them (DATA-11). The slice has that many.
        let created = unsafe { call!(api.aclCreateTensorDesc(element, count, part.dims.as_ptr(), format)) };
        desc.set(created.pointer(DOING)?.as_ptr());
        // SAFETY: the function records the address and the size, and does not access the memory. `RawOperator` keeps
        // the blocks in place for the executions.
        let created = unsafe { call!(api.aclCreateDataBuffer(start, bytes)) };
        buffer.set(created.pointer(DOING)?.as_ptr());
        Ok(())
    }

    fn count(&self) -> c_int {
        c_int::try_from(self.descs.len()).unwrap_or(c_int::MAX)
    }

    /// The list of descriptions. A cell of a pointer has the layout of the pointer, and may be written through a shared
    /// reference.
    fn descs(&self) -> *mut *mut aclTensorDesc {
        self.descs.as_ptr().cast_mut().cast()
    }

    fn buffers(&self) -> *mut *mut aclDataBuffer {
        self.buffers.as_ptr().cast_mut().cast()
    }

    fn destroy(&self, api: Api) -> Result<(), Error> {
        let mut result = Ok(());
        for buffer in self.buffers.iter().filter(|buffer| !buffer.get().is_null()) {
            // SAFETY: the function asks for a live buffer that no work uses, once (DATA-05). `describe` created it,
            // null is stored when it is destroyed, and the stamps show that no execution is under way.
            let answer = unsafe { call!(api.aclDestroyDataBuffer(buffer.get())) };
            let destroyed = answer.done(|| "destroy a data buffer".into());
            if destroyed.is_ok() {
                buffer.set(null_mut());
            }
            result = result.and(destroyed);
        }
        for desc in self.descs.iter().filter(|desc| !desc.get().is_null()) {
            // SAFETY: the function asks for a live description that no work uses, once. `describe` created it, null is
            // stored when it is destroyed, and the stamps show that no execution is under way. The call cannot fail if
            // the function exists.
            let destroyed = unsafe { call!(api.aclDestroyTensorDesc(desc.get())) };
            let destroyed = destroyed.value(|| DOING.into());
            if destroyed.is_ok() {
                desc.set(null_mut());
            }
            result = result.and(destroyed);
        }
        result
    }
}
