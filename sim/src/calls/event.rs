//! Events.

use super::{deadline, limit, not_below_minus_one, wanted};
use crate::abi::Out;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::{Named, submission_stream};
use crate::machine::device::settings;
use crate::machine::event::{self, ACROSS_DEVICES, Event, Made, PLAIN, Status, find};
use crate::machine::watch;
use ascendcl_rules::{Flag, Object, Op};
use ascendcl_sys::constants::*;
use ascendcl_sys::types::*;
use std::time::Duration;

pub(crate) fn aclrtCreateEvent(event: Out<'_, aclrtEvent>) -> Answer {
    create(event, PLAIN, Made::Plain)
}

pub(crate) fn aclrtCreateEventWithFlag(event: Out<'_, aclrtEvent>, flag: u32) -> Answer {
    create(event, flag, Made::WithFlag)
}

pub(crate) fn aclrtCreateEventExWithFlag(event: Out<'_, aclrtEvent>, flag: u32) -> Answer {
    create(event, flag, Made::Ex)
}

fn create(mut event: Out<'_, aclrtEvent>, flags: u32, made: Made) -> Answer {
    const TOGETHER: u32 = PLAIN | ACROSS_DEVICES;
    wanted(&event)?;
    let refused = || Failure::refused(format!("{flags:#x} is no combination of event flags"));
    match (flags, made) {
        (0, _) => return Err(refused()),
        (flags, _) if flags & !TOGETHER == 0 => {}
        (ACL_EVENT_EXTERNAL, Made::WithFlag) => {}
        (ACL_EVENT_DEVICE_USE_ONLY, Made::WithFlag) | (ACL_EVENT_IPC, Made::Ex) => {
            return Err(Failure::unsupported(format!("this device has no events of the flag {flags:#x}")));
        }
        _ => return Err(refused()),
    }
    let kind = match made {
        Made::Plain => Some(Flag::Plain),
        Made::WithFlag => None,
        Made::Ex => Some(Flag::Ex),
    };
    let call = watch::call(Op::Create, Object::event(0))
        .flag(Flag::Waitable, flags & ACL_EVENT_SYNC != 0)
        .flag(Flag::Timed, flags & ACL_EVENT_TIME_LINE != 0);
    let call = kind.into_iter().fold(call, |call, kind| call.flag(kind, true)).begin()?;
    let created = event::create(current_context()?.device(), flags, made)?;
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

/// The flag is 0: an event that others outside record, too, is recorded in a capture of newer devices alone.
pub(crate) fn aclrtRecordEventWithFlag(event: aclrtEvent, stream: aclrtStream, flag: u32) -> Answer {
    find(event)?;
    ordinary(flag, ACL_EVENT_RECORD_EXTERNAL)?;
    aclrtRecordEvent(event, stream)
}

/// The time limit is in milliseconds; 0 means no limit.
pub(crate) fn aclrtStreamWaitEventWithFlag(stream: aclrtStream, event: aclrtEvent, timeout: u32, flag: u32) -> Answer {
    let found = find(event)?;
    ordinary(flag, ACL_EVENT_WAIT_EXTERNAL)?;
    let call = wait_of(stream, event).begin()?;
    let limit = (timeout > 0).then(|| Duration::from_millis(timeout.into()));
    call.end(found.hold_up(Named::find(stream)?, limit))
}

/// A wait for an event that a capture recorded is part of the capture. The checker does not see it.
fn wait_of(stream: aclrtStream, event: aclrtEvent) -> watch::Watching {
    let captured = find(event).is_ok_and(|event| event.is_captured());
    watch::call(Op::Await, event).queue(stream).unless(captured)
}

fn ordinary(flag: u32, external: u32) -> Answer {
    match flag {
        0 => Ok(()),
        flag if flag == external => Err(Failure::unsupported("this device has no events from outside of a capture")),
        flag => Err(Failure::invalid(format!("{flag:#x} is no flag of this call"))),
    }
}

pub(crate) fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> Answer {
    let call = watch::call(Op::Reset, event).queue(stream).begin()?;
    let event = find(event)?;
    call.end(event.reset(Named::find(stream)?))
}

pub(crate) fn aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent) -> Answer {
    let call = wait_of(stream, event).begin()?;
    let event = find(event)?;
    call.end(event.hold_up(Named::find(stream)?, settings::wait_limit()))
}

/// In seconds.
pub(crate) fn aclrtSetOpWaitTimeout(timeout: u32) -> Answer {
    settings::limit_waits(timeout);
    Ok(())
}

/// A time limit of 0 means no limit.
pub(crate) fn aclrtStreamWaitEventWithTimeout(stream: aclrtStream, event: aclrtEvent, timeout: i32) -> Answer {
    if event.is_null() {
        return Err(Failure::refused("the event is null"));
    }
    let call = wait_of(stream, event).begin()?;
    let event = find(event)?;
    let limit = if timeout == 0 { None } else { limit(timeout)? };
    call.end(event.hold_up(Named::find(stream)?, limit))
}

pub(crate) fn aclrtSynchronizeEvent(event: aclrtEvent) -> Answer {
    let call = watch::call(Op::Synchronize, event).begin()?;
    let event = find(event)?;
    event.for_the_host()?;
    call.end(event.synchronize(None))
}

pub(crate) fn aclrtSynchronizeEventWithTimeout(event: aclrtEvent, timeout: i32) -> Answer {
    if event.is_null() {
        return Err(Failure::invalid("the event is null"));
    }
    not_below_minus_one(timeout)?;
    let call = watch::call(Op::Synchronize, event).begin()?;
    let event = find(event)?;
    let deadline = deadline(timeout)?;
    event.for_the_host()?;
    call.end(event.synchronize(deadline))
}

pub(crate) fn aclrtQueryEventStatus(event: aclrtEvent, mut status: Out<'_, aclrtEventRecordedStatus>) -> Answer {
    wanted(&status)?;
    let call = watch::call(Op::Query, event).begin()?;
    let event = find(event)?;
    // The call fails for such an event, but still writes its output.
    status.set(aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY);
    event.for_the_host()?;
    status.set(match call.found(is_complete(&event)?) {
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
    event.for_the_host()?;
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
    event.for_the_host()?;
    status.set(match event.waits_are_over() {
        true => aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_COMPLETE,
        false => aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_NOT_READY,
    });
    Ok(())
}

pub(crate) fn aclrtEventElapsedTime(mut ms: Out<'_, f32>, start_event: aclrtEvent, end_event: aclrtEvent) -> Answer {
    wanted(&ms)?;
    if start_event.is_null() || end_event.is_null() {
        return Err(Failure::invalid("an event is null"));
    }
    let call = watch::call(Op::Elapsed, start_event).with(end_event).begin()?;
    let (start, end) = (find(start_event)?, find(end_event)?);
    ms.set(end.since(&start)? * 1e3);
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
    event_id.set(find(event)?.id()?);
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
