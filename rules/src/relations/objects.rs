//! What is remembered of each kind of object.

use super::clock::{Awaited, Clock, Key, Position};
use crate::events::{Member, Object, Span, Thread, Use};
use crate::finding::Call;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default, Debug)]
pub(super) struct Process {
    pub(super) initialised: Vec<Call>,
    pub(super) finalised: Option<Call>,
    /// The initialisation that failed last.
    pub(super) refused: Option<Call>,
    /// The numbers of the latest resets of devices that nothing had set, which findings have reported: each was meant for
    /// another device.
    pub(super) misnamed_resets: Vec<u64>,
    /// Whether a finding has reported that nothing initialises the library.
    pub(super) without: bool,
    /// Whether a finding has reported that the last finalisation leaves objects over.
    pub(super) left_over: bool,
    /// An earlier end of a device or a context, which was found, has left objects over.
    pub(super) left_over_before: bool,
    /// Whether a finding has reported that the last finalisation came too early: it ended the library for others, too, or the
    /// program went on.
    pub(super) too_early: bool,
}

/// A thread and its current context.
#[derive(Default, Debug)]
pub(super) struct ThreadState {
    pub(super) current: Option<(Object, Call)>,
    /// The context that the thread had and lost, and the call that took it.
    pub(super) lost: Option<(Object, Call)>,
    /// Whether a finding has reported that the thread has no context.
    pub(super) reported: bool,
    /// Whether a finding has reported that the callback which runs here calls the library.
    pub(super) told_inside: bool,
    /// Objects that were used while this context was current, and the contexts and devices of those that were ended: a
    /// finding has reported that this is the wrong context for them.
    pub(super) elsewhere: BTreeSet<Object>,
}

#[derive(Default, Debug)]
pub(super) struct Device {
    /// By the thread that has set it, and together for threads that have ended.
    pub(super) sets: BTreeMap<Option<Thread>, Sets>,
    pub(super) default_context: Option<Object>,
    /// The reset that released it last, and whether it did so by force.
    pub(super) reset: Option<(Call, bool)>,
    /// Whether a call behind that reset uses what it has ended, which a finding has told: the reset came too early.
    pub(super) reset_too_early: bool,
    /// The number of the last call that released it by force: what was there before could not be ended.
    pub(super) forced: u64,
    /// Whether a reset has taken back a set, and others are left.
    pub(super) was_reset_once: bool,
    pub(super) peers: BTreeSet<u64>,
}

/// How often a thread has set a device without a reset.
#[derive(Debug)]
pub(super) struct Sets {
    count: u64,
    /// The first of them. A reset belongs to the last.
    first: Call,
}

impl Device {
    pub(super) fn note_set(&mut self, call: Call) {
        self.sets.entry(Some(call.thread)).or_insert(Sets { count: 0, first: call }).count += 1;
    }

    /// How many resets are to come.
    pub(super) fn sets_left(&self) -> u64 {
        self.sets.values().map(|sets| sets.count).sum()
    }

    /// A set to which no reset belongs.
    pub(super) fn unpaired_set(&self) -> Option<Call> {
        self.sets.values().map(|sets| sets.first).max_by_key(|set| set.number)
    }

    /// The reset belongs to a set of its thread, if there is one.
    pub(super) fn take_back_set(&mut self, thread: Thread) {
        let own = Some(thread);
        let oldest = || self.sets.iter().min_by_key(|(_, sets)| sets.first.number).map(|(thread, _)| *thread);
        let Some(of) = self.sets.contains_key(&own).then_some(own).or_else(oldest) else { return };
        self.was_reset_once = true;
        if let Some(sets) = self.sets.get_mut(&of) {
            sets.count -= 1;
            if sets.count == 0 {
                self.sets.remove(&of);
            }
        }
    }

    /// The thread has ended. Its sets still count.
    pub(super) fn outlives(&mut self, thread: Thread) {
        let Some(Sets { count, first }) = self.sets.remove(&Some(thread)) else { return };
        let ended = self.sets.entry(None).or_insert(Sets { count: 0, first });
        ended.count += count;
        if first.number < ended.first.number {
            ended.first = first;
        }
    }
}

#[derive(Debug)]
pub(super) struct Context {
    pub(super) device: u64,
    pub(super) default: bool,
    /// Whether it was current on a thread that has ended.
    pub(super) outlived: bool,
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) device: u64,
    pub(super) plain: bool,
    pub(super) ex: bool,
    pub(super) waitable: bool,
    pub(super) timed: bool,
    pub(super) external: bool,
    /// Other processes use it, too.
    pub(super) shared: bool,
    pub(super) record: Option<Record>,
    /// The streams that waited for it before it was recorded.
    pub(super) awaited_in_vain: Vec<Object>,
    /// A stream that waits in vain resets it behind that wait.
    pub(super) reset_behind: bool,
}

impl Event {
    /// Whether a wait for it before its first record stops the stream until the next one.
    pub(super) fn stops_streams(&self) -> bool {
        !self.plain && !self.ex
    }
}

#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) call: Call,
    pub(super) stream: Object,
    pub(super) key: Key,
    pub(super) count: u64,
    /// What is over when the event is reached.
    pub(super) clock: Clock,
    /// The stream had waited for something unknown, so any other work may be over as well.
    pub(super) fenced: bool,
}

/// A callback that is queued and has not begun.
#[derive(Clone, Debug)]
pub(super) struct Callback {
    /// What queued it.
    pub(super) call: Call,
    /// The key of its stream.
    pub(super) key: Key,
    /// Its count on the stream.
    pub(super) count: u64,
    /// The stream waits for it.
    pub(super) blocks: bool,
    /// What is over when it begins.
    pub(super) awaited: Awaited,
}

/// A stream that waits for a record of an event.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    pub(super) call: Call,
    pub(super) event: Object,
    pub(super) by: Position,
    /// What it waits for. The event may have another record by now, or none.
    pub(super) record: Position,
    /// What is over when the wait is: also what the recording stream had waited for.
    pub(super) over: Awaited,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) span: Span,
    /// Whether a call has written some of it, or was given some of it to write.
    pub(super) written: bool,
    /// The device whose memory it is; `None` for pinned host memory.
    pub(super) device: Option<u64>,
    /// It is memory of the program that is registered.
    pub(super) registered: bool,
    /// It is physical memory that is mapped to reserved addresses.
    pub(super) mapped: bool,
    /// The handle of that memory.
    pub(super) physical: Option<Object>,
    /// Nothing may use the mapping before it is given access.
    pub(super) no_access: bool,
    /// It is memory of another process.
    pub(super) imported: bool,
    /// The call that offered it to other processes, which was not taken back.
    pub(super) offered: Option<Call>,
    /// The pool of the library that it was taken from.
    pub(super) pool: Option<Object>,
    /// It is host memory of which the program has the address on the device. Here both addresses are the same.
    pub(super) reachable: bool,
    /// It comes from the allocator of media processing.
    pub(super) media: bool,
    /// The pairs of streams for which a finding has reported that they use the block without an order.
    pub(super) reported: BTreeSet<[Object; 2]>,
    /// The devices whose work has used the block: a finding has reported that it is on another device.
    pub(super) misplaced: BTreeSet<u64>,
    /// How many models were loaded with weights in it.
    pub(super) weights_of: usize,
}

impl Block {
    /// Whether a finding has reported that the two streams are not in order.
    pub(super) fn is_reported(&self, a: Object, b: Option<Object>) -> bool {
        b.is_some_and(|b| self.reported.contains(&[a.min(b), a.max(b)]))
    }
}

/// What is remembered of a block that ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freed {
    pub(super) bytes: u64,
    /// It was registered memory of the program, which the program may use again.
    pub(super) registered: bool,
}

#[derive(Debug)]
pub(super) struct Model {
    pub(super) context: Object,
    pub(super) work: Option<Span>,
    pub(super) weights: Option<Span>,
    pub(super) dynamic: bool,
}

/// Captured work.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) context: Object,
    /// The memory that its tasks use, according to the event that created it.
    pub(super) memory: Vec<Use>,
    /// Models and events.
    pub(super) objects: Vec<Object>,
    /// Its runs come one after the other, whatever the streams.
    pub(super) in_turn: bool,
}

/// Queued work that runs a function of the program.
#[derive(Debug)]
pub(super) struct OwnCode {
    pub(super) stream: Object,
    pub(super) key: Key,
    pub(super) count: u64,
}

#[derive(Debug)]
pub(super) struct Notify {
    /// It is of another process.
    pub(super) imported: bool,
}

/// A memory pool of the library.
#[derive(Debug)]
pub(super) struct Pool {
    pub(super) device: Option<u64>,
}

/// Addresses that are reserved.
#[derive(Debug)]
pub(super) struct Range {
    pub(super) span: Span,
}

/// Physical memory by its handle.
#[derive(Debug)]
pub(super) struct Physical {
    pub(super) bytes: u64,
    /// The device whose memory it is; `None` for memory of the host.
    pub(super) device: Option<u64>,
    /// Whether another process has allocated it.
    pub(super) imported: bool,
    /// How many more handles of it the program has asked for than it has freed.
    pub(super) retained: u64,
    /// Whether one of several handles was freed.
    pub(super) freed_once: bool,
}

#[derive(Default, Debug)]
pub(super) struct Dataset {
    pub(super) buffers: Vec<Object>,
}

#[derive(Debug)]
pub(super) struct DataBuffer {
    pub(super) span: Span,
    /// The end of the dataset that had it.
    pub(super) orphaned: Option<Call>,
}

#[derive(Default, Debug)]
pub(super) struct Descriptor {
    pub(super) members: BTreeSet<Member>,
    pub(super) object: Option<Object>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Registration {
    pub(super) call: Call,
    pub(super) descriptor: Object,
    pub(super) object: Option<Object>,
    /// Work that takes memory was queued on its stream.
    pub(super) serves: bool,
    /// The first such work that was queued on a stream without an allocator since then.
    pub(super) elsewhere: Option<Call>,
    /// The first run of a model with open shapes since then that had no stream.
    pub(super) at_once: Option<Call>,
    /// The forced reset that has ended the stream, until the program unregisters, or a finding tells that it has not.
    pub(super) lost: Option<Call>,
}

/// A block of a caller's allocator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lent {
    pub(super) span: Span,
    pub(super) allocator: Object,
    pub(super) stream: Object,
    /// The work that it was taken for.
    pub(super) key: Key,
    pub(super) count: u64,
    pub(super) taken: Call,
    /// The library has it.
    pub(super) out: bool,
}
