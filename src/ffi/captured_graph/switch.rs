//! Switches of an instance that is built: a number in device memory says at each run which tasks come next.
//!
//! A switch jumps to the label of a list that has the number as its index. A number behind the end of the list selects
//! the last label, so a switch with a list of one label is an unconditional jump.

use crate::error::{Error, ObjectKind};
use crate::ffi::call::{Function, call, functions};
use crate::ffi::{Api, RawBuffer, RawStream};
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_PARAM_INVALID};
use ascendcl_sys::types::{aclrtLabel, aclrtLabelList};
use core::ffi::c_void;
use core::sync::atomic::AtomicPtr;
use std::sync::{Arc, Mutex, MutexGuard};

/// The functions that switches need.
const NEEDED: [&str; 6] = [
    functions::aclrtCreateLabel::NAME,
    functions::aclrtCreateLabelList::NAME,
    functions::aclrtSetLabel::NAME,
    functions::aclrtSwitchLabelByIndex::NAME,
    functions::aclrtDestroyLabelList::NAME,
    functions::aclrtDestroyLabel::NAME,
];

/// The labels of an instance and the lists of them. They stay until the instance is destroyed, because its tasks read
/// the lists at each run.
#[derive(Debug, Default)]
#[rule(STREAM_20)]
pub(crate) struct Labels(Mutex<Created>);

#[derive(Debug, Default)]
struct Created {
    labels: Vec<Handle>,
    lists: Vec<Handle>,
}

/// A label or a list.
#[derive(Debug)]
struct Handle {
    raw: AtomicPtr<c_void>,
    /// Whether the library has refused to destroy it: that call may have destroyed it.
    refused: bool,
}

/// A switch whose tasks are being added.
pub(crate) struct RawSwitch {
    /// The block whose first element is the number. The graph keeps it.
    index: Arc<RawBuffer>,
    cases: Vec<aclrtLabel>,
    end: aclrtLabel,
    leave: aclrtLabelList,
}

impl RawSwitch {
    /// Adds the label at which a case begins.
    #[rule(STREAM_20)]
    pub(crate) fn begin_case(&self, api: Api, stream: &RawStream, case: usize) -> Result<(), Error> {
        let label = self.cases.get(case).ok_or(Error::Gone { what: ObjectKind::CAPTURED_GRAPH })?;
        set(api, stream, *label)
    }

    /// Adds the jump from the end of a case to the end of the switch.
    pub(crate) fn end_case(&self, api: Api, stream: &RawStream) -> Result<(), Error> {
        self.jump(api, stream, self.leave, 1)
    }

    /// Adds the label to which all cases jump at their end.
    pub(crate) fn end(self, api: Api, stream: &RawStream) -> Result<(), Error> {
        set(api, stream, self.end)
    }

    fn jump(&self, api: Api, stream: &RawStream, to: aclrtLabelList, count: u32) -> Result<(), Error> {
        let index = self.index.start();
        stream.capture_call(api, "switch between tasks", |ready, stream| {
            // SAFETY: the function asks for four bytes of device memory that stay until the last run is done
            // (GRAPH-05), for a live list of at least `count` labels, and for a live stream that is bound to an
            // instance (STREAM-20). The caller has compared the length, and the graph keeps the block until its
            // instance is destroyed; lists are destroyed after the instance; `capture_call` passed the gate of the
            // stream, which only the build has.
            unsafe { call!(ready.aclrtSwitchLabelByIndex(index, count, to, stream)) }
        })
    }
}

fn set(api: Api, stream: &RawStream, label: aclrtLabel) -> Result<(), Error> {
    stream.capture_call(api, "set a label", |ready, stream| {
        // SAFETY: the function asks for a live label that was not set before, and for a live stream that is bound to an
        // instance (STREAM-20). Labels are destroyed after the instance, and each is set by one caller, once;
        // `capture_call` passed the gate of the stream, which only the build has.
        unsafe { call!(ready.aclrtSetLabel(label, stream)) }
    })
}

impl Labels {
    /// Adds a switch between `cases` cases to the stream of a build. The number at the start of `index`, which the
    /// graph keeps, selects the case. The caller then adds each case, and the [end](RawSwitch::end).
    #[rule(STREAM_20)]
    pub(crate) fn begin(
        &self,
        api: Api,
        stream: &RawStream,
        index: Arc<RawBuffer>,
        cases: usize,
    ) -> Result<RawSwitch, Error> {
        index.check_range_anywhere(0, size_of::<u32>())?;
        api.check_functions(&NEEDED, "switch between tasks")?;
        let created = (0..cases).map(|_| self.create(api)).collect::<Result<Vec<_>, _>>()?;
        let end = self.create(api)?;
        let choose = self.list(api, &created)?;
        let leave = self.list(api, &[end])?;
        // No process has more than 65535 labels.
        let count = u32::try_from(cases).unwrap_or(u32::MAX);
        let switch = RawSwitch { index, cases: created, end, leave };
        switch.jump(api, stream, choose, count)?;
        Ok(switch)
    }

    fn create(&self, api: Api) -> Result<aclrtLabel, Error> {
        let mut label = aclrtLabel::NULL;
        // SAFETY: the function writes the handle to `label` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(api.aclrtCreateLabel(&raw mut label)) };
        let label = answer.wrote(label, || "create a label".into())?;
        self.created().labels.push(Handle::new(label.0));
        Ok(label)
    }

    fn list(&self, api: Api, labels: &[aclrtLabel]) -> Result<aclrtLabelList, Error> {
        let mut list = aclrtLabelList::NULL;
        let mut labels = labels.to_vec();
        // SAFETY: the function asks for an array of as many live labels as stated, and writes the handle to `list`
        // during the call. The labels were created above and are in no other list; the vector is live and has as many;
        // a pointer to a live local is valid for writes (`core::ptr`, "Safety").
        let answer = unsafe { call!(api.aclrtCreateLabelList(labels.as_mut_ptr(), labels.len(), &raw mut list)) };
        let list = answer.wrote(list, || "create a list of labels".into())?;
        self.created().lists.push(Handle::new(list.0));
        Ok(list)
    }

    /// Destroys all labels and lists. The caller has destroyed the instance that used them. What is left after an error
    /// is tried again by the next call.
    pub(super) fn destroy(&self, api: Api) -> Result<(), Error> {
        while let Some(Handle { raw, refused }) = self.take(|created| &mut created.lists) {
            let list = raw.into_inner();
            // SAFETY: the function asks for a live list that no task uses, once. The caller has destroyed the instance,
            // and `take` has removed the list, so nobody else has it.
            let answer = unsafe { call!(api.aclrtDestroyLabelList(aclrtLabelList(list))) };
            // A call for it that failed before may have destroyed it.
            let was_gone = refused && answer.code() == Some(ACL_ERROR_RT_PARAM_INVALID);
            let left = Handle { raw: AtomicPtr::new(list), refused: refused || answer.code().is_some() };
            let destroyed = answer.done(|| "destroy a list of labels".into());
            if !was_gone {
                destroyed.inspect_err(|_| self.created().lists.push(left))?;
            }
        }
        while let Some(Handle { raw, refused }) = self.take(|created| &mut created.labels) {
            let label = raw.into_inner();
            // SAFETY: the function asks for a live label, once. The caller has destroyed the instance, the lists are
            // destroyed above, and `take` has removed the label, so nobody else has it.
            let answer = unsafe { call!(api.aclrtDestroyLabel(aclrtLabel(label))) };
            let was_gone = refused && answer.code() == Some(ACL_ERROR_RT_INVALID_HANDLE);
            let left = Handle { raw: AtomicPtr::new(label), refused: refused || answer.code().is_some() };
            let destroyed = answer.done(|| "destroy a label".into());
            if !was_gone {
                destroyed.inspect_err(|_| self.created().labels.push(left))?;
            }
        }
        Ok(())
    }

    /// Removes the last label or list, so that no lock is held while the library is called.
    fn take(&self, from: impl FnOnce(&mut Created) -> &mut Vec<Handle>) -> Option<Handle> {
        from(&mut self.created()).pop()
    }

    fn created(&self) -> MutexGuard<'_, Created> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Handle {
    fn new(raw: *mut c_void) -> Self {
        Self { raw: AtomicPtr::new(raw), refused: false }
    }
}
