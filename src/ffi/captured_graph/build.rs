//! Instances that are built task by task, on persistent streams of their own.
//!
//! Only the graph's row has the streams. They are on no shelf, so no wait and no work of the program can reach them
//! (STREAM-13): until the build ends their gates say that they are being captured, and afterwards nobody has their
//! handles.
//!
//! A run starts all streams at once. An instance has one end, which is on the first stream. So every other stream
//! begins with a wait for the first stream, and the first stream waits for the last work of each. An event between two
//! streams is recorded, waited for and reset in each run, so each run finds it in the same state.

use super::RawGraph;
use crate::error::{Error, ObjectKind};
use crate::ffi::call::{Function, call, checked, functions};
use crate::ffi::{Api, RawStream};
use ascendcl_macros::rule;
use ascendcl_sys::constants::{ACL_MODEL_STREAM_FLAG_HEAD, ACL_STREAM_PERSISTENT};
use ascendcl_sys::error_codes::ACL_ERROR_RT_STREAM_MODEL;
use ascendcl_sys::types::aclmdlRI;
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// The functions without which a graph could not be built, replayed and destroyed.
const NEEDED: [&str; 8] = [
    functions::aclmdlRIBuildBegin::NAME,
    functions::aclmdlRIBindStream::NAME,
    functions::aclmdlRIEndTask::NAME,
    functions::aclmdlRIBuildEnd::NAME,
    functions::aclmdlRIUnbindStream::NAME,
    functions::aclmdlRIDestroy::NAME,
    functions::aclmdlRIExecuteAsync::NAME,
    functions::aclrtCreateStreamWithConfig::NAME,
];

/// The streams of an instance that is built, until they are destroyed. The tasks of the build itself go to the first
/// one, those of branches to the others.
#[derive(Debug, Default)]
#[rule(STREAM_13)]
pub(super) struct Build {
    parts: Mutex<Vec<Part>>,
    /// The instance, from the moment when its streams are taken out of it. It is not replayed any more, only destroyed.
    taken_apart: AtomicPtr<c_void>,
}

#[derive(Clone, Debug)]
struct Part {
    stream: Arc<RawStream>,
    /// Whether the stream may be bound to the instance.
    is_bound: bool,
    /// Whether no branch uses the stream now.
    is_free: bool,
}

impl RawGraph {
    /// Begins to build the instance. What exists after an error can only be [destroyed](Self::destroy).
    #[rule(GRAPH_08)]
    pub(crate) fn begin_build(&self, api: Api) -> Result<(), Error> {
        api.check_functions(&NEEDED, "build a graph")?;
        let mut instance = aclmdlRI::NULL;
        // SAFETY: the function writes the handle to `instance` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety"). The flag is a plain value.
        let answer = unsafe { call!(api.aclmdlRIBuildBegin(&raw mut instance, 0)) };
        let instance = answer.wrote(instance, || "begin to build a graph".into())?;
        self.instance.store(instance.0, Ordering::Release);
        self.add_stream(api).map(drop)
    }

    /// Adds a stream to the instance that is being built. Each run starts it.
    #[rule(GRAPH_08)]
    fn add_stream(&self, api: Api) -> Result<Arc<RawStream>, Error> {
        let made = RawStream::create_with(api, 0, ACL_STREAM_PERSISTENT)?;
        let stream = Arc::new(RawStream::created(api, made));
        self.build.parts().push(Part { stream: Arc::clone(&stream), is_bound: true, is_free: false });
        stream.begin_capture(api, &self.held)?;
        let instance = self.instance();
        // SAFETY: the function asks for a live instance that is being built, and for a live persistent stream that is
        // part of no instance (GRAPH-08). The caller has the build, and destroying takes that; the stream was created
        // above, and nobody else knows it.
        let answer = unsafe { call!(api.aclmdlRIBindStream(instance, made, ACL_MODEL_STREAM_FLAG_HEAD)) };
        answer.done(|| "bind a stream to a graph".into())?;
        Ok(stream)
    }

    /// A stream for a branch of the build: one whose branch has ended, or a new one.
    pub(crate) fn stream_for_a_branch(&self, api: Api) -> Result<Arc<RawStream>, Error> {
        let free = self.build.parts().iter_mut().find(|part| part.is_free).map(|part| {
            part.is_free = false;
            Arc::clone(&part.stream)
        });
        free.map_or_else(|| self.add_stream(api), Ok)
    }

    /// Frees the stream of a branch that has ended, for another branch.
    pub(crate) fn release_branch_stream(&self, stream: &Arc<RawStream>) {
        let mut parts = self.build.parts();
        parts.iter_mut().filter(|part| Arc::ptr_eq(&part.stream, stream)).for_each(|part| part.is_free = true);
    }

    /// Whether this is a build, or was one.
    pub(crate) fn is_built(&self) -> bool {
        !self.build.parts().is_empty()
    }

    /// The stream that takes the tasks of the build.
    pub(crate) fn stream_of_the_build(&self) -> Result<Arc<RawStream>, Error> {
        self.check_current()?;
        let first = self.build.parts().first().map(|part| Arc::clone(&part.stream));
        first.ok_or(Error::Gone { what: ObjectKind::CAPTURED_GRAPH })
    }

    /// Ends the build: from here on the instance takes no tasks, and can be replayed. After an error it can only be
    /// [destroyed](Self::destroy).
    #[rule(GRAPH_08)]
    pub(crate) fn end_build(&self, api: Api) -> Result<(), Error> {
        let stream = self.stream_of_the_build()?;
        let instance = self.instance();
        let ended = stream.with_handle(|stream| {
            // SAFETY: the function asks for a live instance that is being built, and for a live stream that is bound to
            // it (GRAPH-08). The caller has the build, and destroying takes that. The stream was bound when the build
            // began, and only destroying the instance unbinds it.
            let answer = unsafe { call!(api.aclmdlRIEndTask(instance, stream)) };
            answer.done(|| "end the tasks of a graph".into())?;
            // SAFETY: the function asks for a live instance whose streams have ended their tasks, and for null
            // (GRAPH-08). The call above has ended the tasks of the first stream, for which all others are waited for,
            // and the caller has the build.
            let answer = unsafe { call!(api.aclmdlRIBuildEnd(instance, null_mut())) };
            answer.done(|| "end the build of a graph".into())
        });
        // The streams get no more tasks, also after an error.
        self.build.all().iter().for_each(|part| part.stream.end_capture());
        ended
    }
}

impl RawGraph {
    /// Withdraws a built instance from replays, and takes the streams out of it. It is about to be destroyed. A run
    /// without one of its streams would leave out that stream's tasks, so what a refusal leaves is only destroyed.
    #[rule(GRAPH_08)]
    pub(super) fn take_apart(&self, api: Api) -> Result<(), Error> {
        if !self.is_built() {
            return Ok(());
        }
        // A check that refuses leaves everything as it was.
        checked::<functions::aclmdlRIUnbindStream, _>(api)?;
        self.require_checks();
        let instance = self.instance.swap(null_mut(), Ordering::AcqRel);
        if !instance.is_null() {
            self.build.taken_apart.store(instance, Ordering::Release);
        }
        self.build.unbind(api)
    }
}

impl Build {
    /// The place of an instance that was [taken apart](RawGraph::take_apart).
    pub(super) fn taken_apart(&self) -> &AtomicPtr<c_void> {
        &self.taken_apart
    }

    /// Takes the streams out of the instance.
    fn unbind(&self, api: Api) -> Result<(), Error> {
        let instance = aclmdlRI(self.taken_apart.load(Ordering::Acquire));
        for Part { stream, .. } in self.all().into_iter().filter(|part| part.is_bound && !instance.is_null()) {
            stream.end_capture();
            stream.with_handle(|stream| {
                // SAFETY: the function asks for a live instance of the current context that is not running, and for a
                // live stream. `RawGraph::destroy` has compared owner and stamps, and the instance was withdrawn from
                // replays; the row is the only one to know the stream, and destroys it later.
                let answer = unsafe { call!(api.aclmdlRIUnbindStream(instance, stream)) };
                // The library refused to bind it.
                let was_not_bound = answer.code() == Some(ACL_ERROR_RT_STREAM_MODEL);
                let unbound = answer.done(|| "unbind a stream from a graph".into());
                if was_not_bound { Ok(()) } else { unbound }
            })?;
            self.parts()
                .iter_mut()
                .filter(|part| Arc::ptr_eq(&part.stream, &stream))
                .for_each(|part| part.is_bound = false);
        }
        Ok(())
    }

    /// Destroys the streams. The caller has destroyed the instance.
    pub(super) fn end(&self, api: Api) -> Result<(), Error> {
        for Part { stream, .. } in self.all() {
            // Without an instance, `unbind` did not do this.
            stream.end_capture();
            // No allocator is registered for it, so nothing of the user's is kept.
            stream.destroy(api, &mut Vec::new())?;
            self.parts().retain(|part| !Arc::ptr_eq(&part.stream, &stream));
        }
        Ok(())
    }

    fn all(&self) -> Vec<Part> {
        self.parts().clone()
    }

    fn parts(&self) -> MutexGuard<'_, Vec<Part>> {
        self.parts.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
