//! CB: callbacks of the program in a stream's order.

use super::scene::Case;
use crate::catalogue::*;
use crate::events::{Flag, Kind, Object, Op};

/// What a callback may not do, and what it needs.
pub(super) fn inside(case: &mut Case<'_>) {
    if case.event().op == Op::Begin && case.event().is(Flag::Gone) {
        return gone(case);
    }
    let Some(stream) = case.event().inside else { return };
    let event = case.event();
    let waits = matches!(event.op, Op::Synchronize | Op::FreeSynced | Op::FreeHostSynced);
    let works = event.queue().is_some() || matches!(event.op, Op::Allocate | Op::Free | Op::FreeHost | Op::Abort);
    let ends = matches!(event.op, Op::Destroy | Op::DestroyForce | Op::Unload | Op::Reset | Op::ResetForce);
    let runs = matches!(event.op, Op::Execute | Op::Load);
    if waits || works || runs || (ends && matches!(event.object.kind, Kind::Stream | Kind::Context | Kind::Device)) {
        report_call(case, stream);
    }
}

/// Reports a call in a callback (CB-01), once for each callback that runs.
pub(super) fn report_call(case: &mut Case<'_>, stream: Object) {
    let told = case.world.threads.get(&case.event().thread).is_some_and(|state| state.told_inside);
    if told || case.findings.iter().any(|finding| finding.rule == CB_01) {
        return;
    }
    let call = case.event().call;
    case.report(
        CB_01,
        format!("{call} in a callback that {stream} waits for"),
        "a callback that does not call the library",
        "notify another thread of the program (with a channel or a flag), and make the call there",
    )
    .about(stream);
}

pub(super) fn judge(case: &mut Case<'_>) {
    let event = case.event();
    let stream = event.queue().unwrap_or(event.object);
    let Some(entry) = case.world.streams.get(stream) else { return };
    let (subscribed, host_function) = (entry.data.subscribed, entry.data.host_function);
    match (event.op, subscribed) {
        // That its subscription was refused was reported.
        (Op::LaunchCallback, None) if case.world.explained.contains(&(None, stream)) => {}
        (Op::LaunchCallback, None) if host_function.is_some() => {
            case.report(
                CB_03,
                format!("a callback is launched on {stream}, on which a host function was launched"),
                "one kind of callback per stream",
                "use aclrtLaunchHostFunc on this stream, or another stream for aclrtLaunchCallback",
            )
            .about(stream)
            .against_any(host_function, "launched the host function");
        }
        (Op::LaunchCallback, None) => {
            case.report(
                CB_02,
                format!("a callback is launched on {stream}, which has no reporting thread"),
                "a thread that is subscribed to the stream",
                "call aclrtSubscribeReport first",
            )
            .about(stream);
        }
        (Op::LaunchHostFunction, Some(earlier)) => {
            case.report(
                CB_03,
                format!("a host function is launched on {stream}, which has a reporting thread"),
                "one kind of callback per stream",
                "use aclrtLaunchCallback on this stream, or another stream for host functions",
            )
            .about(stream)
            .against(earlier, "subscribed a thread to the stream");
        }
        (Op::Subscribe, Some(earlier)) => {
            case.report(
                CB_04,
                format!("{stream} gets a second reporting thread"),
                "one reporting thread per stream",
                "first call aclrtUnSubscribeReport, after the stream's work is complete",
            )
            .about(stream)
            .against(earlier, "subscribed the first one");
        }
        (Op::Unsubscribe, _) => unsubscribe(case, stream),
        (Op::GiveUp, subscribed) if event.is(Flag::OwnCallback) && !entry.data.stall_reported => {
            case.report(
                CB_05,
                format!("{} waits for {stream}, which waits for a callback that no other thread runs", event.call),
                "another thread that runs the stream's callbacks",
                "let another thread loop on aclrtProcessReport, or call it here before the wait",
            )
            .about(stream)
            .against_any(subscribed, "subscribed the thread that was to run it");
        }
        _ => {}
    }
}

fn unsubscribe(case: &mut Case<'_>, stream: Object) {
    let Some(entry) = case.world.streams.get(stream) else { return };
    let queued = entry.data.launched.filter(|(_, count)| case.world.host.at(entry.data.key) < *count);
    if let Some((launch, _)) = queued {
        case.report(
            CB_06,
            format!(
                "the reporting thread of {stream} is unsubscribed, but no wait has shown that its callbacks have run"
            ),
            "the stream's work is complete",
            "let the reporting thread go on (aclrtProcessReport), call aclrtSynchronizeStream, and unsubscribe then",
        )
        .about(stream)
        .against(launch, "queued a callback that is lost if it has not run");
        return;
    }
    let waits = case.world.callbacks.values().any(|callback| callback.key == entry.data.key);
    if let Some((launch, _)) = entry.data.launched.filter(|_| waits) {
        case.report(
            CB_06,
            format!("the reporting thread of {stream} is unsubscribed, but a callback has not run"),
            "all callbacks have run, also those that the stream does not wait for",
            "let the reporting thread run them (aclrtProcessReport), wait for what they do, and unsubscribe then",
        )
        .about(stream)
        .against(launch, "queued a callback");
    }
}

/// CB-08: the shared object with the function was unloaded while the callback was queued.
fn gone(case: &mut Case<'_>) {
    let callback = case.world.callbacks.get(&case.event().object);
    let (launch, key) = (callback.map(|callback| callback.call), callback.map(|callback| callback.key));
    let mut streams = case.world.streams.live().filter(|(_, stream)| Some(stream.data.key) == key);
    let stream = streams.next().map(|(stream, _)| stream);
    case.report(
        CB_08,
        "a queued callback is to run, and the shared object that its function was in has been unloaded",
        "the function stays loaded until the callback has run",
        "synchronise the stream before the shared object is closed (dlclose)",
    )
    .all(stream)
    .against_any(launch, "queued the callback");
}
