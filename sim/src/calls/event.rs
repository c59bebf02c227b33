//! Events.

use super::{deadline, not_below_minus_one, wanted};
use crate::abi::Out;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::contexts::named::{Named, submission_stream};
use crate::machine::device::settings;
use crate::machine::event::{self, ACROSS_DEVICES, Event, Made, PLAIN, Status, find};
use crate::machine::signals::shared_event;
use crate::machine::watch;
use ascendcl_rules::{EVENT_03, EVENT_04, EVENT_11, Flag, IPC_02, Object, Op};
use ascendcl_sys::constants::*;
use ascendcl_sys::types::*;
use std::sync::Arc;
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
        (ACL_EVENT_IPC, Made::Ex) => return create_shared(event),
        (flags, _) if flags & ACL_EVENT_IPC != 0 => {
            let fix = "call aclrtCreateEventExWithFlag with ACL_EVENT_IPC, and with no other flag";
            return Err(refused().breaks(IPC_02, "an event for other processes, and for nothing else", fix));
        }
        (ACL_EVENT_DEVICE_USE_ONLY, Made::WithFlag) => {
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
        .flag(Flag::Waitable, flags & (ACL_EVENT_SYNC | ACROSS_DEVICES | ACL_EVENT_EXTERNAL) != 0)
        .flag(Flag::External, flags & ACL_EVENT_EXTERNAL != 0)
        .flag(Flag::Timed, flags & ACL_EVENT_TIME_LINE != 0);
    let call = kind.into_iter().fold(call, |call, kind| call.flag(kind, true)).begin()?;
    let created = event::create(current_context()?.device(), flags, made)?;
    call.made(created.0.addr());
    event.set(created);
    Ok(())
}

/// An event that other processes can open; none of them can ask for its time.
fn create_shared(event: Out<'_, aclrtEvent>) -> Answer {
    hand_out(event, shared_event::create)
}

/// Hands out an event that processes share. It can be waited for before its first record, as all of its kind.
pub(super) fn hand_out(mut event: Out<'_, aclrtEvent>, make: impl FnOnce() -> Answer<aclrtEvent>) -> Answer {
    let call = watch::call(Op::Create, Object::event(0)).flag(Flag::Waitable, true).flag(Flag::Ex, true);
    let call = call.flag(Flag::Shared, true).begin()?;
    current_context()?;
    let made = make()?;
    call.made(made.0.addr());
    event.set(made);
    Ok(())
}

pub(crate) fn aclrtDestroyEvent(event: aclrtEvent) -> Answer {
    let call = watch::call(Op::Destroy, event).begin()?;
    call.end(match shared_event::find(event) {
        Some(shared) => shared.destroy(),
        None => event::destroy(event),
    })
}

pub(crate) fn aclrtRecordEvent(event: aclrtEvent, stream: aclrtStream) -> Answer {
    let call = watch::call(Op::Record, event).queue(stream).begin()?;
    if let Some(shared) = shared_event::find(event) {
        return call.end(shared.record(&submission_stream(stream)?));
    }
    let event = find(event)?;
    call.end(event.record(Named::find(stream)?))
}

/// With the flag, each run of what is captured records the event for streams outside. The checker hears of it at each run.
pub(crate) fn aclrtRecordEventWithFlag(event: aclrtEvent, stream: aclrtStream, flag: u32) -> Answer {
    if event.is_null() {
        return Err(Failure::invalid("the event is null"));
    }
    match is_external(flag, ACL_EVENT_RECORD_EXTERNAL)? {
        true => find(event)?.record_outward(Named::find(stream)?),
        false => aclrtRecordEvent(event, stream),
    }
}

/// A time limit of 0 means no limit. An external wait takes no other: -1, which the vendor's example passes, is refused.
pub(crate) fn aclrtStreamWaitEventWithFlag(stream: aclrtStream, event: aclrtEvent, timeout: u32, flag: u32) -> Answer {
    if event.is_null() {
        return Err(Failure::invalid("the event is null"));
    }
    if !is_external(flag, ACL_EVENT_WAIT_EXTERNAL)? {
        return hold_up(stream, event, wait_limit(timeout));
    }
    if timeout != 0 {
        return Err(Failure::invalid(format!("an external wait has no time limit; found {timeout}")));
    }
    find(event)?.hold_up_outward(Named::find(stream)?, None)
}

/// In seconds, as for notifies. The manual said milliseconds up to 8.5, which the library has never done.
fn wait_limit(timeout: u32) -> Option<Duration> {
    (timeout > 0).then(|| Duration::from_secs(timeout.into()))
}

/// A wait for an event that a capture recorded is part of the capture. The checker does not see it.
fn wait_of(stream: aclrtStream, event: aclrtEvent) -> watch::Watching {
    watch::call(Op::Await, event).queue(stream).unless(is_of_this_process(event, Event::is_captured))
}

/// The host waits for an event, or asks about it. The checker has not seen the record of one that is being captured: the
/// failure of the call says what is wrong.
fn host_asks(op: Op, event: aclrtEvent) -> watch::Watching {
    watch::call(op, event).unless(is_being_captured(event))
}

fn is_being_captured(event: aclrtEvent) -> bool {
    is_of_this_process(event, Event::is_being_captured)
}

/// Whether it is an event of this process alone, and so.
fn is_of_this_process(event: aclrtEvent, so: impl Fn(&Event) -> bool) -> bool {
    shared_event::find(event).is_none() && find(event).is_ok_and(|event| so(&event))
}

fn is_external(flag: u32, external: u32) -> Answer<bool> {
    match flag {
        0 => Ok(false),
        flag if flag == external => Ok(true),
        flag => Err(Failure::invalid(format!("{flag:#x} is no flag of this call"))),
    }
}

pub(crate) fn aclrtResetEvent(event: aclrtEvent, stream: aclrtStream) -> Answer {
    // That other processes share it says more than how it was made.
    if shared_event::find(event).is_some() {
        Named::find(stream)?;
        return Err(of_one_process(event));
    }
    let call = watch::call(Op::Reset, event).queue(stream).begin()?;
    let event = find(event)?;
    call.end(event.reset(Named::find(stream)?))
}

pub(crate) fn aclrtStreamWaitEvent(stream: aclrtStream, event: aclrtEvent) -> Answer {
    hold_up(stream, event, settings::wait_limit())
}

fn hold_up(stream: aclrtStream, event: aclrtEvent, limit: Option<Duration>) -> Answer {
    if let Some(shared) = shared_event::find(event) {
        // What other processes have done is not known here.
        let call = watch::call(Op::Fence, stream).queue(stream).begin()?;
        return call.end(shared.hold_up(&submission_stream(stream)?, limit));
    }
    let call = wait_of(stream, event).begin()?;
    let event = find(event)?;
    call.end(event.hold_up(Named::find(stream)?, limit))
}

/// In seconds.
pub(crate) fn aclrtSetOpWaitTimeout(timeout: u32) -> Answer {
    settings::limit_waits(timeout);
    Ok(())
}

/// A time limit of 0 means no limit.
pub(crate) fn aclrtStreamWaitEventWithTimeout(stream: aclrtStream, event: aclrtEvent, timeout: i32) -> Answer {
    let Ok(timeout) = u32::try_from(timeout) else {
        let failure = Failure::refused(format!("{timeout} is no time limit; it is 0 or positive"));
        let fix = "pass 0 for no limit: unlike other calls, this one does not take -1";
        return Err(failure.breaks(EVENT_11, "0 or a positive number of seconds", fix).about(Object::PROCESS));
    };
    Named::find(stream)?;
    if event.is_null() {
        return Err(Failure::refused("the event is null"));
    }
    hold_up(stream, event, wait_limit(timeout))
}

pub(crate) fn aclrtSynchronizeEvent(event: aclrtEvent) -> Answer {
    let call = host_asks(Op::Synchronize, event).begin()?;
    if let Some(shared) = shared_event::find(event) {
        return call.end(shared.synchronize(None));
    }
    let event = find(event)?;
    event.for_the_host()?;
    call.end(event.synchronize(None))
}

pub(crate) fn aclrtSynchronizeEventWithTimeout(event: aclrtEvent, timeout: i32) -> Answer {
    let of_event = |refused: Failure| refused.instead(EVENT_11);
    not_below_minus_one(timeout).map_err(of_event)?;
    let call = host_asks(Op::Synchronize, event).begin()?;
    if let Some(shared) = shared_event::find(event) {
        return call.end(shared.synchronize(deadline(timeout).map_err(of_event)?));
    }
    let event = find(event)?;
    let deadline = deadline(timeout).map_err(of_event)?;
    event.for_the_host()?;
    call.end(event.synchronize(deadline))
}

pub(crate) fn aclrtQueryEventStatus(event: aclrtEvent, mut status: Out<'_, aclrtEventRecordedStatus>) -> Answer {
    wanted(&status)?;
    let call = host_asks(Op::Query, event).begin()?;
    if let Some(shared) = shared_event::find(event) {
        status.set(recorded(call.found(shared.is_complete())));
        return Ok(());
    }
    let event = find(event)?;
    // The call fails for such an event, but still writes its output.
    status.set(aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY);
    event.for_the_host()?;
    status.set(recorded(call.found(is_complete(&event)?)));
    Ok(())
}

fn recorded(complete: bool) -> aclrtEventRecordedStatus {
    match complete {
        true => aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE,
        false => aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY,
    }
}

pub(crate) fn aclrtQueryEvent(event: aclrtEvent, mut status: Out<'_, aclrtEventStatus>) -> Answer {
    wanted(&status)?;
    let call = host_asks(Op::Query, event).begin()?;
    let handle = event;
    let event = unshared(handle)?;
    not_ex(handle, &event)?;
    event.for_the_host()?;
    status.set(match call.found(is_complete(&event)?) {
        true => aclrtEventStatus::ACL_EVENT_STATUS_COMPLETE,
        false => aclrtEventStatus::ACL_EVENT_STATUS_NOT_READY,
    });
    Ok(())
}

pub(crate) fn aclrtQueryEventWaitStatus(event: aclrtEvent, mut status: Out<'_, aclrtEventWaitStatus>) -> Answer {
    wanted(&status)?;
    let call = watch::call(Op::Query, event).flag(Flag::OfWaits, true).begin()?;
    let handle = event;
    let event = unshared(handle)?;
    not_ex(handle, &event)?;
    event.for_the_host()?;
    status.set(match call.found(event.waits_are_over()) {
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
    let captured = [start_event, end_event].into_iter().any(is_being_captured);
    let call = watch::call(Op::Elapsed, start_event).with(end_event).unless(captured).begin()?;
    let own = |event| match shared_event::find(event) {
        Some(_) => Ok(None),
        None => find(event).map(Some),
    };
    let (start, end) = (own(start_event)?, own(end_event)?);
    for event in [&start, &end].into_iter().flatten() {
        event.refuse_captured("asked for its time")?;
    }
    for event in [&start, &end].into_iter().flatten() {
        event.for_the_host()?;
    }
    let start = start.ok_or_else(|| of_one_process(start_event))?;
    let end = end.ok_or_else(|| of_one_process(end_event))?;
    ms.set(end.since(&start)? * 1e3);
    call.end(Ok(()))
}

/// In microseconds.
pub(crate) fn aclrtEventGetTimestamp(event: aclrtEvent, mut timestamp: Out<'_, u64>) -> Answer {
    wanted(&timestamp)?;
    let early = |failure: Failure| {
        let fix = "wait for the event, or for the stream that records it, and ask then";
        failure
            .breaks(EVENT_04, "a record that a wait has shown to be reached", fix)
            .about(Object::event(event.0.addr() as u64))
    };
    timestamp.set(event::clock(unshared(event)?.time().map_err(early)?));
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
    event_id.set(unshared(event)?.id()?);
    Ok(())
}

/// An event of this process alone. One that is shared has no time and no number (207000).
fn unshared(event: aclrtEvent) -> Answer<Arc<Event>> {
    match shared_event::find(event) {
        Some(_) => Err(of_one_process(event)),
        None => find(event),
    }
}

fn of_one_process(event: aclrtEvent) -> Failure {
    let failure = Failure::unsupported("an event made with ACL_EVENT_IPC has no reset, no number and no time");
    let fix = "record the event and wait for it (aclrtStreamWaitEvent, aclrtSynchronizeEvent), and nothing else";
    failure.breaks(IPC_02, "an event without ACL_EVENT_IPC", fix).about(Object::event(event.0.addr() as u64))
}

fn is_complete(event: &Event) -> Answer<bool> {
    Ok(match event.status()? {
        Status::Complete => true,
        Status::Pending => false,
        Status::NeverRecorded => event.is_ex(),
    })
}

fn not_ex(handle: aclrtEvent, event: &Event) -> Answer {
    if event.is_ex() {
        let failure = Failure::unsupported("an event made by aclrtCreateEventExWithFlag has no such query");
        let fix = "ask with aclrtQueryEventStatus, or make the event by aclrtCreateEventWithFlag";
        return Err(failure
            .breaks(EVENT_03, "an event of another creating call", fix)
            .about(Object::event(handle.0.addr() as u64)));
    }
    Ok(())
}
