//! Calls whose findings would only repeat an earlier finding, and refused calls for which the feed knows the rule.

use super::process::never_began;
use super::scene::{Case, UnderWay};
use super::world::{Fate, World};
use crate::catalogue::{CTX_10, DEV_11, GRAPH_06};
use crate::events::{Event, Kind, Object, Op};
use crate::finding::Call;
use crate::rule::RuleId;
use std::borrow::Cow;

/// Whether the call uses or ends an object that an earlier call ended too early or left behind, and a finding has
/// reported that call. What this call breaks is then the same mistake.
pub(super) fn from_reported_mistake(case: &Case<'_>) -> bool {
    let (world, event) = (case.world, case.event());
    // A call that was to prepare the run was refused, and a finding has reported why.
    let unready = |object: Object| world.explained.contains(&(None, object));
    if event.op == Op::Execute && event.others().chain([event.object]).any(unready) {
        return true;
    }
    let process = &world.process;
    let finalised = process.initialised.is_empty() && process.finalised.is_some();
    // The finding of a finalisation does not list all that it leaves over: no descriptions, for example.
    let is_live = || matches!(world.fate(event.object), Fate::Live { .. });
    if finalised && process.left_over && super::live::ends(event.op) && is_live() {
        return true;
    }
    if event.op == Op::Set {
        return false;
    }
    if comes_later_still(case) {
        return true;
    }
    if world.kept.is_empty() {
        return false;
    }
    let over = |object: Object| match world.fate(object) {
        // An object was ended too early. A second end is a separate mistake. So is the use of anything but memory by a
        // call that names it.
        Fate::Dead(dead) if dead.ended.object == object => match object.kind {
            Kind::Memory => !super::live::ends(event.op),
            // The wait that was missing comes after the end.
            Kind::Stream => matches!(event.op, Op::Execute | Op::Replay | Op::Synchronize | Op::Query),
            _ => matches!(event.op, Op::Execute | Op::Replay),
        },
        Fate::Dead(_) => true,
        Fate::Live { .. } | Fate::Unknown => finalised && object.kind != Kind::Process,
    };
    let blocks = case.scene.memory.iter().filter_map(|used| match world.freed_block(used.span.start) {
        Some((block, _)) => Some(block),
        None => world.block(used.span.start).map(|(block, _)| block),
    });
    let named = event.others().chain([event.object]).chain(blocks);
    named.filter(|object| world.kept.contains(object)).any(over)
}

/// Whether an object of the call has ended, and a finding about an earlier call has named the call that ended it: what comes
/// after that end is one mistake, whichever calls it shows in.
fn comes_later_still(case: &Case<'_>) -> bool {
    let (world, event) = (case.world, case.event());
    let told = |object: Object| match world.fate(object) {
        Fate::Dead(dead) => world.contradicted.contains(&dead.ended.number),
        Fate::Live { .. } | Fate::Unknown => false,
    };
    // The program may use its own memory when the registration has ended.
    let freed = case.scene.memory.iter().filter_map(|used| world.freed_block(used.span.start));
    let freed = freed.filter(|(_, freed)| !freed.registered).map(|(block, _)| block);
    event.others().chain([event.object]).chain(freed).any(told)
}

/// The rule that a refused call breaks, in words of the feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Which rule.
    pub rule: RuleId,
    /// What was found.
    pub found: Cow<'static, str>,
    /// What was expected.
    pub expected: &'static str,
    /// What to do.
    pub fix: &'static str,
    /// What the rule is about; the process stands for what there is once.
    pub objects: Vec<Object>,
}

/// Reports the rule, unless the refusal follows from what was reported about the same objects.
pub(super) fn explain(case: &mut Case<'_>, refusal: &Refusal) {
    let (world, objects) = (case.world, &refusal.objects);
    let told = |object: &Object| {
        world.explained.contains(&key(refusal.rule, *object))
            || world.kept.contains(object) && !is_process(*object)
            || is_null(*object) && was_not_made(case, *object)
    };
    if objects.iter().any(told) || from_reported_mistake(case) || never_began(case) {
        return;
    }
    let ended = objects.iter().find_map(|object| match world.fate(*object) {
        Fate::Dead(dead) => Some((dead.ended, *object)),
        Fate::Live { .. } | Fate::Unknown => None,
    });
    let rule = match ended {
        Some((ended, object)) if ended.object != object => CTX_10,
        _ => refusal.rule,
    };
    let shown = objects.iter().copied().filter(|object| !is_process(*object) && !is_null(*object));
    let report = case.report(rule, refusal.found.clone(), refusal.expected, refusal.fix).all(shown);
    if let Some((ended, object)) = ended {
        drop(report.against(ended, format!("ended the {}", object.kind)));
    }
}

/// Remembers what was reported, now or before. If the refused call is under way, what it was to end is left over. What it
/// was to load is not there.
pub(super) fn note(world: &mut World, call: Call, event: &Event, refusal: &Refusal) {
    // What the call was to write is not all known.
    world.launched = Some(call);
    if refusal.rule == DEV_11 {
        // The thread has no context for that.
        world.threads.entry(event.thread).or_default().reported = true;
    }
    if refusal.rule == GRAPH_06 && call.name.starts_with("aclrtStreamWaitEvent") {
        super::orders::as_captured(world, &refusal.objects);
    }
    world.explained.extend(refusal.objects.iter().map(|object| key(refusal.rule, *object)));
    let mine = |call: &&mut UnderWay| call.scene.call.thread == event.thread && call.scene.call.name == event.call;
    if let Some(call) = world.under_way.iter_mut().rev().find(mine) {
        call.reported.get_or_insert_with(|| refusal.objects.clone());
    } else if matches!(event.op, Op::Load | Op::Allocate | Op::Create) {
        *world.not_made.entry(event.object.kind).or_default() += 1;
    }
}

/// A run that succeeded shows that everything that it uses is right.
pub(super) fn settle(world: &mut World, event: &Event) {
    if matches!(event.op, Op::Execute | Op::Replay) && !world.explained.is_empty() {
        world.explained.retain(|(_, told)| *told != event.object && event.others().all(|other| *told != other));
    }
}

/// A rule is reported once for the process, which all calls have to do with, and other objects once for all rules.
fn key(rule: RuleId, object: Object) -> (Option<RuleId>, Object) {
    (Some(rule).filter(|_| is_process(object)), object)
}

fn is_process(object: Object) -> bool {
    object.kind == Kind::Process
}

/// Whether it stands for null, where the call was to be given an object of this kind.
fn is_null(object: Object) -> bool {
    object.number == 0 && !is_process(object) && !matches!(object.kind, Kind::Device | Kind::Model)
}

/// Whether a finding has told why there is no such object: the call was refused that was to make it, or the thread has no
/// context to make it in.
fn was_not_made(case: &Case<'_>, null: Object) -> bool {
    let world = case.world;
    let thread = world.threads.get(&case.event().thread);
    world.not_made.get(&null.kind).is_some_and(|count| *count > 0)
        || world.missed.contains(&null)
        || thread.is_some_and(|thread| thread.reported)
}
