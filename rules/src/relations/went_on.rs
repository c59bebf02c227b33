//! Programs, and threads of them, that go on behind an end that came too early.

use super::process;
use super::scene::Scene;
use super::world::{Fate, World};
use crate::catalogue::DEV_07;
use crate::events::{Event, Kind, Object, Op, Thread};
use crate::finding::{Call, Finding};

/// What an earlier finding has told the cause of is no mistake of the call that comes now.
pub(super) fn excuse(world: &mut World, scene: &Scene) {
    leave_over(world, &scene.event);
    if uses(scene.event.op) && goes_on_with_what_was_left_over(world, scene) {
        world.process.too_early = true;
    }
}

/// Another thread has ended the context of a thread, and a finding has told that the thread had it. So the thread could not
/// end what it has made. That this is still there when the device or the library ends is the same mistake.
fn leave_over(world: &mut World, event: &Event) {
    let last = match event.op {
        Op::Reset if event.object.kind == Kind::Device => {
            world.devices.get(&event.object.number).is_some_and(|device| device.sets_left() == 1)
        }
        Op::Release => world.process.initialised.len() == 1,
        Op::Finalise => true,
        _ => false,
    };
    if !last {
        return;
    }
    let goes_on = |thread: Thread| {
        let state = world.threads.get(&thread).filter(|_| thread != event.thread);
        let chosen = state.and_then(|state| state.current.or(state.lost)).map(|(context, _)| context);
        // The call that was to end it is the last one that concerns it.
        let ended = |context: Object| match world.fate(context) {
            Fate::Dead(dead) => Some(dead.ended),
            Fate::Live { used, .. } => used,
            Fate::Unknown => None,
        };
        let told = chosen.filter(|context| world.kept.contains(context)).and_then(ended);
        told.is_some_and(|ended| ended.thread != thread)
    };
    let left = process::left(world).into_iter();
    let theirs: Vec<Object> = left.filter(|left| world.made(*left).is_some_and(|made| goes_on(made.thread))).collect();
    world.kept.extend(theirs);
}

/// Whether the library was finalised, a finding has told what that left over, and the call uses some of it.
fn goes_on_with_what_was_left_over(world: &World, scene: &Scene) -> bool {
    let process = &world.process;
    if !process.initialised.is_empty() || process.finalised.is_none() || !process.left_over {
        return false;
    }
    let left = |object: &Object| world.kept.contains(object) && matches!(world.fate(*object), Fate::Live { .. });
    let blocks = scene.memory.iter().filter_map(|used| Some(world.block(used.span.start)?.0));
    scene.event.others().chain([scene.event.object]).chain(blocks).any(|object| left(&object))
}

/// Remembers that the last reset of a device came too early.
pub(super) fn note_reported(world: &mut World, scene: &Scene, findings: &[Finding]) {
    /// A program that does so in a loop is not to fill the memory.
    const REMEMBERED: usize = 16;
    let event = &scene.event;
    if matches!(event.op, Op::Reset | Op::ResetForce) && event.object.kind == Kind::Device {
        let device = world.devices.get_mut(&event.object.number);
        let was_set = device.is_some_and(|device| {
            device.reset_too_early = false;
            device.reset.is_some() || !device.sets.is_empty()
        });
        if !was_set && findings.iter().any(|finding| finding.rule == DEV_07) {
            let resets = &mut world.process.misnamed_resets;
            resets.truncate(REMEMBERED - 1);
            resets.insert(0, scene.call.number);
        }
    }
    if !uses(event.op) {
        return;
    }
    let found = findings.iter().filter_map(|finding| finding.contradicts.as_ref());
    let mut ends: Vec<Call> = found.map(|(earlier, _)| *earlier).collect();
    // The finding of the reset has named what it leaves over.
    let ended = |object: Object| match world.fate(object) {
        Fate::Dead(dead) if world.kept.contains(&object) => Some(dead.ended),
        Fate::Dead(_) | Fate::Live { .. } | Fate::Unknown => None,
    };
    ends.extend(event.others().chain([event.object]).filter_map(ended));
    for device in world.devices.values_mut() {
        let reset = device.reset.map(|(reset, _)| reset);
        device.reset_too_early |= device.sets.is_empty() && reset.is_some_and(|reset| ends.contains(&reset));
    }
}

/// Whether a program makes such a call only if it means to go on. It may wait for what it ends late.
fn uses(op: Op) -> bool {
    matches!(
        op,
        Op::Create
            | Op::Load
            | Op::Allocate
            | Op::Execute
            | Op::Replay
            | Op::Use
            | Op::Fill
            | Op::Record
            | Op::Await
            | Op::LaunchHostFunction
            | Op::LaunchCallback
    )
}
