//! Calls that the library has refused, where the feed knows the rule for which it did.

use super::follows::from_what_was_told;
use super::process::never_began;
use super::scene::Case;
use super::world::{Fate, World};
use crate::events::{Event, Kind, Object, Op};
use crate::finding::Finding;
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
}

/// Reports the rule, unless the refusal follows from one that was told of the same objects.
pub(super) fn judge(case: &mut Case<'_>, refusal: &Refusal) {
    let event = case.event();
    let objects: Vec<Object> = core::iter::once(event.object).chain(event.others()).collect();
    let told = |object: &Object| case.world.explained.contains(&key(refusal.rule, *object));
    if objects.iter().any(told) || from_what_was_told(case) || never_began(case) {
        return;
    }
    let ended = objects.iter().find_map(|object| match case.world.fate(*object) {
        Fate::Dead(dead) => Some((dead.ended, object.kind)),
        Fate::Live { .. } | Fate::Unknown => None,
    });
    let shown = objects.into_iter().filter(|object| object.kind != Kind::Process);
    let report = case.report(refusal.rule, refusal.found.clone(), refusal.expected, refusal.fix).all(shown);
    if let Some((ended, kind)) = ended {
        drop(report.against(ended, format!("ended the {kind}")));
    }
}

/// Remembers what was told.
pub(super) fn note(world: &mut World, finding: &Finding, objects: impl Iterator<Item = Object>) {
    world.explained.extend(objects.map(|object| key(finding.rule, object)));
}

/// A run shows that everything in it is as it should be.
pub(super) fn settle(world: &mut World, event: &Event) {
    if matches!(event.op, Op::Execute | Op::Replay) && !world.explained.is_empty() {
        world.explained.retain(|(_, told)| *told != event.object && event.others().all(|other| *told != other));
    }
}

/// All calls have to do with the process, and few with anything else.
fn key(rule: RuleId, object: Object) -> (Option<RuleId>, Object) {
    (Some(rule).filter(|_| object.kind == Kind::Process), object)
}
