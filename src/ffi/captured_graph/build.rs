//! Instances that are built task by task, each on a persistent stream of its own.
//!
//! The stream belongs to the graph's row alone. It stands on no shelf, so nobody waits for it or queues on it
//! (STREAM-13): its gate says that it is being captured until the build ends, and nobody has its handle afterwards.

use super::RawGraph;
use crate::error::{Error, ObjectKind};
use crate::ffi::answer::lacks;
use crate::ffi::call::{Function, call, functions};
use crate::ffi::{Api, RawStream};
use ascendcl_macros::rule;
use ascendcl_sys::MissingSymbol;
use ascendcl_sys::constants::{ACL_MODEL_STREAM_FLAG_HEAD, ACL_STREAM_PERSISTENT};
use ascendcl_sys::error_codes::ACL_ERROR_RT_STREAM_MODEL;
use ascendcl_sys::types::aclmdlRI;
use core::ptr::null_mut;
use core::sync::atomic::Ordering;
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

/// The stream of an instance that is built, until it is destroyed.
#[derive(Debug, Default)]
#[rule(STREAM_13)]
pub(super) struct Build(Mutex<Option<Part>>);

#[derive(Clone, Debug)]
struct Part {
    stream: Arc<RawStream>,
    /// It may be part of the instance.
    is_bound: bool,
}

impl RawGraph {
    /// Begins to build the instance. After an error there is nothing, or something to be [destroyed](Self::destroy).
    #[rule(GRAPH_08)]
    pub(crate) fn begin_build(&self, api: Api) -> Result<(), Error> {
        self.is_current()?;
        api.can_build()?;
        let mut instance = aclmdlRI::NULL;
        // SAFETY: the function writes the handle to `instance` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety"). The flag is a plain value.
        let answer = unsafe { call!(api.aclmdlRIBuildBegin(&raw mut instance, 0)) };
        answer.done(|| "begin to build a graph".into())?;
        self.instance.store(instance.0, Ordering::Release);
        let made = RawStream::create_with(api, 0, ACL_STREAM_PERSISTENT)?;
        let stream = Arc::new(RawStream::created(made));
        *self.build.part() = Some(Part { stream: Arc::clone(&stream), is_bound: true });
        stream.begin_capture(api, &self.held)?;
        // SAFETY: the function asks for a live instance that is being built, and for a live persistent stream that is
        // part of no instance (GRAPH-08). Both were created above, and nobody else knows them.
        let answer = unsafe { call!(api.aclmdlRIBindStream(instance, made, ACL_MODEL_STREAM_FLAG_HEAD)) };
        answer.done(|| "bind a stream to a graph".into())
    }

    /// The stream that takes the tasks of the build.
    pub(crate) fn stream_of_the_build(&self) -> Result<Arc<RawStream>, Error> {
        self.is_current()?;
        let part = self.build.part().clone();
        part.map(|part| part.stream).ok_or(Error::Gone { what: ObjectKind::CAPTURED_GRAPH })
    }

    /// Ends the build: from here on the instance takes no tasks, and can be replayed. After an error it can only be
    /// [destroyed](Self::destroy).
    #[rule(GRAPH_08)]
    pub(crate) fn end_build(&self, api: Api) -> Result<(), Error> {
        let stream = self.stream_of_the_build()?;
        let instance = aclmdlRI(self.instance.load(Ordering::Acquire));
        let ended = stream.with_handle(|stream| {
            // SAFETY: the function asks for a live instance that is being built, and for a live stream that is bound to
            // it (GRAPH-08). The caller has the build, and destroying takes that. The stream was bound when the build
            // began, and only destroying the instance unbinds it.
            let answer = unsafe { call!(api.aclmdlRIEndTask(instance, stream)) };
            answer.done(|| "end the tasks of a graph".into())?;
            // SAFETY: the function asks for a live instance whose streams have ended their tasks, and for null
            // (GRAPH-08). That is what the call above has done for its only stream, and the caller has the build.
            let answer = unsafe { call!(api.aclmdlRIBuildEnd(instance, null_mut())) };
            answer.done(|| "end the build of a graph".into())
        });
        // Nothing follows on the stream, also after an error.
        stream.end_capture();
        ended
    }
}

impl Build {
    /// Takes the stream out of the instance that is about to be destroyed.
    pub(super) fn unbind(&self, api: Api, instance: aclmdlRI) -> Result<(), Error> {
        let bound = self.part().clone().filter(|part| part.is_bound && !instance.is_null());
        let Some(Part { stream, .. }) = bound else { return Ok(()) };
        stream.end_capture();
        stream.with_handle(|stream| {
            // SAFETY: the function asks for a live instance of the current context that is not running, and for a live
            // stream. The caller destroys the instance next, and has compared owner and stamps for that; the row is the
            // only one to know the stream, and destroys it later.
            let answer = unsafe { call!(api.aclmdlRIUnbindStream(instance, stream)) };
            // As after a binding that was refused.
            let was_not_bound = answer.code() == Some(ACL_ERROR_RT_STREAM_MODEL);
            let unbound = answer.done(|| "unbind a stream from a graph".into());
            if was_not_bound { Ok(()) } else { unbound }
        })?;
        if let Some(part) = self.part().as_mut() {
            part.is_bound = false;
        }
        Ok(())
    }

    /// Destroys the stream. Its instance is destroyed.
    pub(super) fn end(&self, api: Api) -> Result<(), Error> {
        let Some(Part { stream, .. }) = self.part().clone() else { return Ok(()) };
        // An instance that was never there has unbound nothing.
        stream.end_capture();
        // No allocator is registered for it, so nothing of the user's is kept.
        stream.destroy(api, &mut Vec::new())?;
        *self.part() = None;
        Ok(())
    }

    fn part(&self) -> MutexGuard<'_, Option<Part>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Api {
    /// An error when the library lacks a function that building needs.
    fn can_build(self) -> Result<(), Error> {
        let Some(missing) = self.loading().library().lacks_one_of(&NEEDED) else { return Ok(()) };
        let missing = MissingSymbol { symbol: missing.name, files: missing.files };
        Err(lacks(self.loading(), missing, "build a graph".into()))
    }
}
