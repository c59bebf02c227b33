//! Events.

use super::{deadline, limit, wanted};
use crate::abi::Out;
use crate::failure::{Answer, Failure};
use crate::machine::event::{self, Event, PLAIN, Status, find};
use crate::machine::{current_context, settings, submission_stream};
use crate::watch;
use ascendcl_rules::{Flag, Object, Op};
use ascendcl_sys::constants::*;
use ascendcl_sys::types::*;

pub(crate) fn aclrtCreateEvent(event: Out<'_, aclrtEvent>) -> Answer {
    create(event, PLAIN, Some(Flag::Plain))
}

pub(crate) fn aclrtCreateEventWithFlag(event: Out<'_, aclrtEvent>, flag: u32) -> Answer {
    create(event, flag, None)
}

pub(crate) fn aclrtCreateEventExWithFlag(event: Out<'_, aclrtEvent>, flag: u32) -> Answer {
    create(event, flag, Some(Flag::Ex))
}

fn create(mut event: Out<'_, aclrtEvent>, flags: u32, kind: Option<Flag>) -> Answer {
    /// These exclude every other flag.
    const ALONE: u32 = ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;
    const KNOWN: u32 = PLAIN | ACL_EVENT_DEVICE_USE_ONLY | ALONE;
    wanted(&event)?;
    if flags == 0 || flags & !KNOWN != 0 || (flags & ALONE != 0 && !flags.is_power_of_two()) {
        return Err(Failure::refused(format!("{flags:#x} is no combination of event flags")));
    }
    let call = watch::call(Op::Create, Object::event(0))
        .flag(Flag::Waitable, flags & ACL_EVENT_SYNC != 0)
        .flag(Flag::Timed, flags & ACL_EVENT_TIME_LINE != 0);
    let call = kind.into_iter().fold(call, |call, kind| call.flag(kind, true)).begin()?;
    let created = event::create(current_context()?.device(), flags, kind == Some(Flag::Ex))?;
    call.made(created.0.addr());
    event.set(created);
    Ok(())
}

pub(crate) fn aclrtDestroyEvent(event: aclrtEvent) -> Answer {
    watch::call(Op::Destroy, event).begin()?.end(event::destroy(event))
}

pub(crate) fn aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream) -> Answer {
    let call = watch::call(Op::Record, event).queue(stream).begin()?;
    let event = find(event)?;
    call.end(event.record(&submission_stream(stream)?))
}

pub(crate) fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> Answer {
    let call = watch::call(Op::Reset, event).queue(stream).begin()?;
    let event = find(event)?;
    call.end(event.reset(&submission_stream(stream)?))
}

pub(crate) fn aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent) -> Answer {
    let call = watch::call(Op::Await, event).queue(stream).begin()?;
    let event = find(event)?;
    call.end(event.hold_up(&submission_stream(stream)?, settings::wait_limit()))
}

/// In seconds.
pub(crate) fn aclrtSetOpWaitTimeout(timeout: u32) -> Answer {
    current_context()?;
    settings::limit_waits(timeout);
    Ok(())
}

pub(crate) fn aclrtStreamWaitEventWithTimeout(stream: aclrtStream, event: aclrtEvent, timeout: i32) -> Answer {
    let call = watch::call(Op::Await, event).queue(stream).begin()?;
    let event = find(event)?;
    let limit = limit(timeout)?;
    call.end(event.hold_up(&submission_stream(stream)?, limit))
}

pub(crate) fn aclrtSynchronizeEvent(event: aclrtEvent) -> Answer {
    let call = watch::call(Op::Synchronize, event).begin()?;
    call.end(find(event)?.synchronize(None))
}

pub(crate) fn aclrtSynchronizeEventWithTimeout(event: aclrtEvent, timeout: i32) -> Answer {
    let call = watch::call(Op::Synchronize, event).begin()?;
    let event = find(event)?;
    call.end(event.synchronize(deadline(timeout)?))
}

pub(crate) fn aclrtQueryEventStatus(event: aclrtEvent, mut status: Out<'_, aclrtEventRecordedStatus>) -> Answer {
    wanted(&status)?;
    let call = watch::call(Op::Query, event).begin()?;
    status.set(match call.found(is_complete(&*find(event)?)?) {
        true => aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE,
        false => aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY,
    });
    Ok(())
}

pub(crate) fn aclrtQueryEvent(event: aclrtEvent, mut status: Out<'_, aclrtEventStatus>) -> Answer {
    wanted(&status)?;
    let call = watch::call(Op::Query, event).begin()?;
    let event = find(event)?;
    not_ex(&event)?;
    status.set(match call.found(is_complete(&event)?) {
        true => aclrtEventStatus::ACL_EVENT_STATUS_COMPLETE,
        false => aclrtEventStatus::ACL_EVENT_STATUS_NOT_READY,
    });
    Ok(())
}

pub(crate) fn aclrtQueryEventWaitStatus(event: aclrtEvent, mut status: Out<'_, aclrtEventWaitStatus>) -> Answer {
    wanted(&status)?;
    let event = find(event)?;
    not_ex(&event)?;
    status.set(match event.waits_are_over() {
        true => aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_COMPLETE,
        false => aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_NOT_READY,
    });
    Ok(())
}

pub(crate) fn aclrtEventElapsedTime(mut ms: Out<'_, f32>, start_event: aclrtEvent, end_event: aclrtEvent) -> Answer {
    wanted(&ms)?;
    let call = watch::call(Op::Elapsed, start_event).with(end_event).begin()?;
    let (start, end) = (find(start_event)?, find(end_event)?);
    let elapsed = end.since(&start)?;
    ms.set(elapsed.as_secs_f32() * 1e3);
    call.end(Ok(()))
}

/// In microseconds.
pub(crate) fn aclrtEventGetTimestamp(event: aclrtEvent, mut timestamp: Out<'_, u64>) -> Answer {
    wanted(&timestamp)?;
    timestamp.set(event::clock(find(event)?.time()?));
    Ok(())
}

pub(crate) fn aclrtGetEventAvailNum(mut event_count: Out<'_, u32>) -> Answer {
    wanted(&event_count)?;
    let left = current_context()?.device().events_left();
    event_count.set(u32::try_from(left).unwrap_or(u32::MAX));
    Ok(())
}

pub(crate) fn aclrtGetEventId(event: aclrtEvent, mut event_id: Out<'_, u32>) -> Answer {
    wanted(&event_id)?;
    event_id.set(find(event)?.id());
    Ok(())
}

fn is_complete(event: &Event) -> Answer<bool> {
    Ok(match event.status()? {
        Status::Complete => true,
        Status::Pending => false,
        Status::NeverRecorded => event.is_ex(),
    })
}

fn not_ex(event: &Event) -> Answer {
    if event.is_ex() {
        return Err(Failure::unsupported("an event made by aclrtCreateEventExWithFlag has no such query"));
    }
    Ok(())
}
