//! Vector clocks over streams, which order work.
//!
//! A stream counts its work. A clock stores, for each stream, the count up to which its work is known to be complete.
//! The clock of a stream has the stream's own work. It grows when the stream waits for an event, and covers everything
//! when it waits for what is not known. The clock of the host grows when a thread waits for a stream, an event or a
//! context, when a query reports that one is complete, or when a callback runs.
//!
//! A callback that its stream waits for has an order to both sides: what is queued behind it begins when it has returned.
//!
//! The host has one clock for all its threads, because the checker cannot see how threads notify each other. So work
//! counts as in flight only if no thread can have known that it is complete.

use super::registry::Registry;
use crate::events::{Access, Kind, Object, Role, Span};
use crate::finding::Call;
use std::collections::{BTreeMap, BTreeSet};

/// The number of the call that created a stream. It is unique, unlike handles, which are reused.
pub(super) type Key = u64;

/// For each stream, the count up to which its work is complete.
#[derive(Clone, Default, Debug)]
pub(super) struct Clock(BTreeMap<Key, u64>);

impl Clock {
    pub(super) fn at(&self, stream: Key) -> u64 {
        self.0.get(&stream).copied().unwrap_or(0)
    }

    pub(super) fn raise(&mut self, stream: Key, count: u64) {
        let at = self.0.entry(stream).or_default();
        *at = count.max(*at);
    }

    pub(super) fn join(&mut self, other: &Self) {
        other.0.iter().for_each(|(stream, count)| self.raise(*stream, *count));
    }

    pub(super) fn forget(&mut self, stream: Key) {
        self.0.remove(&stream);
    }

    /// How many streams it knows.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// One use of something by queued work.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) key: Key,
    pub(super) stream: Object,
    /// Its count on the stream.
    pub(super) count: u64,
    pub(super) call: Call,
    /// The bytes that it uses of a block. Empty for other objects.
    pub(super) span: Span,
    pub(super) access: Access,
    pub(super) role: Role,
}

impl Task {
    /// Whether the work is an operator: the call is about the stream, and that of a model about the model.
    pub(super) fn is_of_operator(&self) -> bool {
        is_of_operator(self.call)
    }
}

pub(super) fn is_of_operator(call: Call) -> bool {
    matches!(call.object.kind, Kind::Stream | Kind::DefaultStream)
}

/// Work of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Position {
    pub(super) stream: Object,
    pub(super) key: Key,
    pub(super) count: u64,
}

/// The work that is over when a call has returned.
#[derive(Clone, Default, Debug)]
pub(super) struct Awaited {
    pub(super) clock: Clock,
    /// It may be any work: what is waited for waits for something unknown.
    pub(super) any: bool,
}

/// The user of an object: a stream or the host.
#[derive(Clone, Copy, Debug)]
pub(super) enum Now<'a> {
    /// A thread, in this call.
    Host,
    /// Work that is queued on a stream, which knows this much.
    Queued(&'a Clock),
    /// A thread that runs a callback, which the stream with this key waits for at this count.
    Callback(Key, u64),
    /// A thread that runs a callback of a replay. Which replay it is, and so which work is over by now, the events do not
    /// tell.
    Replayed,
}

/// From a count of a stream on, its work comes after that of another stream up to a count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Behind {
    from: u64,
    pub(super) key: Key,
    count: u64,
}

/// The uses of an object by queued work that may still conflict with other uses.
#[derive(Clone, Default, Debug)]
pub(super) struct InFlight(Vec<Task>);

impl InFlight {
    pub(super) fn push(&mut self, task: Task) {
        self.0.push(task);
    }

    /// Removes the uses of a call that had no effect.
    pub(super) fn take_back(&mut self, call: Call) {
        self.0.retain(|task| task.call != call);
    }

    /// Removes uses that are over, and earlier uses on the same stream that the uses of this call make redundant:
    /// whatever conflicts with the earlier one also conflicts with the later one. A callback that only the later one waits
    /// for does not.
    pub(super) fn settle(&mut self, call: Call, order: &Order<'_>) {
        let own: Vec<Task> = self.0.iter().filter(|task| task.call == call).cloned().collect();
        self.0.retain(|task| {
            let hidden = |own: &Task| {
                own.key == task.key
                    && own.count > task.count
                    && own.span.covers(task.span)
                    && own.access >= task.access
                    && own.role == task.role
                    && !order.is_parted(task, own)
            };
            !order.is_over(task) && !own.iter().any(hidden)
        });
    }

    /// What is not known to be over.
    pub(super) fn pending<'a>(&'a self, order: &'a Order<'a>) -> impl Iterator<Item = &'a Task> {
        self.0.iter().filter(|task| !order.is_over(task))
    }

    /// The first use that `now` has no order with and for which `conflicts` holds.
    pub(super) fn unordered(
        &self,
        order: &Order<'_>,
        now: Now<'_>,
        conflicts: impl Fn(&Task) -> bool,
    ) -> Option<&Task> {
        self.0.iter().find(|task| !order.is_ordered(task, now) && conflicts(task))
    }

    /// All of them.
    pub(super) fn all_unordered(
        &self,
        order: &Order<'_>,
        now: Now<'_>,
        conflicts: impl Fn(&Task) -> bool,
    ) -> Vec<Task> {
        self.0.iter().filter(|task| !order.is_ordered(task, now) && conflicts(task)).cloned().collect()
    }
}

/// What is known of a stream.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) key: Key,
    pub(super) context: Object,
    pub(super) device: u64,
    pub(super) persistent: bool,
    /// It waits for an event whose record was refused, which was reported: what is to become of its work is not known.
    pub(super) untracked: bool,
    /// That its callbacks do not run was reported.
    pub(super) stall_reported: bool,
    /// How much work it was given.
    pub(super) count: u64,
    /// The count of the last work that was accepted.
    pub(super) last: u64,
    /// The work that is over when the stream's next work begins, including its own.
    pub(super) clock: Clock,
    /// What its clock has learnt of streams with callbacks, and when: its earlier work may run beside these.
    pub(super) behind: Vec<Behind>,
    /// A wait for it that ran into its time limit, and the count then.
    pub(super) timed_out: Option<(Call, u64)>,
    /// Work that took memory from the library's own allocator.
    pub(super) allocated: Option<Call>,
    pub(super) subscribed: Option<Call>,
    /// From this count on its work may come after anything that another stream does (`Op::Fence`).
    pub(super) fenced: Option<u64>,
    /// The first host function that was launched on it.
    pub(super) host_function: Option<Call>,
    /// Callbacks for the reporting thread that were queued last.
    pub(super) launched: Option<(Call, u64)>,
}

impl Stream {
    /// Whether its work is in flight once it is queued. That of a persistent stream waits for a run of its model instance.
    pub(super) fn runs_its_work(&self) -> bool {
        !self.persistent && !self.untracked
    }

    pub(super) fn has_callbacks(&self) -> bool {
        self.host_function.is_some() || self.launched.is_some()
    }

    /// The work that comes behind this count also comes after what the clock covers. `calling` are streams with callbacks.
    pub(super) fn follow(&mut self, clock: &Clock, count: u64, host: &Clock, calling: &BTreeSet<Key>) {
        self.behind.retain(|behind| host.at(behind.key) < behind.count);
        // From there on it counts as behind everything.
        if self.fenced.is_none() {
            let others = calling.iter().copied().filter(|key| *key != self.key);
            let more = others.filter(|key| clock.at(*key) > self.clock.at(*key).max(host.at(*key)));
            self.behind.extend(more.map(|key| Behind { from: count + 1, key, count: clock.at(key) }));
        }
        self.clock.join(clock);
    }

    /// Whether the stream's work with this count comes after that of another stream with that count.
    fn follows(&self, own: u64, key: Key, count: u64) -> bool {
        self.behind.iter().any(|behind| behind.key == key && behind.count >= count && behind.from <= own)
    }
}

/// What the host knows, and which streams there are.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) host: &'a Clock,
    pub(super) streams: &'a Registry<Stream>,
}

impl Order<'_> {
    /// Whether the work is over.
    pub(super) fn is_over(&self, task: &Task) -> bool {
        self.is_reached(task.stream, task.key, task.count)
    }

    /// Whether the stream's work up to this count is over: awaited, or gone with the stream.
    pub(super) fn is_reached(&self, stream: Object, key: Key, count: u64) -> bool {
        let alive = self.streams.get(stream).is_some_and(|stream| stream.data.key == key);
        !alive || self.host.at(key) >= count
    }

    /// The same for the work at a position.
    pub(super) fn is_past(&self, position: Position) -> bool {
        self.is_reached(position.stream, position.key, position.count)
    }

    /// Whether the work stands behind a wait of its stream for something that the events do not tell. If another stream
    /// has the handle by now, the work is over.
    fn is_fenced(&self, task: &Task) -> bool {
        let stream = self.streams.get(task.stream);
        stream.and_then(|stream| stream.data.fenced).is_some_and(|fenced| task.count >= fenced)
    }

    /// Whether the stream waits between the two for another one that has callbacks.
    fn is_parted(&self, first: &Task, second: &Task) -> bool {
        let behind = self.streams.get(first.stream).map_or(&[][..], |stream| &stream.data.behind);
        behind.iter().any(|behind| first.count < behind.from && behind.from <= second.count)
    }

    /// Whether the work has an order with what `now` does: it is over before that, or begins after it.
    fn is_ordered(&self, task: &Task, now: Now<'_>) -> bool {
        let ordered = match now {
            Now::Host => false,
            Now::Replayed => true,
            Now::Queued(clock) => clock.at(task.key) >= task.count || self.is_fenced(task),
            // The other way round: the work begins when the callback has returned.
            Now::Callback(key, count) if task.key == key => task.count > count,
            Now::Callback(key, count) => {
                let stream = self.streams.get(task.stream).filter(|stream| stream.data.key == task.key);
                stream.is_some_and(|stream| stream.data.follows(task.count, key, count)) || self.is_fenced(task)
            }
        };
        ordered || self.is_over(task)
    }
}
