//! Conditions of a capture: a number in device memory says at each replay whether the bodies of a task run.
//!
//! The library makes an instance for each body. The body is captured on a stream of its own. Its instance ends with the
//! graph's instance, and the program never gets it (GRAPH-10). The capture of the graph cannot end before those of its
//! bodies. So each body has an entry from its creation until its capture has ended, and ending the graph's capture
//! first ends the captures of the bodies that still have an entry.

use super::RawGraph;
use super::capture::is_over;
use super::open::{Body, BodyId, ConditionKind};
use crate::error::Error;
use crate::ffi::answer::written;
use crate::ffi::call::{Function, call, functions};
use crate::ffi::stream::aligned;
use crate::ffi::{Api, RawBuffer, RawStream};
use ascendcl_macros::rule;
use ascendcl_sys::error_codes::{
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_NOT_CAPTURED,
};
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Arc;

/// The functions that conditions need.
const NEEDED: [&str; 4] = [
    functions::aclmdlRICondHandleCreate::NAME,
    functions::aclmdlRICondHandleGetCondPtr::NAME,
    functions::aclmdlRIAddCondTask::NAME,
    functions::aclmdlRICaptureToModelRIBegin::NAME,
];

/// A condition whose task is about to be added.
#[derive(Debug)]
pub(crate) struct RawCondition {
    handle: aclmdlRICondHandle,
    /// Device memory of the library: the number.
    number: *mut u64,
}

impl RawCondition {
    /// Adds the tasks that set the number to the first element of `from`. That element has 32 bits, and the graph keeps
    /// `from`.
    pub(crate) fn follow(&self, api: Api, stream: &RawStream, from: &RawBuffer) -> Result<(), Error> {
        const BYTES: usize = size_of::<u64>();
        let side = from.home().side();
        let kind = api.direction(side, side);
        aligned(kind, size_of::<u32>(), [self.number.cast_const().cast(), from.start().cast_const()])?;
        let number = self.number.cast::<c_void>();
        stream.capture_call(api, "set the number of a condition", |ready, stream| {
            // SAFETY: the function asks for a live stream, and for eight bytes of device memory that stay until the
            // last replay is done (GRAPH-05). `capture_call` passed the gate. The library made the memory for this
            // number, and frees it with the graph's instance.
            unsafe { call!(ready.aclrtMemsetAsync(number, BYTES, 0, BYTES, stream)) }
        })?;
        stream.capture_call(api, "copy the number of a condition", |ready, stream| {
            // SAFETY: the function asks for a live stream, and for memory that stays until the last replay is done
            // (GRAPH-05). `capture_call` passed the gate. The library made eight bytes for the number, and frees them
            // with the graph's instance. The block has four bytes, as `begin_condition` has compared, and the graph
            // keeps it.
            unsafe {
                call!(ready.aclrtMemcpyAsync(number, BYTES, from.start().cast_const(), size_of::<u32>(), kind, stream))
            }
        })
    }
}

impl RawGraph {
    /// Makes a condition on a stream of the capture, for a number at the start of `from`. After an error nothing was
    /// added to the capture.
    pub(crate) fn begin_condition(&self, api: Api, on: &RawStream, from: &RawBuffer) -> Result<RawCondition, Error> {
        from.check_range_anywhere(0, size_of::<u32>())?;
        api.check_functions(&NEEDED, "make a condition")
            .map_err(|lacking| Error::ConditionsUnsupported(Box::new(lacking)))?;
        let mut status = aclmdlRICaptureStatus::ACL_MODEL_RI_CAPTURE_STATUS_NONE;
        let (mut instance, mut handle, mut number) = (aclmdlRI::NULL, aclmdlRICondHandle(null_mut()), null_mut());
        on.capture_call(api, "find the graph of a capture", |ready, stream| {
            // SAFETY: the function asks for a live stream, and writes to `status` and `instance` during the call.
            // `capture_call` passed the gate; pointers to live locals are valid for writes (`core::ptr`, "Safety").
            unsafe { call!(ready.aclmdlRICaptureGetInfo(stream, &raw mut status, &raw mut instance)) }
        })?;
        let instance = written(instance, functions::aclmdlRICaptureGetInfo::NAME)?;
        let flag = aclmdlRICondHandleFlag::ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT;
        let mut code = None;
        let made = on.capture_call(api, "make a condition", |ready, _| {
            // SAFETY: the function asks for an instance that is being captured, and writes the handle during the call.
            // The call above returned the instance, whose capture this thread ends later; a pointer to a live local is
            // valid for writes (`core::ptr`, "Safety").
            let answer = unsafe { call!(ready.aclmdlRICondHandleCreate(instance, 0, flag, &raw mut handle)) };
            code = answer.code();
            answer
        });
        made.map_err(|error| match code {
            Some(ACL_ERROR_RT_FEATURE_NOT_SUPPORT) => Error::ConditionsUnsupported(Box::new(error)),
            _ => error,
        })?;
        let handle = written(handle, functions::aclmdlRICondHandleCreate::NAME)?;
        on.capture_call(api, "find the number of a condition", |ready, _| {
            // SAFETY: the function asks for a live condition, and writes the address during the call. It was made above,
            // and lives as long as the instance; a pointer to a live local is valid for writes (`core::ptr`, "Safety").
            unsafe { call!(ready.aclmdlRICondHandleGetCondPtr(handle, &raw mut number)) }
        })?;
        let number = written(number, functions::aclmdlRICondHandleGetCondPtr::NAME)?;
        Ok(RawCondition { handle, number })
    }

    /// Adds the task of a condition. Its `N` bodies are captured on `side`, one after the other. Each of them must be
    /// captured, also after an error.
    #[rule(GRAPH_10)]
    pub(crate) fn add_condition<const N: usize>(
        &self,
        api: Api,
        on: &RawStream,
        side: &Arc<RawStream>,
        condition: &RawCondition,
        kind: ConditionKind,
    ) -> Result<[BodyId; N], Error> {
        let mut bodies = [aclmdlRI::NULL; N];
        let kind = match kind {
            ConditionKind::If => aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_IF,
            ConditionKind::While => aclmdlRICondTaskType::ACL_MODEL_RI_COND_TYPE_WHILE,
        };
        let added = on.capture_call(api, "add a condition", |ready, stream| {
            let params = aclmdlRICondTaskParams {
                handle: condition.handle,
                kind,
                size: u32::try_from(N).unwrap_or(u32::MAX),
                modelRIArray: bodies.as_mut_ptr(),
            };
            // SAFETY: the function asks for a live condition that has no task yet, for a live stream that is captured
            // for the same instance, and for room for `N` handles, which it writes during the call. The condition was
            // made on this stream for this task; `capture_call` passed the gate; the array is a live local of `N`
            // elements.
            unsafe { call!(ready.aclmdlRIAddCondTask(params, stream, 0)) }
        });
        let task = {
            let mut capture = self.capture();
            capture.conditions += 1;
            let task = capture.conditions;
            // A call that failed may have made bodies.
            let made = bodies.iter().enumerate().filter(|(_, body)| !body.is_null()).map(|(place, body)| Body {
                task,
                place,
                instance: AtomicPtr::new(body.0),
                stream: Arc::clone(side),
                is_begun: false,
                is_in_doubt: false,
            });
            capture.bodies.extend(made);
            task
        };
        added?;
        bodies.iter().try_for_each(|body| written(*body, functions::aclmdlRIAddCondTask::NAME).map(drop))?;
        Ok(core::array::from_fn(|place| BodyId { task, place }))
    }

    /// Begins to capture this body on its stream.
    #[rule(GRAPH_10)]
    pub(crate) fn begin_body(&self, api: Api, body: BodyId) -> Result<(), Error> {
        let (instance, stream, mode) = {
            let mut capture = self.capture();
            let mode = capture.raw_mode();
            // The library may have refused to end a body before.
            let has_begun = |other: &Body| other.task == body.task && other.is_begun;
            if capture.bodies.iter().any(has_begun) {
                return Err(Error::Capturing);
            }
            let Some(body) = capture.bodies.iter_mut().find(|other| other.is(body)) else {
                return Err(Error::OtherCapture);
            };
            body.is_begun = true;
            (body.instance.load(Ordering::Acquire), Arc::clone(&body.stream), mode)
        };
        let begun = stream.capture_call(api, "begin to capture a body", |ready, stream| {
            // SAFETY: the function asks for a live stream that is not captured, and for the instance of a body that was
            // not captured before. `capture_call` passed the gate, which says that this capture has the stream; bodies
            // of one task are captured one after the other. The library made the instance for a task of this capture.
            unsafe { call!(ready.aclmdlRICaptureToModelRIBegin(stream, aclmdlRI(instance), mode)) }
        });
        if begun.is_err() {
            // The capture may have begun although the call failed.
            let mut is_begun = false;
            let _ = stream.with_handle(|stream| {
                is_begun = !is_over(api, stream);
                Ok(())
            });
            for body in self.capture().bodies.iter_mut().filter(|other| other.is(body)) {
                (body.is_begun, body.is_in_doubt) = (is_begun, true);
            }
        }
        begun
    }

    /// Ends the capture of a body. If the library refuses, the end of the whole capture tries again.
    #[rule(GRAPH_01)]
    pub(crate) fn end_body(&self, api: Api, body: BodyId) -> Result<(), Error> {
        let begun = |other: &&Body| other.is(body) && other.is_begun;
        let stream = self.capture().bodies.iter().find(begun).map(|body| Arc::clone(&body.stream));
        let Some(stream) = stream else { return Ok(()) };
        let (mut instance, mut over, mut was_none) = (aclmdlRI::NULL, true, false);
        let ended = stream.with_handle(|stream| {
            // SAFETY: the function asks for a live stream, and writes the handle to `instance` during the call.
            // `with_handle` passes the gate, so the stream is not destroyed meanwhile (STREAM-07); a pointer to a live
            // local is valid for writes (`core::ptr`, "Safety"). The instance is that of the body, which nobody destroys
            // (GRAPH-10).
            let answer = unsafe { call!(api.aclmdlRICaptureEnd(stream, &raw mut instance)) };
            let code = answer.code();
            let ended = answer.done(|| "end the capture of a body".into());
            was_none = matches!(code, Some(ACL_ERROR_RT_STREAM_NOT_CAPTURED | ACL_ERROR_RT_INVALID_HANDLE));
            over = ended.is_ok() || was_none || is_over(api, stream);
            ended
        });
        let mut capture = self.capture();
        let own = capture.bodies.iter_mut().find(|other| other.is(body));
        match own.filter(|body| body.is_in_doubt && was_none) {
            Some(body) => body.is_begun = false,
            None if over => capture.bodies.retain(|other| !other.is(body)),
            None => {}
        }
        ended
    }

    /// Ends the captures of all bodies that are left. A body whose capture has not begun is captured without a task,
    /// because the capture of the graph cannot end otherwise. Returns the first error.
    pub(super) fn end_bodies(&self, api: Api) -> Result<(), Error> {
        let mut result = Ok(());
        // A body whose begin is in doubt may take three rounds.
        let rounds = 3 * self.capture().bodies.len();
        for _ in 0..rounds {
            // Inner tasks come behind outer ones. The bodies of one task share a stream, so one that has begun comes
            // first.
            let Some((body, is_begun)) = self.last_body() else { break };
            let stream = self.capture().bodies.last().map(|body| Arc::clone(&body.stream));
            let begun = if is_begun { Ok(()) } else { self.begin_body(api, body) };
            let ended = self.end_body(api, body);
            result = result.and(begun).and(ended);
            stream.iter().for_each(|stream| self.release_body_stream(stream));
        }
        result
    }

    fn last_body(&self) -> Option<(BodyId, bool)> {
        let capture = self.capture();
        let task = capture.bodies.last()?.task;
        let of_the_task = || capture.bodies.iter().filter(|body| body.task == task);
        let body = of_the_task().find(|body| body.is_begun).or_else(|| of_the_task().next())?;
        Some((BodyId { task, place: body.place }, body.is_begun))
    }

    /// Reserves a stream for the bodies of a condition. It takes no other work until it is
    /// [released](Self::release_body_stream).
    pub(crate) fn reserve_body_stream(&self, api: Api, side: &RawStream) -> Result<(), Error> {
        side.begin_capture(api, &self.held)
    }

    /// Lets the stream take other work again, unless the capture of a body is left on it.
    pub(crate) fn release_body_stream(&self, side: &Arc<RawStream>) {
        if !self.capture().bodies.iter().any(|body| Arc::ptr_eq(&body.stream, side)) {
            side.end_capture();
        }
    }
}
