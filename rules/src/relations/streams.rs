//! STREAM: the end of streams, and streams that do not run by themselves.

use super::clock::Position;
use super::scene::Case;
use super::world::Wait;
use crate::catalogue::*;
use crate::events::{Kind, Object, Op};

pub(super) fn judge(case: &mut Case<'_>) {
    let object = case.event().object;
    match (case.event().op, object.kind) {
        (Op::Destroy | Op::DestroyForce, Kind::DefaultStream) => default(case, object),
        (Op::Destroy, Kind::Stream) => in_flight(case, object),
        (Op::DestroyForce | Op::Abort, Kind::Stream) => awaited(case, object),
        (Op::Synchronize | Op::Query, Kind::Stream) => persistent(case, object),
        _ => {}
    }
}

fn default(case: &mut Case<'_>, object: Object) {
    // The creation of the stream has failed for a reason that was reported.
    if case.world.missed.contains(&object) {
        return;
    }
    case.report(
        STREAM_02,
        "a default stream is destroyed",
        "a stream that aclrtCreateStream created",
        "do not destroy it: it ends with its context",
    )
    .about(object);
}

fn in_flight(case: &mut Case<'_>, object: Object) {
    let Some(stream) = case.world.streams.get(object) else { return };
    if case.world.is_idle(object) {
        return;
    }
    let (made, timed_out) = (stream.made, stream.data.timed_out);
    let against = timed_out.map(|(call, _)| call).unwrap_or(made);
    case.report(
        STREAM_05,
        format!("{object} is destroyed, but no wait has shown that its work is complete"),
        "all its work is complete",
        "call aclrtSynchronizeStream before aclrtDestroyStream",
    )
    .about(object)
    .against(against, if timed_out.is_some() { "waited for it and timed out" } else { "created the stream" });
}

/// STREAM-17: what waits for a stream whose work is discarded.
fn awaited(case: &mut Case<'_>, object: Object) {
    let (world, order) = (case.world, case.world.order());
    let mut waits = world.waits.iter().filter(|wait| wait.record.stream == object && wait.by.stream != object);
    let waiting = waits.find(|wait| !order.is_past(wait.record) && !order.is_past(wait.by));
    if let Some(&Wait { call, event, by: Position { stream, .. }, .. }) = waiting {
        case.report(
            STREAM_17,
            format!("the work of {object} is discarded while {stream} waits for {event}, which that work records"),
            "no other stream waits for the work",
            "first synchronise the streams that wait",
        )
        .about(object)
        .about(stream)
        .about(event)
        .against(call, "made the other stream wait");
    }
}

fn persistent(case: &mut Case<'_>, object: Object) {
    let made = case.world.streams.get(object).filter(|stream| stream.data.persistent).map(|stream| stream.made);
    if let Some(made) = made {
        case.report(
            STREAM_13,
            format!(
                "{object} is waited for or queried, but it is persistent: the call returns before anything has run"
            ),
            "a stream that is not persistent",
            "bind the stream to a model instance, and wait for the stream that runs the instance",
        )
        .about(object)
        .against(made, "created it as persistent");
    }
}
