//! INIT: initialising, finalising, and what is left over then.

use super::scene::{Case, Scene};
use super::world::{Process, World};
use crate::catalogue::*;
use crate::events::{Kind, Object, Op, Thread};
use crate::finding::{Call, Finding};
use crate::rule::RuleId;

pub(super) fn judge(case: &mut Case<'_>) {
    let process = &case.world.process;
    match case.event().op {
        Op::Initialise => {}
        Op::Release | Op::Finalise => finalise(case),
        op if process.initialised.is_empty() && takes_library(op) => not_initialised(case),
        _ => {}
    }
}

/// Whether a call without an initialisation is reported. Waits, queries and callbacks are not: they need an object, and
/// the call that created it was reported.
fn takes_library(op: Op) -> bool {
    matches!(
        op,
        Op::Set
            | Op::Reset
            | Op::ResetForce
            | Op::Create
            | Op::Load
            | Op::Allocate
            | Op::Destroy
            | Op::DestroyForce
            | Op::Unload
            | Op::Free
            | Op::FreeHost
            | Op::FreeSynced
            | Op::FreeHostSynced
    )
}

fn not_initialised(case: &mut Case<'_>) {
    if ended_for_others(case) {
        return;
    }
    let (what, call) = (case.event().object, case.event().call);
    let process = &case.world.process;
    match (process.refused, process.finalised) {
        (Some(refused), None) => case
            .report(
                INIT_01,
                "aclInit failed, and the program continues without the library",
                "aclInit has succeeded before",
                "check the code that aclInit returns, and aclGetRecentErrMsg, before any other call",
            )
            .against(refused, "failed to initialise the library"),
        (_, Some(finalised)) => case
            .report(
                INIT_02,
                format!("{call} after the library was finalised"),
                "finalising comes last",
                "release every object and reset every device before the library is finalised",
            )
            .about(what)
            .against(finalised, "finalised the library"),
        (None, None) => case.report(
            INIT_01,
            format!("{call} before the library was initialised"),
            "aclInit has succeeded before",
            "call aclInit first",
        ),
    };
}

/// Whether the library was ended for a part of the program that goes on to use it: that was reported.
fn ended_for_others(case: &Case<'_>) -> bool {
    let process = &case.world.process;
    if super::current::end_was_told(case) {
        return true;
    }
    // What a thread has is left over, and the thread goes on.
    let elsewhere = process.finalised.is_some_and(|finalised| finalised.thread != case.event().thread);
    process.too_early || (process.left_over || process.left_over_before) && elsewhere
}

/// Whether a finding has told so: what the thread has lost by then, and what it no longer has to end, is the same mistake.
pub(super) fn was_finalised_too_early(case: &Case<'_>) -> bool {
    let process = &case.world.process;
    let now = case.findings.iter().any(|finding| finding.rule == INIT_02);
    process.initialised.is_empty() && (process.too_early || now)
}

/// Whether a missing or failed initialisation is the reason that there are no objects. Then further findings would only
/// repeat that mistake. Strict checks refuse every call that needs the library, so no context is ever created.
pub(super) fn never_began(case: &Case<'_>) -> bool {
    let (world, process) = (case.world, &case.world.process);
    let first = case.findings.iter().any(|finding| finding.rule == INIT_01);
    (first || failed(process)) && world.contexts.live().next().is_none()
}

fn failed(process: &Process) -> bool {
    let never = process.refused.is_some() || process.without;
    process.initialised.is_empty() && never && process.finalised.is_none()
}

fn finalise(case: &mut Case<'_>) {
    let process = &case.world.process;
    if failed(process) {
        return not_initialised(case);
    }
    let all = case.event().op == Op::Finalise;
    let mut left = left(case.world);
    let mut of_others = false;
    match *process.initialised.as_slice() {
        [] if ended_for_others(case) => return,
        [] => {
            case.report(
                INIT_08,
                "the library is finalised more often than it was initialised",
                "one finalise for each aclInit",
                "let one part of the program initialise and finalise",
            )
            .against_any(process.finalised, "finalised the library");
            return;
        }
        [.., last] if all && process.initialised.len() > 1 => {
            let count = process.initialised.len();
            case.report(
                INIT_07,
                format!("aclFinalize while {count} initialisations are counted"),
                "aclFinalizeReference, which takes one of them back",
                "call aclFinalizeReference once for each aclInit",
            )
            .all(left.iter().copied())
            .against(last, "initialised the library for another part of the program");
            of_others = true;
        }
        [_, _, ..] => return,
        [_] => {}
    }
    // A thread that initialises uses none of the objects that end here. Actions of the library itself and the end of a
    // thread are not calls of the program, and it cannot know when they are over: for example, a scope of scoped
    // threads ends a moment before its threads do.
    let of_library =
        |op: Op| matches!(op, Op::Take | Op::GiveBack | Op::Reenter | Op::Alter | Op::Touch | Op::GiveUp | Op::Begin);
    let uses = |op: Op| !of_library(op) && !matches!(op, Op::Initialise | Op::Release | Op::EndThread);
    let others: Vec<Call> =
        case.elsewhere().filter(|other| uses(other.scene.event.op)).map(|other| other.scene.call).collect();
    // What such a thread has made or used last is there because the thread is.
    let of_them = |call: Option<Call>| call.is_some_and(|call| others.iter().any(|other| other.thread == call.thread));
    left.retain(|object| {
        let concerned = case.world.concerned(*object);
        !of_them(concerned.made) && !of_them(concerned.used)
    });
    if let Some(other) = others.first().copied() {
        case.report(
            INIT_10,
            "the library is finalised while another thread is in a call",
            "the other threads have finished",
            "join the threads that use the library, then finalise",
        )
        .against(other, "has not returned");
    }
    // Objects of other parts of the program are not left over: INIT-07 was reported for them.
    if !of_others {
        left_over(case, left);
    }
}

/// INIT-02. If only data buffers of destroyed datasets are left, the rule is DATA-04, and if only sets are left that have no
/// reset, DEV-06.
fn left_over(case: &mut Case<'_>, left: Vec<Object>) {
    let world = case.world;
    let orphan = |object: &Object| world.data_buffers.get(*object).and_then(|entry| entry.data.orphaned);
    let Some(first) = left.first() else { return };
    if let Some(destroyed) = orphan(first).filter(|_| left.iter().all(|object| orphan(object).is_some())) {
        case.report(
            DATA_04,
            format!("the library is finalised while {} data buffers of destroyed datasets are alive", left.len()),
            "each data buffer is destroyed, too",
            "call aclDestroyDataBuffer for each buffer of a dataset (aclmdlGetDatasetBuffer)",
        )
        .all(left)
        .against(destroyed, "destroyed the dataset alone");
        return;
    }
    let device = |object: &Object| Some(object.number).filter(|_| object.kind == Kind::Device);
    let devices: Vec<_> = left.iter().filter_map(|object| world.devices.get(&device(object)?)).collect();
    let set = devices.first().and_then(|device| device.unpaired_set());
    if devices.len() == left.len() && devices.iter().all(|device| device.was_reset_once) {
        case.report(
            DEV_06,
            format!("{first} was set more often than it was reset, and the library is finalised"),
            "as many resets as sets: what a device has stays there until the last one",
            "call aclrtResetDevice once for each aclrtSetDevice",
        )
        .all(left)
        .against_any(set, "set the device, and no reset belongs to it");
        return;
    }
    case.report(
        INIT_02,
        format!("the library is finalised while {} of the program's objects are alive", left.len()),
        "every object is destroyed, and every device is reset as often as it was set",
        "synchronise, unload models, destroy streams, events and notifies, free memory, destroy contexts, reset the devices",
    )
    .all(left)
    .against_any(set, "set the device, and no reset belongs to it");
}

/// The call has initialised the library.
pub(super) fn initialised(world: &mut World, call: Call) {
    if world.kept.remove(&Object::PROCESS) && world.process.initialised.len() == 1 {
        // The program goes on as if the end had taken place that was refused for a reported mistake.
        world.process.initialised.clear();
    }
    world.process.initialised.push(call);
    world.process.too_early = false;
}

/// Remembers whether objects are left over.
pub(super) fn note_reported(world: &mut World, scene: &Scene, findings: &[Finding]) {
    if matches!(scene.event.op, Op::Release | Op::Finalise) {
        let found = |rule: RuleId| findings.iter().any(|finding| finding.rule == rule);
        world.process.left_over = [DATA_04, DEV_06, INIT_02, INIT_10].into_iter().any(found);
        world.process.left_over_before =
            world.kept.iter().any(|kept| matches!(kept.kind, Kind::Device | Kind::Context));
        world.process.too_early |= found(INIT_07);
    } else if findings.iter().any(|finding| finding.rule == INIT_02) {
        // A call after the finalisation.
        world.process.too_early = true;
    }
}

/// The objects of the program that are still there, and that it has not tried to end.
pub(super) fn left(world: &World) -> Vec<Object> {
    // A set by a thread that has ended does not count: the manual only advises to reset the device on that thread.
    let lives = |thread: &Thread| world.threads.contains_key(thread);
    let set = world.devices.iter().filter(|(_, device)| device.sets.keys().flatten().any(lives));
    // The reset of another device, which was reported, was meant for this one.
    let mut misnamed = world.process.misnamed_resets.clone();
    let mut meant = |device: &super::world::Device| {
        let set = device.unpaired_set().filter(|_| device.sets_left() == 1);
        let reset = misnamed.iter().position(|reset| set.is_some_and(|set| set.number < *reset));
        reset.map(|reset| misnamed.swap_remove(reset)).is_some()
    };
    let mut left: Vec<Object> = set.filter(|(_, device)| !meant(device)).map(|(id, _)| Object::device(*id)).collect();
    left.extend(world.contexts.matching(|context| !context.default));
    left.extend(world.streams.live().map(|(stream, _)| stream).filter(|stream| stream.kind == Kind::Stream));
    left.extend(world.events.matching(|_| true));
    left.extend(world.notifies.matching(|_| true));
    left.extend(world.blocks.matching(|_| true));
    left.extend(super::virtual_memory::left(world, |_| true));
    left.extend(world.ranges.matching(|_| true));
    left.extend(world.pools.matching(|_| true));
    left.extend(world.models.matching(|_| true));
    left.extend(world.graphs.matching(|_| true));
    left.extend(world.channels.matching(|_| true));
    left.extend(world.datasets.matching(|_| true));
    // That the program reads a dataset which it has destroyed was found: it meant to destroy the buffers of that.
    let told = |by: Call| world.contradicted.contains(&by.number);
    left.extend(world.data_buffers.matching(|buffer| !buffer.orphaned.is_some_and(told)));
    left.extend(world.descriptors.matching(|_| true));
    world.forgotten(left)
}

/// INIT-03.
pub(super) fn at_exit(case: &mut Case<'_>) {
    let tried = case.world.kept.contains(&Object::PROCESS);
    if let Some(last) = case.world.process.initialised.last().copied().filter(|_| !tried) {
        let left = left(case.world);
        case.report(
            INIT_03,
            "the process exits while the library is initialised",
            "the library is finalised first",
            "finalise at the end of main, also on the paths that leave it early",
        )
        .about(Object::PROCESS)
        .all(left)
        .against(last, "initialised the library");
    }
}
