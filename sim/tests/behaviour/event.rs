//! Events: order of record and wait, flags, destroyed handles.

use crate::case::saw;
use crate::objects::{device_0, event, stream};
use ascendcl_sys::constants::{ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_SYNC};
use ascendcl_sys::types::*;
use core::ptr::null_mut;

pub(crate) const CASES: &[(&str, fn())] =
    &[("event: misuse", misuse), ("event: flags", flags), ("event: destroyed event", destroyed_event)];

fn misuse() {
    device_0();
    let (stream, default, none) = (stream(), aclrtStream::NULL, aclrtEvent::NULL);
    let mut e = aclrtEvent::NULL;
    row!("CreateEvent(NULL)", event::aclrtCreateEvent(null_mut()));
    row!("CreateEvent", event::aclrtCreateEvent(&mut e));
    row!("RecordEvent(e, NULL stream) = default stream", event::aclrtRecordEvent(e, default));
    row!("RecordEvent(NULL, s)", event::aclrtRecordEvent(none, stream));
    row!("SynchronizeEvent(NULL)", event::aclrtSynchronizeEvent(none));
    row!("DestroyEvent(NULL)", event::aclrtDestroyEvent(none));
    row!("StreamWaitEvent(s, NULL)", event::aclrtStreamWaitEvent(stream, none));
    row!("StreamWaitEvent(NULL, e)", event::aclrtStreamWaitEvent(default, e));
    never_recorded(e, stream);
    row!("ResetEvent(e, s)", event::aclrtResetEvent(e, stream));
    row!("ResetEvent(never recorded, s)", event::aclrtResetEvent(event(), stream));
    row!("QueryEventStatus(e, NULL)", event::aclrtQueryEventStatus(e, null_mut()));
    row!("CreateEventWithFlag(flag 0)", event::aclrtCreateEventWithFlag(&mut e, 0));
    row!("CreateEventWithFlag(flag 0xFFFFFFFF)", event::aclrtCreateEventWithFlag(&mut e, 0xFFFF_FFFF));
    row!("CreateEventExWithFlag(flag 0)", event::aclrtCreateEventExWithFlag(&mut e, 0));
}

fn never_recorded(recorded: aclrtEvent, stream: aclrtStream) {
    let never = event();
    let (mut status, mut ms) = (aclrtEventRecordedStatus(9), -1.0);
    row!("QueryEventStatus(never recorded)", event::aclrtQueryEventStatus(never, &mut status));
    saw(format!("status={} (0=NOT_READY 1=COMPLETE)", status.0));
    row!("SynchronizeEvent(never recorded)", event::aclrtSynchronizeEvent(never));
    row!("StreamWaitEvent(s, never recorded)", event::aclrtStreamWaitEvent(stream, never));
    row!("EventElapsedTime(recorded, never recorded)", event::aclrtEventElapsedTime(&mut ms, recorded, never));
    saw(format!("ms={ms:.6}"));
    row!("EventElapsedTime(NULL out)", event::aclrtEventElapsedTime(null_mut(), recorded, recorded));
}

fn flags() {
    device_0();
    let stream = stream();
    let (mut a, mut b, mut progress, mut ms) = (aclrtEvent::NULL, aclrtEvent::NULL, aclrtEvent::NULL, -1.0);
    row!("CreateEventWithFlag(ACL_EVENT_SYNC)", event::aclrtCreateEventWithFlag(&mut a, ACL_EVENT_SYNC));
    row!("CreateEventWithFlag(ACL_EVENT_SYNC)", event::aclrtCreateEventWithFlag(&mut b, ACL_EVENT_SYNC));
    row!("RecordEvent a", event::aclrtRecordEvent(a, stream));
    row!("RecordEvent b", event::aclrtRecordEvent(b, stream));
    row!("EventElapsedTime on events without TIME_LINE", event::aclrtEventElapsedTime(&mut ms, a, b));
    saw(format!("ms={ms:.6}"));
    row!("SynchronizeEvent(event with SYNC flag)", event::aclrtSynchronizeEvent(a));
    row!(
        "CreateEventWithFlag(ACL_EVENT_CAPTURE_STREAM_PROGRESS)",
        event::aclrtCreateEventWithFlag(&mut progress, ACL_EVENT_CAPTURE_STREAM_PROGRESS)
    );
    row!("RecordEvent", event::aclrtRecordEvent(progress, stream));
    row!("StreamWaitEvent(s, event w/o SYNC flag)", event::aclrtStreamWaitEvent(stream, progress));
    row!("SynchronizeEvent", event::aclrtSynchronizeEvent(progress));
}

fn destroyed_event() {
    device_0();
    let (stream, destroyed) = (stream(), event());
    let mut status = aclrtEventRecordedStatus(9);
    row!("DestroyEvent", event::aclrtDestroyEvent(destroyed));
    row!("QueryEventStatus(destroyed)", event::aclrtQueryEventStatus(destroyed, &mut status));
    row!("RecordEvent(destroyed, s)", event::aclrtRecordEvent(destroyed, stream));
    row!("SynchronizeEvent(destroyed)", event::aclrtSynchronizeEvent(destroyed));
    row!("DestroyEvent again", event::aclrtDestroyEvent(destroyed));
}
