//! Captures: how they begin, which streams take part, and how they end.

use super::RawGraph;
use super::open::Capture;
use crate::capture_mode::CaptureMode;
use crate::error::{Error, ObjectKind};
use crate::ffi::answer::written;
use crate::ffi::call::{Function, call, functions};
use crate::ffi::{Api, RawStream};
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CAPTURED,
    ACL_ERROR_RT_STREAM_NOT_CAPTURED,
};
use ascendcl_sys::types::{aclmdlRI, aclmdlRICaptureStatus, aclrtStream};
use core::sync::atomic::Ordering;
use std::mem;
use std::sync::{Arc, MutexGuard};

/// The functions that are required to capture, replay and destroy a graph.
const NEEDED: [&str; 6] = [
    functions::aclmdlRICaptureBegin::NAME,
    functions::aclmdlRICaptureEnd::NAME,
    functions::aclmdlRICaptureGetInfo::NAME,
    functions::aclmdlRIDestroy::NAME,
    functions::aclmdlRIExecuteAsync::NAME,
    functions::aclrtCreateEventExWithFlag::NAME,
];

impl RawGraph {
    /// Begins to capture the stream. After an error nothing has changed, unless the capture [is left](Self::is_left)
    /// open.
    #[rule(GRAPH_01)]
    pub(crate) fn begin(&self, api: Api, stream: &Arc<RawStream>, mode: CaptureMode) -> Result<(), Error> {
        api.check_functions(&NEEDED, "capture a stream")
            .map_err(|lacking| Error::CaptureUnsupported(Box::new(lacking)))?;
        self.join_capture(api, stream)?;
        if stream.allocator().is_some() {
            self.restrict_replays_to(stream);
        }
        let raw_mode = {
            let mut capture = self.capture();
            capture.mode = mode;
            capture.raw_mode()
        };
        // SAFETY: the function asks for a live stream. The caller has borrowed the stream's only handle, and destroying
        // takes that handle (STREAM-07).
        let answer = unsafe { call!(api.aclmdlRICaptureBegin(stream.raw(), raw_mode)) };
        let code = answer.code();
        let begun = answer.done(|| "begin to capture a stream".into());
        begun.map_err(|error| {
            match code {
                // Other code is capturing the stream, and will end that capture.
                None | Some(ACL_ERROR_RT_FEATURE_NOT_SUPPORT | ACL_ERROR_RT_STREAM_CAPTURED) => self.release(),
                // The capture may have begun although the call failed.
                Some(_) => drop(self.end(api)),
            }
            match code {
                Some(ACL_ERROR_RT_FEATURE_NOT_SUPPORT) => Error::CaptureUnsupported(Box::new(error)),
                _ => error,
            }
        })
    }

    /// Adds another stream to the capture, until the capture ends. Until then the stream takes only work of the
    /// capture.
    ///
    /// # Errors
    ///
    /// [`Error::Capturing`] if the stream is part of another capture, or the error of the wait for work with borrowed
    /// memory.
    pub(crate) fn join_capture(&self, api: Api, stream: &Arc<RawStream>) -> Result<(), Error> {
        if self.capture().streams.iter().any(|known| Arc::ptr_eq(known, stream)) {
            return Ok(());
        }
        stream.begin_capture(api, &self.held)?;
        self.capture().streams.push(Arc::clone(stream));
        Ok(())
    }

    /// Ends the capture. After an error there is no instance, or there is one that must be [destroyed](Self::destroy)
    /// without being run. The streams then take other work again, unless the capture [is left](Self::is_left) open.
    #[rule(GRAPH_01)]
    pub(crate) fn end(&self, api: Api) -> Result<(), Error> {
        // A thread that destroys one of the streams also ends the capture. If two threads did so at a time, the second
        // one would find neither a capture nor an instance, because the first one has not stored the instance yet.
        if self.is_ending.swap(true, Ordering::AcqRel) {
            return Err(Error::Capturing);
        }
        let ended = self.end_now(api);
        self.is_ending.store(false, Ordering::Release);
        ended
    }

    fn end_now(&self, api: Api) -> Result<(), Error> {
        self.update.close(api)?;
        let Some(first) = self.capture().streams.first().cloned() else {
            // Another thread has ended it, or a reset of the device.
            return match self.instance() {
                aclmdlRI::NULL => Err(Error::Gone { what: ObjectKind::CAPTURED_GRAPH }),
                _ => Ok(()),
            };
        };
        let bodies = self.end_bodies(api);
        let mut instance = aclmdlRI::NULL;
        let mut over = true;
        let ended = first.with_handle(|stream| {
            // SAFETY: the function asks for a live stream, and writes the handle to `instance` during the call.
            // `with_handle` passes the gate, so the stream is not destroyed meanwhile (STREAM-07); a pointer to a live
            // local is valid for writes (`core::ptr`, "Safety").
            let answer = unsafe { call!(api.aclmdlRICaptureEnd(stream, &raw mut instance)) };
            let code = answer.code();
            let ended = answer.done(|| "end a capture".into());
            over = ended.is_ok()
                || !instance.is_null()
                || matches!(code, Some(ACL_ERROR_RT_STREAM_NOT_CAPTURED | ACL_ERROR_RT_INVALID_HANDLE))
                || is_over(api, stream);
            ended
        });
        let ended = bodies.and(ended).and(written(instance, functions::aclmdlRICaptureEnd::NAME).map(drop));
        if !instance.is_null() {
            // After a refusal nobody knows whether the instance has all tasks, so it is only destroyed.
            let place = if ended.is_ok() { &self.instance } else { self.update.spoilt() };
            place.store(instance.0, Ordering::Release);
        }
        match over {
            true => self.release(),
            false => self.capture().is_left = true,
        }
        ended
    }

    /// Ends the capture for all its streams, because it is over.
    pub(super) fn release(&self) {
        let Capture { streams, bodies, .. } = mem::take(&mut *self.capture());
        streams.iter().for_each(|stream| stream.end_capture());
        bodies.iter().for_each(|body| body.stream().end_capture());
    }

    /// Whether the capture could not be ended. The end of the scope, or of its stream, tries again.
    pub(crate) fn is_left(&self) -> bool {
        self.capture().is_left || self.update.is_left()
    }

    pub(super) fn capture(&self) -> MutexGuard<'_, Capture> {
        self.capture.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Whether the library reports that the stream is not being captured.
pub(super) fn is_over(api: Api, stream: aclrtStream) -> bool {
    let (mut status, mut instance) = (aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE, aclmdlRI::NULL);
    // SAFETY: the function asks for a live stream, and writes to `status` and `instance` during the call. The caller
    // has passed the stream's gate; pointers to live locals are valid for writes (`core::ptr`, "Safety").
    let answer = unsafe { call!(api.aclmdlRICaptureGetInfo(stream, &raw mut status, &raw mut instance)) };
    answer.is_success() && status == aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_NONE
}
