//! EVENT: records of events, waits for them, resets, and times.

use super::scene::Case;
use super::world;
use crate::catalogue::*;
use crate::events::{Kind, Object, Op};
use crate::finding::Call;
use crate::rule::RuleId;

pub(super) fn judge(case: &mut Case<'_>) {
    let object = case.event().object;
    if object.kind != Kind::Event {
        return;
    }
    match case.event().op {
        Op::Await | Op::Synchronize => waits(case, object),
        Op::Reset => resets(case, object),
        Op::Elapsed => elapsed(case, object),
        _ => {}
    }
}

fn waits(case: &mut Case<'_>, object: Object) {
    let Some(entry) = case.world.events.get(object) else { return };
    let (made, on_stream) = (entry.made, case.event().op == Op::Await);
    let flag = "create the event with ACL_EVENT_SYNC among its flags";
    if on_stream && !entry.data.waitable {
        flagless(case, EVENT_02, "a stream waits for an event without ACL_EVENT_SYNC", flag);
    } else if entry.data.record.is_none() && !entry.data.shared && !case.world.explained.contains(&(None, object)) {
        // Where the wait stops the stream, the call that comes next decides.
        if !on_stream || !entry.data.stops_streams() {
            in_vain(case, object, made, "the wait has no effect");
        }
    }
}

fn in_vain(case: &mut Case<'_>, object: Object, made: Call, effect: &str) {
    case.report(
        EVENT_05,
        format!("{object} is waited for before it was recorded: {effect}"),
        "an event that a stream has recorded",
        "call aclrtRecordEvent before the wait",
    )
    .about(object)
    .against(made, "created the event, and no call recorded it");
}

/// A stream has waited for an event that was not recorded, and the call behind it on its thread did not make that a gate: a
/// stream that waits for the next record, and resets the event behind the wait, does so again in each round.
pub(super) fn stopped(case: &mut Case<'_>) {
    let object = case.event().object;
    if let Some(made) = case.world.events.get(object).map(|entry| entry.made) {
        in_vain(case, object, made, "the stream stops until a later call records it");
    }
}

fn resets(case: &mut Case<'_>, object: Object) {
    let Some(entry) = case.world.events.get(object) else { return };
    if entry.data.ex {
        flagless(case, EVENT_03, "an event of aclrtCreateEventExWithFlag is reset", "record it again instead");
    } else if entry.data.plain {
        flagless(case, EVENT_01, "an event of plain aclrtCreateEvent is reset", "record it again instead");
    } else if !entry.data.waitable {
        let fix = "create the event with ACL_EVENT_SYNC among its flags";
        flagless(case, EVENT_02, "an event without ACL_EVENT_SYNC is reset", fix);
    }
    let (world, own, order) = (case.world, case.event().queue(), case.world.order());
    let Some(entry) = world.events.get(object) else { return };
    // The stream that resets may have waited for the others.
    let other = entry.in_flight.unordered(&order, world.now(own), |task| Some(task.stream) != own);
    if let Some((stream, call)) = other.map(|task| (task.stream, task.call)) {
        case.report(
            EVENT_10,
            format!("{object} is reset while {stream} may still wait for it"),
            "no stream waits for the event",
            "synchronise the streams that wait, then reset",
        )
        .about(object)
        .about(stream)
        .against(call, "made the stream wait for the event");
    }
}

/// Reports an operation that the way in which the event was created does not allow.
fn flagless(case: &mut Case<'_>, rule: RuleId, found: &'static str, fix: &'static str) {
    let object = case.event().object;
    let made = case.world.made(object);
    case.report(rule, found, "an event that was created for this", fix)
        .about(object)
        .against_any(made, "created the event");
}

fn elapsed(case: &mut Case<'_>, start: Object) {
    let Some(end) = case.event().others().find(|other| other.kind == Kind::Event) else { return };
    let of = |object| case.world.events.get(object);
    let (Some(first), Some(last)) = (of(start), of(end)) else { return };
    let order = case.world.order();
    let open = |record: &world::Record| !order.is_reached(record.stream, record.key, record.count);
    let mut against = None;
    let found = match (&first.data.record, &last.data.record) {
        _ if !first.data.timed || !last.data.timed => "one of the events has no time stamp (ACL_EVENT_TIME_LINE)",
        (None, _) | (_, None) => "one of the events was never recorded",
        (Some(a), Some(b)) => {
            against = Some((b.call, "recorded the second event"));
            if a.key != b.key {
                "the events were recorded on different streams"
            } else if a.count > b.count {
                "the second event was recorded before the first"
            } else if open(b) {
                "no wait has shown that the second event was reached"
            } else {
                return;
            }
        }
    };
    let report = case
        .report(
            EVENT_04,
            found,
            "two events with ACL_EVENT_TIME_LINE, recorded one after the other on one stream that was synchronised \
             since",
            "record both on one stream, synchronise it, then ask for the time",
        )
        .about(start)
        .about(end);
    if let Some((call, what)) = against {
        report.against(call, what);
    }
}
