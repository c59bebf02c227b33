//! MEM, MODEL, GRAPH: memory is freed, and graphs are destroyed, when nothing uses them any more.

use super::clock::{Now, Task};
use super::in_flight::{also, excused_by, listed, others};
use super::models::loaded_in;
use super::registry::Entry;
use super::scene::Case;
use super::world::{Fate, Graph, World};
use crate::catalogue::*;
use crate::events::{Kind, Object, Op, Role, Use};
use crate::rule::RuleId;

pub(super) fn judge(case: &mut Case<'_>) {
    let object = case.event().object;
    if case.event().op == Op::Destroy && object.kind == Kind::Graph {
        return replayed(case, object);
    }
    if case.event().op == Op::Replay {
        return without(case, object);
    }
    if super::live::ends(case.event().op) && matches!(object.kind, Kind::Model | Kind::Event) {
        return part_of(case, object);
    }
    // If the wrong function frees the memory, the right one might have waited for the work, or have come after it.
    let by_another = case.findings.iter().any(|finding| finding.rule == MEM_03);
    if super::live::ends(case.event().op)
        && object.kind == Kind::Memory
        && !by_another
        && case.world.blocks.get(object).is_some()
    {
        let _ = queued(case, object) || running(case, object) || loaded(case, object) || captured(case, object);
    }
}

/// Whether queued work may still use the memory. The synchronising free waits for the streams of the current context
/// (MEM-13). A free that is queued on a stream comes after the stream's earlier work.
fn queued(case: &mut Case<'_>, object: Object) -> bool {
    let (world, order) = (case.world, case.world.order());
    let waits = matches!(case.event().op, Op::FreeSynced | Op::FreeHostSynced);
    let current = case.event().context.map(Object::context);
    let waited = |task: &Task| {
        let stream = world.streams.get(task.stream);
        waits && stream.is_some_and(|stream| Some(stream.data.context) == current)
    };
    let Some(block) = world.blocks.get(object) else { return false };
    let queue = case.event().queue();
    let tasks = block
        .in_flight
        .all_unordered(&order, world.now(queue), |task| !waited(task) && !block.data.is_reported(task.stream, queue));
    let Some(task) = tasks.first() else { return false };
    let others = others(case, &tasks);
    let rule = if waits { Some(DEV_17) } else { excused_by(case, task) };
    let graph = Some(task.call.object).filter(|object| object.kind == Kind::Graph);
    let user = graph.map_or_else(|| task.stream.to_string(), |graph| format!("a replay of {graph} on {}", task.stream));
    case.report(
        rule.unwrap_or_else(|| if graph.is_some() { GRAPH_05 } else { rule_for(task.role, task.is_of_operator()) }),
        format!("{object} is freed while {user} may still use it as {}{}", task.role.name(), also(&others)),
        "the work is complete: a thread has waited for it",
        format!("synchronise {} before the memory is freed", listed(task.stream, &others)),
    )
    .about(object)
    .all(graph)
    .about(task.stream)
    .all(others)
    .against(task.call, "queued work that uses the memory");
    true
}

/// Whether a graph whose tasks use the memory can still be replayed.
fn captured(case: &mut Case<'_>, object: Object) -> bool {
    let Some(span) = case.world.blocks.get(object).map(|block| block.data.span) else { return false };
    let uses = |used: &Use| match used {
        Use::Memory { span: captured, role, .. } => captured.overlaps(span).then_some(*role),
        _ => None,
    };
    let graphs = replayable(case.world);
    let mut users =
        graphs.filter_map(|(graph, entry)| Some((graph, entry.made, entry.data.memory.iter().find_map(uses)?)));
    let Some((graph, made, role)) = users.next() else { return false };
    // That the others are not destroyed either is the same mistake.
    let others: Vec<Object> = users.map(|(graph, ..)| graph).collect();
    case.report(
        GRAPH_05,
        format!("{object} is freed while {graph} has it as {}", role.name()),
        "the graph is destroyed first",
        "destroy the graph (aclmdlRIDestroy), then free the memory that its tasks use",
    )
    .about(object)
    .about(graph)
    .all(others)
    .against(made, "ended the capture of the tasks that use the memory");
    true
}

/// The graphs that can be replayed, without those that another thread is destroying.
fn replayable(world: &World) -> impl Iterator<Item = (Object, &Entry<Graph>)> {
    let graphs = world.graphs.live().filter(|(_, graph)| graph.ending.is_none());
    graphs.filter(|(graph, _)| !world.kept.contains(graph))
}

/// GRAPH-05: a model or an event ends, and a graph whose tasks use it can still be replayed.
fn part_of(case: &mut Case<'_>, object: Object) {
    let graphs = replayable(case.world).filter(|(_, entry)| entry.data.objects.contains(&object));
    let mut users = graphs.map(|(graph, entry)| (graph, entry.made));
    let Some((graph, made)) = users.next() else { return };
    let others: Vec<Object> = users.map(|(graph, _)| graph).collect();
    case.report(
        GRAPH_05,
        format!("{object} is ended while {graph} has it"),
        "the graph is destroyed first",
        "destroy the graph (aclmdlRIDestroy), then what its tasks use",
    )
    .about(object)
    .about(graph)
    .all(others)
    .against(made, "ended the capture of the tasks that use it");
}

/// GRAPH-05: a graph is replayed, and a model or an event of its tasks has ended.
fn without(case: &mut Case<'_>, graph: Object) {
    let objects = case.world.graphs.get(graph).into_iter().flat_map(|entry| &entry.data.objects);
    let ended = objects.copied().find_map(|object| match case.world.fate(object) {
        Fate::Dead(dead) => Some((object, dead.ended)),
        _ => None,
    });
    let Some((object, ended)) = ended else { return };
    case.report(
        GRAPH_05,
        format!("{graph} is replayed, and {object} of its tasks has ended"),
        "everything that was captured lives",
        "destroy the graph (aclmdlRIDestroy), then what its tasks use",
    )
    .about(graph)
    .about(object)
    .against(ended, format!("ended the {}", object.kind));
}

/// GRAPH-07: a graph is destroyed when no replay is running.
fn replayed(case: &mut Case<'_>, object: Object) {
    let (world, order) = (case.world, case.world.order());
    let Some(entry) = world.graphs.get(object) else { return };
    let replay = entry.in_flight.unordered(&order, Now::Host, |_| true);
    if let Some((stream, call)) = replay.map(|task| (task.stream, task.call)) {
        case.report(
            GRAPH_07,
            format!("{object} is destroyed while its replay on {stream} may still be running"),
            "all its replays are complete",
            format!("synchronise {stream} first"),
        )
        .about(object)
        .about(stream)
        .against(call, "queued the replay");
    }
}

/// Whether another thread is in a call that uses the memory. A block that goes back to its allocator is not used any more:
/// the free function may have told another thread of it before it returns.
fn running(case: &mut Case<'_>, object: Object) -> bool {
    let Some(span) = case.world.blocks.get(object).map(|block| block.data.span) else { return false };
    let mut calls = case.elsewhere().filter(|other| other.scene.event.op != Op::GiveBack);
    let user = calls.find_map(|other| {
        let used = other.scene.memory.iter().find(|used| used.role != Role::Contents && used.span.overlaps(span))?;
        Some((other.scene.call, used.role))
    });
    let Some((call, role)) = user else { return false };
    case.report(
        rule_for(role, super::clock::is_of_operator(call)),
        format!("{object} is freed while another thread uses it as {}", role.name()),
        "no call uses the memory",
        "wait for the other thread before the memory is freed",
    )
    .about(object)
    .against(call, "uses the memory, and has not returned");
    true
}

/// Whether a model that was given the memory is still loaded.
fn loaded(case: &mut Case<'_>, object: Object) -> bool {
    let Some(span) = case.world.blocks.get(object).map(|block| block.data.span) else { return false };
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

fn rule_for(role: Role, of_operator: bool) -> RuleId {
    match role {
        Role::Input | Role::Output if of_operator => MEM_02,
        Role::Input | Role::Output => MODEL_17,
        Role::Workspace => MODEL_02,
        Role::Weights => MODEL_03,
        _ => MEM_02,
    }
}
