//! STREAM: the end of streams, and streams that do not run by themselves.

use super::scene::Case;
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
    case.report(
        STREAM_02,
        "a default stream is destroyed",
        "a stream that aclrtCreateStream made",
        "leave it: it ends with its context",
    )
    .about(object);
}

fn in_flight(case: &mut Case<'_>, object: Object) {
    let Some(stream) = case.world.streams.get(object) else { return };
    if case.world.is_idle(object) {
        return;
    }
    let (made, timed_out) = (stream.made, stream.is.timed_out);
    let against = timed_out.map(|(call, _)| call).unwrap_or(made);
    case.report(
        STREAM_05,
        format!("{object} is destroyed, and no wait has told that its work is over"),
        "all its work is over",
        "call aclrtSynchronizeStream before aclrtDestroyStream",
    )
    .about(object)
    .against(
        against,
        if timed_out.is_some() { "waited for it until its time limit was over" } else { "created the stream" },
    );
}

/// STREAM-17: what waits for a stream whose work is discarded.
fn awaited(case: &mut Case<'_>, object: Object) {
    let (world, order) = (case.world, case.world.order());
    let waiting = world.events.live().find_map(|(event, entry)| {
        let recorded = entry.is.record.as_ref().filter(|record| record.stream == object)?;
        let open = order.host.at(recorded.key) < recorded.count;
        let waits = |task: &&super::clock::Task| task.stream != object;
        let task = entry.in_flight.pending(&order).find(waits).filter(|_| open)?;
        Some((event, task.stream, task.call))
    });
    if let Some((event, stream, call)) = waiting {
        case.report(
            STREAM_17,
            format!("the work of {object} is discarded, and {stream} waits for {event}, which it records"),
            "no other stream waits for the work",
            "synchronise the streams that wait first",
        )
        .about(object)
        .about(stream)
        .about(event)
        .against(call, "let the other stream wait");
    }
}

fn persistent(case: &mut Case<'_>, object: Object) {
    let made = case.world.streams.get(object).filter(|stream| stream.is.persistent).map(|stream| stream.made);
    if let Some(made) = made {
        case.report(
            STREAM_13,
            format!("{object} is waited for or asked, and it is persistent: it answers at once and has not run"),
            "a stream that runs its work by itself",
            "bind the stream to a model instance, and wait for the stream that runs this",
        )
        .about(object)
        .against(made, "created it as persistent");
    }
}
