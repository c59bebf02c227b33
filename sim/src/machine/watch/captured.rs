//! Streams whose work is recorded instead of run. The checker does not judge this work, because it is not in flight. It
//! learns what the work uses when the work has become a graph, and judges the graph's replays.

use crate::locks::lock;
use crate::machine::watch::{CHECKER, call};
use ascendcl_rules::{Event, Object, Op, Use};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The work that a stream was given since it began to keep it.
#[derive(Default)]
struct Kept {
    uses: Vec<Use>,
    /// A task group is open. Its tasks may be replaced by others, which use other memory.
    in_group: bool,
}

static CAPTURED: Mutex<BTreeMap<usize, Kept>> = Mutex::new(BTreeMap::new());
/// How many there are, to look at without the lock.
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

/// A task group begins or ends on the stream.
pub(crate) fn groups_tasks(stream: usize, begins: bool) {
    lock(&CAPTURED).get_mut(&stream).into_iter().for_each(|kept| kept.in_group = begins);
}

pub(super) fn is_kept(stream: usize) -> bool {
    COUNT.load(SeqCst) > 0 && lock(&CAPTURED).contains_key(&stream)
}

/// The call has given work to a stream that keeps it.
pub(super) fn kept(stream: usize, event: &Event) {
    /// A capture may have any number of tasks.
    const MOST: usize = 10_000;
    // The two locks are not held together.
    let used = lock(&CHECKER).as_ref().map(|checker| checker.memory_of(event)).unwrap_or_default();
    let mut captured = lock(&CAPTURED);
    let Some(Kept { uses, in_group: false }) = captured.get_mut(&stream) else { return };
    for used in used {
        if uses.len() < MOST && !uses.contains(&used) {
            uses.push(used);
        }
    }
}

/// A capture has ended, and its tasks use this.
pub(crate) fn became_a_graph(instance: usize, uses: Vec<Use>) {
    let made = call(Op::Create, Object::graph(0)).using_all(uses);
    made.begin_always().made(instance);
}
