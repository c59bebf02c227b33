//! Events and notifies.

use crate::arguments::{Named, number};
use crate::call::Outcome;
use crate::world::{EventKind, Ready, World, new_event, pointer};
use ascendcl_sys::types::*;
use core::ptr::null_mut;

fn event(number: usize) -> aclrtEvent {
    aclrtEvent(pointer(number))
}

fn stream(number: usize) -> aclrtStream {
    aclrtStream(pointer(number))
}

pub(crate) fn ready(world: &mut World, named: &Named) -> Option<Ready> {
    creation(world, named)
        .or_else(|| use_of(world, named))
        .or_else(|| asking(world, named))
        .or_else(|| notifies(world, named))
}

fn flags(text: &str) -> u32 {
    match text {
        "SYNC" => 1,
        "CAPTURE_STREAM_PROGRESS" => 2,
        "TIME_LINE" => 8,
        "DEVICE_USE_ONLY" => 0x10,
        "EXTERNAL" => 0x20,
        "IPC" => 0x40,
        text if text.contains('|') => text.split('|').map(flags).fold(0, |all, one| all | one),
        text => number(text) as u32,
    }
}

fn creation(world: &mut World, named: &Named) -> Option<Ready> {
    // Which events a line makes that uses them first.
    if named.function == "Events" {
        world.event_flags = match named.at(0) {
            "Plain" => EventKind::Plain,
            "WithFlag" => EventKind::WithFlag(flags(named.at(1))),
            _ => EventKind::Ex(flags(named.at(1))),
        };
        return Some(Box::new(Outcome::default));
    }
    let null = named.at(0) == "NULL";
    let given = flags(named.at(if null { 1 } else { 0 }));
    let kind = match named.function {
        "CreateEvent" => EventKind::Plain,
        "CreateEventWithFlag" => EventKind::WithFlag(given),
        "CreateEventExWithFlag" => EventKind::Ex(given),
        _ => return None,
    };
    Some(Box::new(move || {
        if null {
            return match kind {
                EventKind::Plain => call!(event::aclrtCreateEvent(null_mut())),
                EventKind::WithFlag(flags) => call!(event::aclrtCreateEventWithFlag(null_mut(), flags)),
                EventKind::Ex(flags) => call!(event::aclrtCreateEventExWithFlag(null_mut(), flags)),
            }
            .into();
        }
        let (code, made) = new_event(kind);
        Outcome::made(code, made)
    }))
}

fn use_of(world: &mut World, named: &Named) -> Option<Ready> {
    let pair = |world: &mut World, event: usize, stream: usize| {
        (world.event(named.at(event)), world.stream(if named.at(stream).is_empty() { "s" } else { named.at(stream) }))
    };
    Some(match named.function {
        "DestroyEvent" => {
            let e = world.event(named.at(0));
            Box::new(move || call!(event::aclrtDestroyEvent(event(e))).into())
        }
        "RecordEvent" => {
            let (e, s) = pair(world, 0, 1);
            Box::new(move || call!(event::aclrtRecordEvent(event(e), stream(s))).into())
        }
        "RecordEventWithFlag" => {
            let ((e, s), flag) = (pair(world, 0, 1), number(named.at(2)) as u32);
            Box::new(move || call!(event::aclrtRecordEventWithFlag(event(e), stream(s), flag)).into())
        }
        "ResetEvent" => {
            let (e, s) = pair(world, 0, 1);
            Box::new(move || call!(event::aclrtResetEvent(event(e), stream(s))).into())
        }
        "StreamWaitEvent" => {
            let (e, s) = pair(world, 1, 0);
            Box::new(move || call!(event::aclrtStreamWaitEvent(stream(s), event(e))).into())
        }
        "StreamWaitEventWithTimeout" => {
            let ((e, s), limit) = (pair(world, 1, 0), number(named.at(2)) as i32);
            Box::new(move || call!(event::aclrtStreamWaitEventWithTimeout(stream(s), event(e), limit)).into())
        }
        "StreamWaitEventWithFlag" => {
            let (e, s) = pair(world, 1, 0);
            let (limit, flag) = (number(named.at(2)) as u32, number(named.at(3)) as u32);
            Box::new(move || call!(event::aclrtStreamWaitEventWithFlag(stream(s), event(e), limit, flag)).into())
        }
        "SynchronizeEvent" => {
            let e = world.event(named.at(0));
            Box::new(move || call!(event::aclrtSynchronizeEvent(event(e))).into())
        }
        "SynchronizeEventWithTimeout" => {
            let e = world.event(if named.at(0).is_empty() { "e" } else { named.at(0) });
            let limit = if named.arguments.len() > 1 { number(named.at(1)) as i32 } else { 100 };
            Box::new(move || call!(event::aclrtSynchronizeEventWithTimeout(event(e), limit)).into())
        }
        _ => return None,
    })
}

fn asking(world: &mut World, named: &Named) -> Option<Ready> {
    let null = named.at(1) == "NULL";
    let functions = ["QueryEvent", "QueryEventStatus", "QueryEventWaitStatus", "EventElapsedTime", "EventGetTimestamp"];
    let known = functions.contains(&named.function) || ["GetEventId", "GetEventAvailNum"].contains(&named.function);
    if !known {
        return None;
    }
    let name = match named.at(0) {
        "never recorded" => "never",
        "" => "e",
        name if name.starts_with("event recorded") => "e",
        name => name,
    };
    let e = world.event(name);
    Some(match named.function {
        "QueryEventStatus" => Box::new(move || {
            let mut status = aclrtEventRecordedStatus(9);
            let out = if null { null_mut() } else { &mut status };
            Outcome::saw(call!(event::aclrtQueryEventStatus(event(e), out)), format!("status={}", status.0 % 9))
        }),
        "QueryEvent" => Box::new(move || {
            let mut status = aclrtEventStatus(7);
            Outcome::saw(call!(event::aclrtQueryEvent(event(e), &mut status)), format!("status={}", status.0))
        }),
        "QueryEventWaitStatus" => Box::new(move || {
            let mut status = aclrtEventWaitStatus(7);
            let out = if null { null_mut() } else { &mut status };
            Outcome::saw(call!(event::aclrtQueryEventWaitStatus(event(e), out)), format!("status={}", status.0))
        }),
        "EventElapsedTime" => {
            let end = if named.arguments.len() > 1 { world.event(named.at(1)) } else { world.event("b") };
            let start = if named.arguments.is_empty() { world.event("a") } else { e };
            Box::new(move || {
                let mut time = 0.0;
                call!(event::aclrtEventElapsedTime(&mut time, event(start), event(end))).into()
            })
        }
        "EventGetTimestamp" => Box::new(move || {
            let mut time = 0;
            let out = if null { null_mut() } else { &mut time };
            call!(event::aclrtEventGetTimestamp(event(e), out)).into()
        }),
        "GetEventId" => Box::new(move || {
            let mut id = 0;
            call!(event::aclrtGetEventId(event(e), &mut id)).into()
        }),
        _ => Box::new(|| {
            let mut count = 0;
            call!(event::aclrtGetEventAvailNum(&mut count)).into()
        }),
    })
}

fn notifies(world: &mut World, named: &Named) -> Option<Ready> {
    let handle = |number: usize| aclrtNotify(pointer(number));
    let on = |world: &mut World, name: &str| {
        let name = if name == "s" && named.arguments.len() == 1 { "n" } else { name };
        world.notify(if name.starts_with("n ") { "n" } else { name })
    };
    Some(match named.function {
        "CreateNotify" => {
            let null = named.at(0) == "NULL";
            let flag = number(named.at(1)) as u64;
            Box::new(move || {
                let mut made = aclrtNotify::NULL;
                let out = if null { null_mut() } else { &mut made };
                let code = call!(event::aclrtCreateNotify(out, flag));
                Outcome::made(code, made.0.addr())
            })
        }
        "DestroyNotify" => {
            let n = on(world, if named.at(0).is_empty() { "n" } else { named.at(0) });
            Box::new(move || call!(event::aclrtDestroyNotify(handle(n))).into())
        }
        "RecordNotify" => {
            let n = on(world, named.at(0));
            let s = world.stream(if named.arguments.len() > 1 { named.at(1) } else { named.at(0) });
            Box::new(move || call!(event::aclrtRecordNotify(handle(n), stream(s))).into())
        }
        "WaitAndResetNotify" => {
            let n = on(world, named.at(0));
            let s = world.stream(if named.arguments.len() > 1 { named.at(1) } else { named.at(0) });
            let limit = number(named.at(2)) as u32;
            Box::new(move || call!(event::aclrtWaitAndResetNotify(handle(n), stream(s), limit)).into())
        }
        "GetNotifyId" => {
            let n = on(world, named.at(0));
            let null = named.at(1) == "NULL";
            Box::new(move || {
                let mut id = u32::MAX;
                let out = if null { null_mut() } else { &mut id };
                let code = call!(event::aclrtGetNotifyId(handle(n), out));
                Outcome::saw(code, format!("id set {}", u8::from(id != u32::MAX)))
            })
        }
        "NotifyBatchReset" => {
            let null = named.at(0) == "NULL";
            let n = world.notify("n");
            // One notify, or that and a null.
            let length = if named.at(0).starts_with('{') { 2 } else { 1 };
            Box::new(move || {
                let mut list = [handle(n), aclrtNotify::NULL];
                let list = if null { null_mut() } else { list.as_mut_ptr() };
                call!(event::aclrtNotifyBatchReset(list, length)).into()
            })
        }
        _ => return None,
    })
}
