//! THREAD, CTX, DEV: the current context of a thread, and setting and resetting devices.

use super::scene::Case;
use crate::catalogue::*;
use crate::events::{Kind, Object, Op};
use crate::finding::Call;

/// Whether the call has the context that it needs.
pub(super) fn judge(case: &mut Case<'_>) -> bool {
    devices(case);
    !needs_context(case) || has_context(case)
}

/// Reports that the thread has no context.
pub(super) fn has_context(case: &mut Case<'_>) -> bool {
    match case.event().context {
        None => missing(case),
        Some(context) if case.world.contexts.get(Object::context(context)).is_none() => gone(case, context),
        Some(_) => return true,
    }
    false
}

/// Whether the vendor's library returns 107002 for this call on a thread without a context.
fn needs_context(case: &Case<'_>) -> bool {
    let event = case.event();
    let on_stream = event.queue().is_some() || matches!(event.object.kind, Kind::Stream | Kind::DefaultStream);
    match event.op {
        // A registration uses the stream's handle only as a key.
        Op::Register | Op::Unregister => false,
        // Addresses and physical memory belong to no context.
        Op::Allocate if matches!(event.object.kind, Kind::Range | Kind::Physical) => false,
        Op::Create => matches!(event.object.kind, Kind::Stream | Kind::Event | Kind::Notify),
        Op::Load | Op::Unload | Op::Execute | Op::Allocate | Op::Ask | Op::AskDefaultStream => true,
        Op::FreeSynced | Op::FreeHostSynced | Op::EnablePeer | Op::DisablePeer => true,
        Op::Synchronize => on_stream || event.object.kind == Kind::Process,
        Op::Use | Op::Fill => true,
        Op::Begin => false,
        _ => on_stream,
    }
}

fn missing(case: &mut Case<'_>) {
    let (world, call, thread) = (case.world, case.event().call, case.event().thread);
    let state = world.threads.get(&thread);
    if state.is_some_and(|state| state.reported) {
        return;
    }
    if end_was_told(case) || reset_was_told(case) || super::process::was_finalised_too_early(case) {
        case.told = true;
        return;
    }
    if let Some(stream) = case.event().inside {
        // The callback runs on a thread of the library.
        return super::callbacks::report_call(case, stream);
    }
    if let Some((context, by)) = state.and_then(|state| state.lost) {
        let rule = if by.object.kind == Kind::Device { DEV_04 } else { CTX_09 };
        case.report(
            rule,
            format!("{call} on {thread}, whose current context was destroyed or reset"),
            "a current context",
            "make another context current after this one ends (aclrtSetCurrentContext, aclrtSetDevice)",
        )
        .about(context)
        .against(by, "ended the context that was current on this thread; no other context became current");
        return;
    }
    let elsewhere = world.threads.iter().filter(|(other, _)| **other != thread);
    let chosen = elsewhere.filter_map(|(_, state)| state.current).max_by_key(|(_, by)| by.number);
    let rule = match case.event().op {
        Op::Allocate | Op::Ask => MEM_06,
        _ if chosen.is_none() => DEV_01,
        _ => THREAD_01,
    };
    case.report(
        rule,
        format!("{call} on {thread}, which has no current context"),
        "a context that is current on the calling thread: each thread chooses for itself",
        "call aclrtSetCurrentContext (or aclrtSetDevice) at the start of the thread",
    )
    .all(chosen.map(|(context, _)| context))
    .against_any(chosen.map(|(_, by)| by), "made a context current on its own thread only");
}

fn gone(case: &mut Case<'_>, context: u64) {
    let context = Object::context(context);
    let Some(dead) = case.world.contexts.dead(context) else { return };
    if case.world.threads.get(&case.event().thread).is_some_and(|state| state.reported) {
        return;
    }
    let (call, thread) = (case.event().call, case.event().thread);
    let rule = match dead.ended {
        // What the reset left over was reported: this thread is among that.
        ended if case.world.kept.contains(&ended.object) || case.world.contradicted.contains(&ended.number) => {
            case.told = true;
            return;
        }
        ended if ended.object.kind == Kind::Device => DEV_08,
        ended if ended.thread == thread => CTX_09,
        // It was reported when the context was destroyed.
        _ if was_found(case) => return,
        _ => CTX_11,
    };
    case.report(
        rule,
        format!("{call} on {thread}, whose current context was destroyed"),
        "a context is not destroyed while it is current on a thread",
        "let the thread finish, or choose another context, before the context is destroyed",
    )
    .about(context)
    .against(dead.ended, "ended the context");
}

/// Whether another thread has ended the context that this one has chosen, and a finding has told of that: what the thread
/// lacks since then is the same mistake.
pub(super) fn end_was_told(case: &Case<'_>) -> bool {
    let (world, thread) = (case.world, case.event().thread);
    let chosen = world.threads.get(&thread).and_then(|state| state.current.or(state.lost));
    let dead = chosen.and_then(|(context, _)| world.contexts.dead(context));
    dead.is_some_and(|dead| {
        let ended = dead.ended;
        ended.thread != thread && (world.kept.contains(&ended.object) || world.contradicted.contains(&ended.number))
    })
}

/// Whether a reset has ended the context of this thread, and findings have told that it leaves something over and that the
/// program goes on to use that.
fn reset_was_told(case: &Case<'_>) -> bool {
    let world = case.world;
    let lost = world.threads.get(&case.event().thread).and_then(|state| state.lost);
    let reset = lost.map(|(_, by)| by.object).filter(|object| object.kind == Kind::Device);
    reset.is_some_and(|device| {
        world.kept.contains(&device) && world.devices.get(&device.number).is_some_and(|device| device.reset_too_early)
    })
}

/// Whether a finding has named the call that made the thread's context current.
fn was_found(case: &Case<'_>) -> bool {
    let state = case.world.threads.get(&case.event().thread);
    let chosen = state.and_then(|state| state.current);
    chosen.is_some_and(|(_, by)| case.world.contradicted.contains(&by.number))
}

/// Pairs of set and reset, and the choice of contexts.
fn devices(case: &mut Case<'_>) {
    match case.event().op {
        Op::Reset | Op::ResetForce if case.event().object.kind == Kind::Device => reset(case),
        Op::MakeCurrent | Op::Destroy if case.event().object.kind == Kind::Context => context(case),
        Op::EndThread => thread_ends(case),
        _ => {}
    }
}

/// Only a device that is set may be reset. A forced reset takes the device from all threads at once. The manual lets
/// one of them do that at the end, so a second forced reset is a mistake.
fn reset(case: &mut Case<'_>) {
    let (object, forced) = (case.event().object, case.event().op == Op::ResetForce);
    let device = case.world.devices.get(&object.number);
    if device.is_some_and(|device| !device.sets.is_empty()) {
        return;
    }
    if case.world.refused_sets.contains(&object.number) || super::process::was_finalised_too_early(case) {
        return;
    }
    let thread = case.event().thread;
    if device.is_some_and(|device| device.reset_too_early) {
        // It is the reset for the last set: the one before was the mistake.
        case.told = true;
        return;
    }
    let earlier = device.and_then(|device| device.reset);
    // That the device was taken from this thread was reported.
    let told = |by: &Call| case.world.contradicted.contains(&by.number) || case.world.kept.contains(&object);
    if earlier.is_some_and(|(by, _)| by.thread != thread && told(&by)) {
        return;
    }
    if let Some(by) = earlier.filter(|(_, by_force)| !forced && *by_force) {
        case.report(
            DEV_09,
            format!("{object} is reset after a reset by force, which has taken back every set"),
            "of counted and forced resets the forced one is the last",
            "reset the device by force after all other resets, and not again",
        )
        .about(object)
        .against(by.0, "reset it by force");
        return;
    }
    if let Some(by) = earlier.filter(|(by, by_force)| forced && *by_force && by.thread != thread) {
        case.report(
            DEV_08,
            format!("{object} is reset by force on {thread} after another thread has reset it by force"),
            "one forced reset, for all threads that have set the device",
            "let the last user of the device reset it by force, or pair every aclrtSetDevice with aclrtResetDevice",
        )
        .about(object)
        .against(by.0, "took the device from all threads");
        return;
    }
    case.report(
        DEV_07,
        format!("{object} is reset, but it is not set"),
        "one reset for each aclrtSetDevice",
        "reset the device as often as it was set",
    )
    .about(object)
    .against_any(earlier.map(|(by, _)| by), "reset it for the last time");
}

fn context(case: &mut Case<'_>) {
    let (object, destroys) = (case.event().object, case.event().op == Op::Destroy);
    if let Some(context) = case.world.contexts.get(object) {
        let (made, default) = (context.made, context.data.default);
        if default && destroys {
            case.report(
                CTX_02,
                "a default context is destroyed",
                "a context that aclrtCreateContext created",
                "do not destroy it: it ends with the last reset of its device",
            )
            .about(object)
            .against(made, "set the device, which created the context");
        }
        if destroys && !default {
            destroyed_elsewhere(case, object);
        }
        return;
    }
    let dead = case.world.contexts.dead(object);
    let reset = dead.is_some_and(|dead| dead.ended.object.kind == Kind::Device);
    let what = if destroys { "destroyed" } else { "made current" };
    case.report(
        if reset && !destroys { CTX_06 } else { CTX_03 },
        match dead {
            Some(_) => format!("a context is {what} after it ended"),
            None => format!("an object is {what} that is not a context"),
        },
        "a live context",
        "destroy each context once, after its last use",
    )
    .about(object)
    .against_any(dead.map(|dead| dead.ended), "ended it");
}

/// CTX-11.
fn destroyed_elsewhere(case: &mut Case<'_>, context: Object) {
    let (world, thread) = (case.world, case.event().thread);
    let elsewhere = world.threads.iter().filter(|(other, _)| **other != thread);
    let having = elsewhere.filter_map(|(_, state)| state.current.filter(|(current, _)| *current == context));
    let chosen: Vec<_> = having.map(|(_, by)| by).collect();
    let Some(first) = chosen.first().copied() else { return };
    // What the other threads have made there ends with it.
    let mut theirs = world.streams_of(context);
    theirs.retain(|stream| stream.kind == Kind::Stream);
    theirs.extend(super::teardown::instances(world, context));
    theirs.retain(|object| world.made(*object).is_some_and(|made| made.thread != thread));
    case.report(
        CTX_11,
        format!("{context} is destroyed while it is current on {} other thread(s)", chosen.len()),
        "the context is current on no other thread",
        "let the thread make another context current first, such as the default context of its device",
    )
    .about(context)
    .all(theirs)
    .against(first, "made it current on its own thread, where it still is");
}

/// CTX-14.
fn thread_ends(case: &mut Case<'_>) {
    let world = case.world;
    let Some(state) = world.threads.get(&case.event().thread) else { return };
    let Some((context, by)) = state.current else { return };
    // One such thread is enough to keep the context forever, so only the first one is reported.
    let known = world.contexts.get(context).filter(|context| !context.data.default && !context.data.outlived);
    // A finding has reported that the context was left over.
    if known.is_none() || world.kept.contains(&context) {
        return;
    }
    let thread = case.event().thread;
    case.report(
        CTX_14,
        format!("{thread} ends while {context} is current on it"),
        "a default context, or none, is current on a thread that ends",
        "make the device's default context current (aclrtSetDevice) before the thread ends",
    )
    .about(context)
    .against(by, "made it current");
}
