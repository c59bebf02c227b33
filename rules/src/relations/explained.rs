//! Calls that the library has refused, where the feed knows the rule for which it did.

use super::follows::from_reported_mistake;
use super::process::never_began;
use super::scene::{Case, UnderWay};
use super::world::{Fate, World};
use crate::catalogue::CTX_10;
use crate::events::{Event, Kind, Object, Op};
use crate::rule::RuleId;
use std::borrow::Cow;

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
pub(super) fn judge(case: &mut Case<'_>, refusal: &Refusal) {
    let (world, objects) = (case.world, &refusal.objects);
    let told = |object: &Object| {
        world.explained.contains(&key(refusal.rule, *object)) || world.kept.contains(object) && !is_process(*object)
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
    let shown = objects.iter().copied().filter(|object| !is_process(*object));
    let report = case.report(rule, refusal.found.clone(), refusal.expected, refusal.fix).all(shown);
    if let Some((ended, object)) = ended {
        drop(report.against(ended, format!("ended the {}", object.kind)));
    }
}

/// Remembers what was reported, now or before. If the refused call is under way, what it was to end is left over.
pub(super) fn note(world: &mut World, event: &Event, refusal: &Refusal) {
    world.explained.extend(refusal.objects.iter().map(|object| key(refusal.rule, *object)));
    let mine = |call: &&mut UnderWay| call.scene.call.thread == event.thread && call.scene.call.name == event.call;
    if let Some(call) = world.under_way.iter_mut().rev().find(mine) {
        call.reported.get_or_insert_with(|| refusal.objects.clone());
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
