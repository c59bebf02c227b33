//! MEM, MODEL: memory is freed when nothing uses it any more.

use super::clock::Task;
use super::in_flight::excused_by;
use super::models::loaded_in;
use super::scene::Case;
use crate::catalogue::*;
use crate::events::{Kind, Object, Op, Role};
use crate::rule::RuleId;

pub(super) fn judge(case: &mut Case<'_>) {
    let object = case.event().object;
    if super::live::ends(case.event().op) && object.kind == Kind::Memory && case.world.blocks.get(object).is_some() {
        let _ = queued(case, object) || running(case, object) || loaded(case, object);
    }
}

/// Queued work may still use it. The synchronising free waits for the streams of the current context (MEM-13). A free
/// that a stream takes comes after the work that the stream has before.
fn queued(case: &mut Case<'_>, object: Object) -> bool {
    let (world, order) = (case.world, case.world.order());
    let waits = matches!(case.event().op, Op::FreeSynced | Op::FreeHostSynced);
    let current = case.event().context.map(Object::context);
    let waited = |task: &Task| {
        let stream = world.streams.get(task.stream);
        waits && stream.is_some_and(|stream| Some(stream.is.context) == current)
    };
    let Some(block) = world.blocks.get(object) else { return false };
    let task = block.in_flight.unordered(&order, world.now(case.event().queue()), |task| !waited(task)).cloned();
    let Some(task) = task else { return false };
    let rule = if waits { Some(DEV_17) } else { excused_by(case, &task) };
    case.report(
        rule.unwrap_or_else(|| rule_for(task.role)),
        format!("{object} is freed while {} may still use it as {}", task.stream, task.role.name()),
        "the work is complete: a thread has waited for it",
        format!("synchronise {} before the memory is freed", task.stream),
    )
    .about(object)
    .about(task.stream)
    .against(task.call, "queued work that uses the memory");
    true
}

/// Another thread is in a call that uses it.
fn running(case: &mut Case<'_>, object: Object) -> bool {
    let Some(span) = case.world.blocks.get(object).map(|block| block.is.span) else { return false };
    let user = case.elsewhere().find_map(|other| {
        let used = other.scene.memory.iter().find(|used| used.role != Role::Contents && used.span.overlaps(span))?;
        Some((other.scene.call, used.role))
    });
    let Some((call, role)) = user else { return false };
    case.report(
        rule_for(role),
        format!("{object} is freed while another thread uses it as {}", role.name()),
        "no call uses the memory",
        "wait for the other thread before the memory is freed",
    )
    .about(object)
    .against(call, "uses the memory, and has not returned");
    true
}

/// A model that was given the memory is still loaded.
fn loaded(case: &mut Case<'_>, object: Object) -> bool {
    let Some(span) = case.world.blocks.get(object).map(|block| block.is.span) else { return false };
    let Some((rule, model)) = loaded_in(case, span) else { return false };
    let made = case.world.made(model);
    case.report(
        rule,
        format!("{object} is freed while {model} is loaded in it"),
        "the model is unloaded first",
        "unload the model, then free the memory that it was loaded with",
    )
    .about(object)
    .about(model)
    .against_any(made, "loaded the model with this memory");
    true
}

fn rule_for(role: Role) -> RuleId {
    match role {
        Role::Input | Role::Output => MODEL_17,
        Role::Workspace => MODEL_02,
        Role::Weights => MODEL_03,
        _ => MEM_02,
    }
}
