//! INIT: initialising, finalising, and what is left over then.

use super::scene::Case;
use super::world::Process;
use crate::catalogue::*;
use crate::events::{Kind, Object, Op};
use crate::finding::Call;

pub(super) fn judge(case: &mut Case<'_>) {
    let process = &case.world.process;
    match case.event().op {
        Op::Initialise => {}
        Op::Release | Op::Finalise => finalise(case),
        op if process.initialised.is_empty() && takes_library(op) => not_initialised(case),
        _ => {}
    }
}

/// Waits, queries and callbacks on objects that came to be without an initialisation add nothing to that.
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

/// Whether a failed initialisation is the reason that there is nothing to use. What calls break then is not told: it
/// follows from the one mistake. Strict checks refuse each call that takes the library, so no context comes to be.
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
    let left = left(case);
    let mut of_others = false;
    match *process.initialised.as_slice() {
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
    // A caller that initialises uses none of the objects that end here. What the library does itself, and the end of a
    // thread, are no calls of the program, which cannot know when they are over: the scope of scoped threads ends a
    // moment before.
    let of_library =
        |op: Op| matches!(op, Op::Take | Op::GiveBack | Op::Reenter | Op::Alter | Op::Touch | Op::GiveUp | Op::Begin);
    let uses = |op: Op| !of_library(op) && !matches!(op, Op::Initialise | Op::Release | Op::EndThread);
    let other = case.elsewhere().find(|other| uses(other.scene.event.op)).map(|other| other.scene.call);
    if let Some(other) = other {
        case.report(
            INIT_10,
            "the library is finalised while another thread is in a call",
            "the other threads have finished",
            "join the threads that use the library, then finalise",
        )
        .against(other, "has not returned");
    }
    // What other parts of the program have is not left over, but taken from them.
    if !left.is_empty() && !of_others {
        case.report(
            INIT_02,
            format!("the library is finalised while {} of the program's objects are alive", left.len()),
            "every object is destroyed and every device is reset first",
            "synchronise, unload models, destroy streams, events and notifies, free memory, destroy contexts, reset the devices",
        )
        .all(left);
    }
}

/// The objects of the program that are still there, and that it has not tried to end.
fn left(case: &Case<'_>) -> Vec<Object> {
    let world = case.world;
    // A thread that set a device and has ended has no use for it any more. The manual only advises to reset it there.
    let lives = |set: &Call| world.threads.contains_key(&set.thread);
    let set = world.devices.iter().filter(|(_, device)| device.sets.iter().any(lives));
    let mut left: Vec<Object> = set.map(|(id, _)| Object::device(*id)).collect();
    left.extend(world.contexts.those(|context| !context.default));
    left.extend(world.streams.live().map(|(stream, _)| stream).filter(|stream| stream.kind == Kind::Stream));
    left.extend(world.events.those(|_| true));
    left.extend(world.notifies.those(|_| true));
    left.extend(world.blocks.those(|_| true));
    left.extend(super::virtual_memory::left(world, |_| true));
    left.extend(world.ranges.those(|_| true));
    left.extend(world.pools.those(|_| true));
    left.extend(world.models.those(|_| true));
    left.extend(world.datasets.those(|_| true));
    left.extend(world.data_buffers.those(|_| true));
    left.extend(world.descriptors.those(|_| true));
    world.forgotten(left)
}

/// INIT-03.
pub(super) fn at_exit(case: &mut Case<'_>) {
    let tried = case.world.kept.contains(&Object::PROCESS);
    if let Some(last) = case.world.process.initialised.last().copied().filter(|_| !tried) {
        let left = left(case);
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
