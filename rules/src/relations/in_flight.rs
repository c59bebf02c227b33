//! MEM, COPY, STREAM, MODEL: memory that queued work may still use is used by somebody else.
//!
//! Two uses conflict when one of them writes and no wait puts them in order. A use by a thread comes after all work
//! that any thread has waited for. A use by a stream comes after that work, too, and after the work that the stream
//! waited for. A use in a callback also comes before the work that waits for the callback.

use super::clock::{Now, Position, Task};
use super::scene::{Case, MemoryUse, Scene};
use super::world::{Callback, World};
use crate::catalogue::*;
use crate::events::{Access, Kind, Object, Op, Role};
use crate::finding::{Call, Finding};
use crate::rule::{RuleId, Severity};

/// Work that a call has queued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    pub(super) call: Call,
    pub(super) position: Position,
}

pub(super) fn judge(case: &mut Case<'_>) {
    if super::live::ends(case.event().op) {
        return;
    }
    for used in &case.scene.memory {
        if is_used_now(case, used) && conflict(case, used) {
            return;
        }
    }
}

/// Whether the call or its work uses the memory. That which a model is loaded with is used only by its runs.
fn is_used_now(case: &Case<'_>, used: &MemoryUse) -> bool {
    let later = case.event().op == Op::Load && matches!(used.role, Role::Workspace | Role::Weights);
    used.role != Role::Contents && !later
}

/// Reports that the bytes that queued work reads have changed since it was queued, and before a thread has waited for it: the
/// program itself has written them.
pub(super) fn altered(case: &mut Case<'_>, work: &Work) {
    let (world, order, call, stream) = (case.world, case.world.order(), work.call, work.position.stream);
    // If a call overwrote the bytes, that call was reported.
    if order.is_past(work.position) || world.contradicted.contains(&call.number) {
        return;
    }
    let there = case.scene.memory.iter().find_map(|used| Some((used.span, world.block(used.span.start)?)));
    // Memory that was freed and allocated again has other bytes.
    let Some((span, (object, _))) = there.filter(|(_, (_, block))| block.made.number < call.number) else { return };
    let graph = Some(call.object).filter(|object| object.kind == Kind::Graph);
    let queued =
        graph.map_or_else(|| "a copy of them".to_owned(), |graph| format!("a replay of {graph}, which reads them"));
    case.report(
        COPY_04,
        format!("{span} have changed since {stream} was given {queued}"),
        "the source of a queued copy does not change until the work is complete",
        format!("synchronise {stream} (aclrtSynchronizeStream) before writing to the memory"),
    )
    .about(object)
    .all(graph)
    .about(stream)
    .against(call, if graph.is_some() { "queued the replay" } else { "queued the copy" });
}

const ONE_WAITS: &str = "one stream waits for the other";

fn writes(access: Access) -> bool {
    access == Access::Write
}

/// The block that a call uses, and the work that conflicts with that.
fn conflicting(case: &Case<'_>, used: &MemoryUse) -> Option<(Object, Vec<Task>)> {
    let (world, order) = (case.world, case.world.order());
    let (object, block) = world.block(used.span.start)?;
    let queue = case.event().queue();
    let signal = |role| role == Role::Signal;
    let tasks = block.in_flight.all_unordered(&order, world.now_of(case.event()), |task| {
        task.span.overlaps(used.span)
            && (writes(task.access) || writes(used.access))
            && !signal(task.role)
            && !signal(used.role)
            && !in_turn(case, task)
            && !block.data.is_reported(task.stream, queue)
    });
    Some((object, tasks)).filter(|(_, tasks)| !tasks.is_empty())
}

/// Reports a conflict if there is one, and returns whether there is one. If waits for the work on other memory of the same
/// call are missing, too, that is the same mistake.
pub(super) fn conflict(case: &mut Case<'_>, used: &MemoryUse) -> bool {
    let Some((object, mut tasks)) = conflicting(case, used) else { return false };
    let queue = case.event().queue();
    let now = case.world.now_of(case.event());
    let Some(task) = tasks.first().cloned() else { return false };
    let excuse = excused_by(case, &task);
    let on_device = case.world.blocks.get(object).is_some_and(|block| block.data.device.is_some());
    let rule = excuse.unwrap_or_else(|| rule_for(case, used, &task, on_device));
    let mut blocks = Vec::new();
    for other in case.scene.memory.iter().filter(|other| is_used_now(case, other) && !core::ptr::eq(*other, used)) {
        let Some((block, mut more)) = conflicting(case, other) else { continue };
        more.retain(|task| excused_by(case, task) == excuse);
        if !more.is_empty() && block != object && !blocks.contains(&block) {
            blocks.push(block);
        }
        tasks.append(&mut more);
    }
    let others = others(case, &tasks);
    let user = match now {
        Now::Host | Now::Callback(..) | Now::Replayed if case.event().op == Op::Touch => {
            "the program itself".to_owned()
        }
        Now::Host | Now::Callback(..) | Now::Replayed => "this call".to_owned(),
        Now::Queued(..) => queue.map_or_else(String::new, |queue| queue.to_string()),
    };
    let (expected, fix) = order(now, &user, task.stream, &others);
    let verb = |access| if writes(access) { "writes" } else { "reads" };
    case.report(
        rule,
        format!(
            "{user} {} {} as {}, and {}, which {} {} as {}, may still be running{}",
            verb(used.access),
            used.span,
            used.role.name(),
            task.stream,
            verb(task.access),
            task.span,
            task.role.name(),
            also(&others),
        ),
        expected,
        fix,
    )
    .about(object)
    .about(task.stream)
    .all(others)
    .all(blocks)
    .against(task.call, "queued work that uses the memory");
    true
}

/// The order that is expected with the work of these streams, and how to have it.
fn order(now: Now<'_>, user: &str, first: Object, others: &[Object]) -> (&'static str, String) {
    let streams = listed(first, others);
    match now {
        Now::Host => (
            "the work is complete: a thread has waited for it",
            format!("synchronise {streams} first (aclrtSynchronizeStream)"),
        ),
        Now::Callback(..) | Now::Replayed => (
            "the work is complete before the callback begins, or begins when it has returned",
            format!(
                "put the callback in order with the work of {streams} by an event (aclrtRecordEvent, aclrtStreamWaitEvent)"
            ),
        ),
        Now::Queued(..) if others.is_empty() => (
            ONE_WAITS,
            format!("record an event on {first} after its work, and let {user} wait for it (aclrtStreamWaitEvent)"),
        ),
        Now::Queued(..) => (
            ONE_WAITS,
            format!(
                "record an event on {streams} after the work there, one event for each, and let {user} wait for all of \
                 them (aclrtStreamWaitEvent)"
            ),
        ),
    }
}

/// The other streams that the first task's finding names: the wait that is missing would be for them, too.
pub(super) fn others(case: &Case<'_>, tasks: &[Task]) -> Vec<Object> {
    let Some((first, rest)) = tasks.split_first() else { return Vec::new() };
    let excuse = excused_by(case, first);
    let mut others = Vec::new();
    for task in rest.iter().filter(|task| task.stream != first.stream && excused_by(case, task) == excuse) {
        if !others.contains(&task.stream) {
            others.push(task.stream);
        }
    }
    others
}

/// The streams, for a sentence.
pub(super) fn listed(first: Object, others: &[Object]) -> String {
    others.iter().fold(first.to_string(), |before, stream| format!("{before} and {stream}"))
}

/// What is said of the others.
pub(super) fn also(others: &[Object]) -> String {
    others.split_first().map_or_else(String::new, |(first, rest)| format!("; so may {}", listed(*first, rest)))
}

/// A wait for a stream is missing. That is reported where the first thing ends that the stream's work uses, or where the
/// host reads or writes memory of the work. If other things end or are used then, too, that is the same mistake. What is
/// found about datasets is a warning (DATA-10), and hides nothing.
fn note_missing_wait(world: &mut World, object: Object, findings: &[Finding]) {
    let in_flight = match object.kind {
        Kind::Memory => world.blocks.get(object).map(|entry| &entry.in_flight),
        Kind::Model => world.models.get(object).map(|entry| &entry.in_flight),
        Kind::Graph => world.graphs.get(object).map(|entry| &entry.in_flight),
        _ => None,
    };
    let reported = |task: &Task| {
        findings.iter().any(|finding| {
            let earlier = finding.contradicts.as_ref().map(|(call, _)| call.number);
            let named = finding.objects.iter().any(|concerned| concerned.object == task.stream);
            earlier == Some(task.call.number) || earlier.is_some() && named
        })
    };
    let order = world.order();
    let tasks = in_flight.into_iter().flat_map(|in_flight| in_flight.pending(&order));
    let streams: Vec<Object> = tasks.filter(|task| reported(task)).map(|task| task.stream).collect();
    for stream in streams {
        let Some(stream) = world.streams.get_mut(stream) else { continue };
        world.host.join(&stream.data.clock);
        // The callbacks that the stream waits for have run behind that wait.
        let goes_on = |callback: &Callback| callback.key == stream.data.key && !callback.blocks;
        if !world.callbacks.values().any(goes_on) {
            stream.data.launched = None;
        }
    }
}

/// The time between two events of one stream was asked for before a wait. If other calls rely on that wait, too, that is the
/// same mistake.
fn note_early_question(world: &mut World, scene: &Scene) {
    let timed = |object| world.events.get(object).filter(|event| event.data.timed);
    let record = |object| timed(object).and_then(|event| event.data.record.as_ref());
    let end = scene.event.others().find(|other| other.kind == Kind::Event);
    let (Some(first), Some(last)) = (record(scene.event.object), end.and_then(record)) else { return };
    if first.key == last.key && first.count <= last.count {
        let clock = last.clock.clone();
        world.host.join(&clock);
    }
}

/// A wait of one stream for another is missing. What else the two use without an order, of the work that is queued by now,
/// lacks the same wait.
fn note_missing_order(world: &mut World, scene: &Scene, queue: Object) {
    let blocks = scene.memory.iter().filter_map(|used| Some(world.block(used.span.start)?.1));
    let pairs = blocks.flat_map(|block| &block.data.reported).filter(|pair| pair.contains(&queue));
    let others = pairs.flatten().filter(|stream| **stream != queue);
    let clocks: Vec<_> = others.filter_map(|stream| Some(world.streams.get(*stream)?.data.clock.clone())).collect();
    if let Some(stream) = world.streams.get_mut(queue) {
        clocks.iter().for_each(|clock| stream.data.clock.join(clock));
    }
}

/// Remembers pairs of streams that use a block without an order, so that each pair is reported once.
pub(super) fn note_reported(world: &mut World, scene: &Scene, findings: &[Finding]) {
    if !findings.is_empty() && super::live::ends(scene.event.op) {
        note_missing_wait(world, scene.event.object, findings);
    } else if scene.event.queue().is_none() {
        for finding in findings.iter().filter(|finding| finding.rule.severity() == Severity::Misuse) {
            let named = finding.objects.iter().map(|concerned| concerned.object);
            let used: Vec<Object> = named.filter(|object| object.kind == Kind::Memory).collect();
            used.into_iter().for_each(|memory| note_missing_wait(world, memory, std::slice::from_ref(finding)));
        }
    }
    if !findings.is_empty() && scene.event.op == Op::Elapsed {
        note_early_question(world, scene);
    }
    let Some(queue) = scene.event.queue() else { return };
    for finding in findings.iter().filter(|finding| finding.rule.severity() == Severity::Misuse) {
        let named = |wanted: &'static [Kind]| {
            finding.objects.iter().map(|concerned| concerned.object).filter(|object| wanted.contains(&object.kind))
        };
        let block = named(&[Kind::Memory]).next().and_then(|block| world.blocks.get_mut(block));
        if let Some(block) = block {
            let streams = named(&[Kind::Stream, Kind::DefaultStream]).filter(|stream| *stream != queue);
            block.data.reported.extend(streams.map(|stream| [stream.min(queue), stream.max(queue)]));
        }
    }
    note_missing_order(world, scene, queue);
}

/// Whether both are runs of one graph whose runs come one after the other.
fn in_turn(case: &Case<'_>, task: &Task) -> bool {
    let graph = case.event().object;
    task.call.object == graph && case.world.graphs.get(graph).is_some_and(|graph| graph.data.in_turn)
}

fn rule_for(case: &Case<'_>, used: &MemoryUse, task: &Task, on_device: bool) -> RuleId {
    let at_once = case.event().queue().is_none();
    if used.role == Role::Workspace && task.role == Role::Workspace {
        return if at_once { MODEL_04 } else { MODEL_05 };
    }
    if !at_once {
        let default = |kind| kind == Kind::DefaultStream;
        let with_default = default(task.stream.kind) || case.event().queue().is_some_and(|queue| default(queue.kind));
        return if with_default { STREAM_12 } else { STREAM_04 };
    }
    match (used.access, task.role) {
        (Access::Read, Role::Output) if task.is_of_operator() => OP_03,
        (Access::Write, Role::Input | Role::Output) if task.is_of_operator() => COPY_04,
        (Access::Read, Role::Output) => MODEL_17,
        (Access::Read, _) if on_device && case.event().op == Op::Use => COPY_07,
        (Access::Read, _) => COPY_03,
        (Access::Write, Role::Input | Role::Output) => MODEL_17,
        (Access::Write, Role::Weights) => MODEL_09,
        (Access::Write, Role::Workspace) => MODEL_02,
        (Access::Write, _) => COPY_04,
    }
}

/// The rule of a wait that the program may have thought to be sufficient: one that ran into its time limit (STREAM-16),
/// or one for the streams of another context (DEV-17).
pub(super) fn excused_by(case: &Case<'_>, task: &Task) -> Option<RuleId> {
    let stream = case.world.streams.get(task.stream)?;
    if stream.data.timed_out.is_some_and(|(_, count)| task.count <= count) {
        return Some(STREAM_16);
    }
    let (wait, context) = case.world.device_wait?;
    let own = wait.thread == case.scene.call.thread;
    (own && wait.number > task.call.number && context != stream.data.context).then_some(DEV_17)
}
