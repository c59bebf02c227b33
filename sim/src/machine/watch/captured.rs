//! Streams whose work is recorded instead of run. The checker does not judge this work, because it is not in flight. It
//! learns what the work uses when the work has become a graph, and judges the graph's replays.

use crate::abi::Address;
use crate::failure::Failure;
use crate::locks::lock;
use crate::machine::watch::{CHECKER, call, span};
use ascendcl_rules::{Access, Event, Flag, Kind, Object, Op, Role, Use};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The work that a stream was given since it began to keep it.
#[derive(Default)]
struct Kept {
    uses: Vec<Use>,
    /// What the tasks of the open task group use. They may be replaced by others, which use other memory.
    group: Option<Vec<Use>>,
}

/// What a graph with task groups uses.
#[derive(Default)]
struct Grouped {
    /// Its tasks in no group.
    fixed: Vec<Use>,
    /// By their handles, the groups.
    groups: BTreeMap<usize, Vec<Use>>,
}

impl Grouped {
    fn all(&self) -> Vec<Use> {
        let mut all = self.fixed.clone();
        self.groups.values().flatten().for_each(|used| {
            if !all.contains(used) {
                all.push(*used);
            }
        });
        all
    }
}

static CAPTURED: Mutex<BTreeMap<usize, Kept>> = Mutex::new(BTreeMap::new());
/// By their numbers, the graphs that have task groups, also while they are captured.
static GROUPED: Mutex<BTreeMap<usize, Grouped>> = Mutex::new(BTreeMap::new());
/// How many streams keep their work, to look at without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The work of the stream with this number is kept from here on.
pub(crate) fn begins_to_keep(stream: usize) {
    let mut captured = lock(&CAPTURED);
    captured.insert(stream, Kept::default());
    COUNT.store(captured.len(), SeqCst);
}

/// It runs again, or the stream is destroyed. Answers what the kept work uses.
pub(crate) fn keeps_no_more(stream: usize) -> Vec<Use> {
    if COUNT.load(SeqCst) == 0 {
        return Vec::new();
    }
    let mut captured = lock(&CAPTURED);
    let kept = captured.remove(&stream).unwrap_or_default();
    COUNT.store(captured.len(), SeqCst);
    kept.uses
}

/// A task group begins on the stream.
pub(crate) fn group_begins(stream: usize) {
    lock(&CAPTURED).get_mut(&stream).into_iter().for_each(|kept| kept.group = Some(Vec::new()));
}

/// The task group on the stream ends. Answers what its tasks use.
pub(crate) fn group_ends(stream: usize) -> Vec<Use> {
    lock(&CAPTURED).get_mut(&stream).and_then(|kept| kept.group.take()).unwrap_or_default()
}

/// The graph that is captured has this group.
pub(crate) fn has_group(graph: usize, group: usize, uses: Vec<Use>) {
    lock(&GROUPED).entry(graph).or_default().groups.insert(group, uses);
}

/// The tasks of the group were replaced, and the new ones use this. A replay that was queued before uses what it used.
pub(crate) fn group_was_updated(graph: usize, group: usize, uses: Vec<Use>) {
    let mut grouped = lock(&GROUPED);
    let Some(known) = grouped.get_mut(&graph) else { return };
    known.groups.insert(group, uses);
    let all = known.all();
    drop(grouped);
    let changed = call(Op::Change, Object::graph(graph as u64)).using_all(all).begin_always();
    drop(changed.end(Ok::<_, Failure>(())));
}

/// The graph was destroyed.
pub(crate) fn has_no_groups(graph: usize) {
    lock(&GROUPED).remove(&graph);
}

/// How many graphs have task groups.
#[cfg(test)]
pub(in crate::machine) fn count_grouped() -> usize {
    lock(&GROUPED).len()
}

/// Also what captures have left that came to nothing. No graph has the number of another one.
pub(super) fn clear() {
    lock(&GROUPED).clear();
}

pub(crate) fn is_kept(stream: usize) -> bool {
    COUNT.load(SeqCst) > 0 && lock(&CAPTURED).contains_key(&stream)
}

/// The call has given work to a stream that keeps it.
pub(super) fn kept(stream: usize, event: &Event) {
    // The two locks are not held together.
    let used = lock(&CHECKER).as_ref().map(|checker| checker.used_by(event)).unwrap_or_default();
    keep(stream, used);
}

/// A task that the stream with this number keeps uses this as well.
pub(crate) fn keeps_for_a_task(stream: usize, start: Address, bytes: usize, (access, role): (Access, Role)) {
    if is_kept(stream) {
        let span = span(start, bytes);
        keep(stream, vec![Use::Memory { span, access, role, claimed: None }]);
    }
}

fn keep(stream: usize, used: Vec<Use>) {
    /// A capture may have any number of tasks.
    const MOST: usize = 10_000;
    let mut captured = lock(&CAPTURED);
    let Some(Kept { uses, group }) = captured.get_mut(&stream) else { return };
    let uses = group.as_mut().unwrap_or(uses);
    for used in used {
        if uses.len() < MOST && !uses.contains(&used) {
            uses.push(used);
        }
    }
}

/// A build has ended, and the tasks of its streams use this. Of events only the streams of the instance know.
pub(crate) fn became_a_built_graph(instance: usize, mut uses: Vec<Use>) {
    uses.retain(|used| !matches!(used, Use::With(object) if object.kind == Kind::Event));
    call(Op::Create, Object::graph(0)).flag(Flag::InTurn, true).using_all(uses).begin_always().made(instance);
}

/// A capture has ended, and its tasks use this.
pub(crate) fn became_a_graph(instance: usize, uses: Vec<Use>) {
    let mut grouped = lock(&GROUPED);
    let uses = match grouped.get_mut(&instance) {
        Some(known) => {
            known.fixed = uses;
            known.all()
        }
        None => uses,
    };
    drop(grouped);
    let made = call(Op::Create, Object::graph(0)).using_all(uses);
    made.begin_always().made(instance);
}
