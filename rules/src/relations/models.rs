//! MODEL: which runs may go on at the same time, and the memory that models were given.

use super::clock::Now;
use super::scene::{Case, MemoryUse, works_in_its_own};
use super::world::Model;
use crate::catalogue::*;
use crate::events::{Access, Object, Op, Role, Span};
use crate::rule::RuleId;

/// Returns whether no other run conflicts with this call.
pub(super) fn judge(case: &mut Case<'_>) -> bool {
    let before = case.findings.len();
    match case.event().op {
        Op::Execute => runs(case),
        Op::Unload => unload(case),
        _ => {}
    }
    overwritten(case);
    case.findings.len() == before
}

fn runs(case: &mut Case<'_>) {
    let (world, order, object) = (case.world, case.world.order(), case.event().object);
    let Some(entry) = world.models.get(object) else { return };
    let queue = case.event().queue();
    // Several runs may go on at the same time if each is given working memory.
    let own = works_in_its_own(case.event());
    let apart = |role: Role| own && role == Role::Workspace;
    let earlier = entry.in_flight.unordered(&order, world.now_of(case.event()), |task| !apart(task.role));
    if let Some((stream, call)) = earlier.map(|task| (task.stream, task.call)) {
        let here = queue.map_or("at once".to_owned(), |queue| format!("on {queue}"));
        case.report(
            MODEL_15,
            format!("{object} is run {here} while its run on {stream} may still be running"),
            "one run of a model at a time",
            format!("synchronise {stream} first, use one stream, or load the model a second time"),
        )
        .about(object)
        .about(stream)
        .against(call, "queued the other run");
        return;
    }
    let mut others = case.elsewhere().filter(|other| other.scene.event.op == Op::Execute);
    let other = others.find(|other| {
        // A run that is being queued is found by what it uses, when it is in the queue.
        let is_at_once = queue.is_none() || other.scene.event.queue().is_none();
        let same = other.scene.event.object == object && !(own && works_in_its_own(&other.scene.event));
        same || (is_at_once && shares(&case.scene.memory, &other.scene.memory))
    });
    let Some(other) = other else { return };
    let (call, with) = (other.scene.call, other.scene.event.object);
    let both_at_once = queue.is_none() && other.scene.event.queue().is_none();
    let stream = queue.and_then(|queue| world.streams.get(queue));
    // Its queue may wait until the other run has returned.
    let may_wait = stream.is_some_and(|stream| stream.data.fenced.is_some());
    if with != object && queue.is_some() && !may_wait {
        case.report(
            MODEL_04,
            format!("{object} is queued while another thread runs {with}, and the two share working memory"),
            "one run after the other of models that share working memory",
            "give each model working memory of its own, or queue the run when the other one has returned",
        )
        .about(object)
        .about(with)
        .against(call, "runs the other model, and has not returned");
    } else if with == object && both_at_once {
        case.report(
            MODEL_16,
            format!("two threads run {object} at the same time"),
            "one lock for filling the inputs and running the model",
            "give each thread a model of its own, or hold a lock around both",
        )
        .about(object)
        .against(call, "runs the model, and has not returned");
    } else if with != object && both_at_once {
        case.report(
            MODEL_06,
            format!("two threads run {object} and {with} at the same time, and the two share working memory"),
            "one lock for the runs of models that share working memory",
            "give each model working memory of its own, or hold a lock around the runs",
        )
        .about(object)
        .about(with)
        .against(call, "runs the other model, and has not returned");
    }
}

fn shares(own: &[MemoryUse], other: &[MemoryUse]) -> bool {
    let work = |used: &&MemoryUse| used.role == Role::Workspace;
    own.iter().filter(work).any(|own| other.iter().filter(work).any(|other| own.span.overlaps(other.span)))
}

fn unload(case: &mut Case<'_>) {
    let (world, order, object) = (case.world, case.world.order(), case.event().object);
    let Some(entry) = world.models.get(object) else { return };
    let run = entry.in_flight.unordered(&order, Now::Host, |_| true);
    if let Some((stream, call)) = run.map(|task| (task.stream, task.call)) {
        case.report(
            MODEL_14,
            format!("{object} is unloaded while its run on {stream} may still be running"),
            "all its runs are complete",
            format!("synchronise {stream} first"),
        )
        .about(object)
        .about(stream)
        .against(call, "queued the run");
    }
}

/// MODEL-09: weights that models were given are only read.
fn overwritten(case: &mut Case<'_>) {
    let written = |used: &&MemoryUse| used.access == Access::Write && used.role != Role::Contents;
    let weights = case.scene.memory.iter().filter(written).find_map(|used| {
        let model = lent(case, used.span, |model| model.weights)?;
        Some((used.span, model))
    });
    if let Some((span, model)) = weights {
        let made = case.world.made(model);
        case.report(
            MODEL_09,
            format!("{span} are written while {model} has its weights there"),
            "weights are only read while a model that uses them is loaded",
            "unload the model first, or write elsewhere",
        )
        .about(model)
        .against_any(made, "loaded the model with these weights");
    }
}

/// The model that is loaded in this memory, and the rule against freeing the memory.
pub(super) fn loaded_in(case: &Case<'_>, span: Span) -> Option<(RuleId, Object)> {
    let work = lent(case, span, |model| model.work).map(|model| (MODEL_02, model));
    let shared = || {
        let models = case.world.block(span.start).map(|(_, block)| block.data.weights_of).unwrap_or_default();
        if models > 1 { MODEL_09 } else { MODEL_03 }
    };
    work.or_else(|| lent(case, span, |model| model.weights).map(|model| (shared(), model)))
}

fn lent(case: &Case<'_>, span: Span, area: impl Fn(&Model) -> Option<Span>) -> Option<Object> {
    // An unload that broke a rule and was refused was reported, so that model does not count.
    let mut models = case.world.models.live().filter(|(model, _)| !case.world.kept.contains(model));
    models.find(|(_, entry)| area(&entry.data).is_some_and(|area| area.overlaps(span))).map(|(model, _)| model)
}
