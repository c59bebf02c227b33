//! The checker's state: every object of the events, and the relations between them.

use super::clock::{Clock, InFlight, Key, Now, Order, Stream};
pub(super) use super::objects::*;
use super::recent::Recent;
use super::registry::{Dead, Entry, Registry};
use super::scene::UnderWay;
use crate::catalogue::*;
use crate::events::{self, Kind, Object, Op, Place, Span, Thread};
use crate::finding::{Call, Concerned, Finding};
use crate::rule::RuleId;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default, Debug)]
pub(super) struct World {
    pub(super) calls: u64,
    pub(super) process: Process,
    pub(super) threads: BTreeMap<Thread, ThreadState>,
    pub(super) devices: BTreeMap<u64, Device>,
    pub(super) contexts: Registry<Context>,
    pub(super) streams: Registry<Stream>,
    /// The handles by which programs know default streams.
    pub(super) default_handles: BTreeMap<Object, Object>,
    pub(super) events: Registry<Event>,
    /// The last records of events that have ended.
    pub(super) ended_records: Recent<Object, Record>,
    pub(super) notifies: Registry<Notify>,
    pub(super) blocks: Registry<Block>,
    /// Blocks that ended, by their addresses, as long as no other block has the addresses.
    pub(super) freed: Recent<u64, Freed>,
    pub(super) models: Registry<Model>,
    pub(super) graphs: Registry<Graph>,
    pub(super) channels: Registry<()>,
    pub(super) pools: Registry<Pool>,
    pub(super) ranges: Registry<Range>,
    pub(super) physical: Registry<Physical>,
    pub(super) datasets: Registry<Dataset>,
    pub(super) data_buffers: Registry<DataBuffer>,
    pub(super) descriptors: Registry<Descriptor>,
    pub(super) descriptions: Registry<()>,
    pub(super) registrations: BTreeMap<Object, Registration>,
    /// The blocks of callers' allocators that work may use, by their addresses.
    pub(super) lent: BTreeMap<u64, Lent>,
    /// Objects that were not ended because the call for that broke a rule and failed, and objects that the finding for
    /// that call has named as left over. Nothing more is reported about them.
    pub(super) kept: BTreeSet<Object>,
    /// Objects that do not exist, which a finding has reported.
    pub(super) missed: BTreeSet<Object>,
    /// How many objects of a kind calls failed to create because they broke a rule, which findings have reported. The
    /// program may use a number for each of them, which no call has returned.
    pub(super) not_made: BTreeMap<Kind, usize>,
    /// Devices that calls failed to set because they broke a rule, which findings have reported.
    pub(super) refused_sets: BTreeSet<u64>,
    /// The objects for which calls were refused, which a finding has reported. A later refusal is reported again if a run
    /// has used the object since.
    pub(super) explained: BTreeSet<(Option<RuleId>, Object)>,
    /// The numbers of the calls that a finding has named as contradicted.
    pub(super) contradicted: BTreeSet<u64>,
    /// The work that may use memory of the caller's allocators, by the allocators' objects.
    pub(super) allocators: BTreeMap<Object, InFlight>,
    pub(super) callbacks: BTreeMap<Object, Callback>,
    /// The callback that a thread has begun last for a stream which waits for it: the stream's key, and the count there;
    /// none for one of a replay.
    pub(super) running: BTreeMap<(Thread, Object), Option<(Key, u64)>>,
    /// The streams that wait for records of events, as far as both may not be over.
    pub(super) waits: Vec<Wait>,
    /// The call that last queued a function of the program, or other work that may write memory which no event names.
    pub(super) launched: Option<Call>,
    /// The queued functions of the program that may not be over.
    pub(super) own_code: Vec<OwnCode>,
    pub(super) host: Clock,
    /// The last wait for a device, and the context that it was for.
    pub(super) device_wait: Option<(Call, Object)>,
    pub(super) under_way: Vec<UnderWay>,
    /// Waits for events that were not recorded. What the thread does next decides whether they are mistakes.
    pub(super) stopped: BTreeMap<Thread, (Call, events::Event)>,
}

/// What became of an object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fate {
    Live { made: Call, since: u64, used: Option<Call>, ending: Option<Call> },
    Dead(Dead),
    Unknown,
}

impl World {
    pub(super) fn order(&self) -> Order<'_> {
        Order { host: &self.host, streams: &self.streams }
    }

    /// The user for the order of work: the stream, or the host if there is none.
    pub(super) fn now(&self, queue: Option<Object>) -> Now<'_> {
        let stream = queue.and_then(|stream| self.streams.get(stream));
        stream.map_or(Now::Host, |stream| Now::Queued(&stream.data.clock))
    }

    /// The same for a use that is over before the stream goes on which waits for the callback that the thread is in. What
    /// a callback ends or changes for good is not: work behind it would miss that.
    pub(super) fn now_of(&self, event: &events::Event) -> Now<'_> {
        let running = event.inside.and_then(|stream| self.running.get(&(event.thread, stream)));
        match running.copied() {
            Some(Some((key, count))) if event.queue().is_none() => Now::Callback(key, count),
            Some(None) if event.queue().is_none() => Now::Replayed,
            _ => self.now(event.queue()),
        }
    }

    pub(super) fn fate(&self, object: Object) -> Fate {
        fn of<T>(book: &Registry<T>, object: Object) -> Fate {
            match (book.get(object), book.dead(object)) {
                (Some(entry), _) => {
                    Fate::Live { made: entry.made, since: entry.since, used: entry.used, ending: entry.ending }
                }
                (None, Some(dead)) => Fate::Dead(dead),
                (None, None) => Fate::Unknown,
            }
        }
        match object.kind {
            Kind::Context => of(&self.contexts, object),
            Kind::Stream | Kind::DefaultStream => of(&self.streams, object),
            Kind::Event => of(&self.events, object),
            Kind::Notify => of(&self.notifies, object),
            Kind::Memory => of(&self.blocks, object),
            Kind::Model => of(&self.models, object),
            Kind::Graph => of(&self.graphs, object),
            Kind::Channel => of(&self.channels, object),
            Kind::Pool => of(&self.pools, object),
            Kind::Range => of(&self.ranges, object),
            Kind::Physical => of(&self.physical, object),
            Kind::Dataset => of(&self.datasets, object),
            Kind::DataBuffer => of(&self.data_buffers, object),
            Kind::Descriptor => of(&self.descriptors, object),
            Kind::Description => of(&self.descriptions, object),
            Kind::Process | Kind::Device | Kind::Allocator | Kind::Callback => Fate::Unknown,
        }
    }

    pub(super) fn made(&self, object: Object) -> Option<Call> {
        match self.fate(object) {
            Fate::Live { made, .. } => Some(made),
            Fate::Dead(dead) => Some(dead.made),
            Fate::Unknown => None,
        }
    }

    /// The object with the calls that created it and last used it, for a finding.
    pub(super) fn concerned(&self, object: Object) -> Concerned {
        let (made, used) = match self.fate(object) {
            Fate::Live { made, used, .. } | Fate::Dead(Dead { made, used, .. }) => (Some(made), used),
            Fate::Unknown => (None, None),
        };
        Concerned { object, made, used }
    }

    /// Marks an object as being ended by a call, unless another one is ending it already.
    pub(super) fn mark_ending(&mut self, object: Object, call: Call) {
        if object.kind != Kind::DefaultStream {
            self.note(object, |_, ending| *ending = ending.or(Some(call)));
        }
    }

    /// Reverts [`mark_ending`](Self::mark_ending), because the call has not ended the object.
    pub(super) fn unmark_ending(&mut self, object: Object, call: Call) {
        self.note(object, |_, ending| *ending = ending.filter(|ending| *ending != call));
    }

    /// Notes that a call that breaks a rule has failed to end the object. `reported` are the objects that its findings
    /// name.
    pub(super) fn keep(&mut self, op: Op, object: Object, reported: Vec<Object>) {
        if matches!(object.kind, Kind::Device | Kind::Context | Kind::Process) {
            let ends = matches!(op, Op::Reset | Op::ResetForce | Op::Finalise | Op::Release | Op::Destroy);
            // The rest of a teardown that comes too early follows it: what belongs to no device.
            let teardown = op == Op::Reset && reported.iter().any(|left| left.kind != Kind::Device);
            let last = self.devices.iter().all(|(id, device)| *id == object.number || device.sets.is_empty());
            let mut rest = Vec::new();
            if teardown && last {
                rest.extend(self.blocks.matching(|block| block.device.is_none()));
                rest.extend(self.datasets.matching(|_| true));
                rest.extend(self.data_buffers.matching(|_| true));
                rest.extend(self.descriptors.matching(|_| true));
            }
            let rest = self.forgotten(rest);
            self.kept.extend(rest);
            self.kept.extend(reported.into_iter().chain([object]).filter(|_| ends));
        } else if super::live::ends(op) {
            // The memory in a range or a pool is left over with it.
            self.kept.extend(reported.into_iter().filter(|_| matches!(object.kind, Kind::Range | Kind::Pool)));
            let block = Some(object).filter(|object| object.kind == Kind::Memory);
            let block = block.and_then(|block| Some(self.block(block.number)?.0));
            self.kept.insert(block.unwrap_or(object));
        }
    }

    /// Remembers what is not reported again: that the library is not initialised, that the thread has no context, or
    /// that a model does not exist.
    pub(super) fn note_reported(&mut self, findings: &[Finding], event: &events::Event) {
        let (thread, context) = (event.thread, event.context);
        const LACKING: [RuleId; 5] = [CTX_09, DEV_01, DEV_04, MEM_06, THREAD_01];
        let unknown = |object: &Object| object.kind == Kind::Model && matches!(self.fate(*object), Fate::Unknown);
        let named = findings.iter().flat_map(|finding| finding.objects.iter().map(|concerned| concerned.object));
        let missed: Vec<Object> = named.filter(unknown).collect();
        self.missed.extend(missed);
        // A model or a graph that outlives its memory is reported once.
        let lent = findings.iter().filter(|finding| [GRAPH_05, MODEL_02, MODEL_03, MODEL_09].contains(&finding.rule));
        let left = lent.flat_map(|finding| finding.objects.iter().map(|concerned| concerned.object));
        self.kept.extend(left.filter(|object| matches!(object.kind, Kind::Graph | Kind::Model)));
        // Addresses without memory are reported once, and a call that would end the missing mapping is no second mistake.
        let bare = findings.iter().filter(|finding| finding.rule == VMM_01);
        let ranges = bare.flat_map(|finding| finding.objects.iter().map(|concerned| concerned.object));
        self.kept.extend(ranges.filter(|object| object.kind == Kind::Range));
        self.process.without |= findings.iter().any(|finding| finding.rule == INIT_01);
        // The thread's context ended, by another thread.
        let lost = context.is_some_and(|context| self.contexts.get(Object::context(context)).is_none());
        // A callback that calls the library is one mistake, whatever it lacks.
        let of_callback = |rule: RuleId| rule == CB_01 && context.is_none();
        // The context that was to be made current has ended.
        let ended = |rule: RuleId| event.op == Op::MakeCurrent && [CTX_03, CTX_06].contains(&rule);
        let none = |rule: RuleId| {
            context.is_none() && ended(rule) || lost && (ended(rule) || [CTX_11, DEV_08].contains(&rule))
        };
        let lacking = |rule: RuleId| LACKING.contains(&rule) || of_callback(rule) || none(rule);
        if findings.iter().any(|finding| finding.rule == CB_01) {
            self.threads.entry(thread).or_default().told_inside = true;
        }
        // The registration that was refused is taken back, too.
        if findings.iter().any(|finding| finding.rule == ALLOC_01) {
            self.missed.insert(Object::stream(0));
        }
        if findings.iter().any(|finding| lacking(finding.rule)) {
            self.threads.entry(thread).or_default().reported = true;
        }
    }

    /// Remembers the calls that the findings name as contradicted.
    pub(super) fn note_contradicted(&mut self, findings: &[Finding]) {
        /// How many contradicted calls are remembered.
        const REMEMBERED: usize = 4096;
        let contradicted = findings.iter().filter_map(|finding| Some(finding.contradicts.as_ref()?.0.number));
        self.contradicted.extend(contradicted);
        while self.contradicted.len() > REMEMBERED {
            self.contradicted.pop_first();
        }
    }

    /// Whether the thread has no context, which was reported.
    pub(super) fn lacks_context(&self, event: &events::Event) -> bool {
        let context = event.context.and_then(|context| self.contexts.get(Object::context(context)));
        context.is_none() && self.threads.get(&event.thread).is_some_and(|thread| thread.reported)
    }

    /// Those of the objects that the program has not tried to end.
    pub(super) fn forgotten(&self, mut objects: Vec<Object>) -> Vec<Object> {
        objects.retain(|object| !self.kept.contains(object));
        objects
    }

    /// Whether a call that names the object means the live one, and not an earlier one with the same handle.
    pub(super) fn means(&self, call: Call, object: Object) -> bool {
        match self.fate(object) {
            Fate::Live { since, .. } => call.number > since,
            Fate::Dead(_) | Fate::Unknown => true,
        }
    }

    /// Notes a call that an object takes part in.
    pub(super) fn touch(&mut self, object: Object, call: Call) {
        self.note(object, |used, _| *used = Some(call));
    }

    /// Changes what is remembered of a live object: the last use, and what is ending it.
    fn note(&mut self, object: Object, change: impl FnOnce(&mut Option<Call>, &mut Option<Call>)) {
        fn of<T>(book: &mut Registry<T>, object: Object, change: impl FnOnce(&mut Option<Call>, &mut Option<Call>)) {
            if let Some(entry) = book.get_mut(object) {
                change(&mut entry.used, &mut entry.ending);
            }
        }
        match object.kind {
            Kind::Context => of(&mut self.contexts, object, change),
            Kind::Stream | Kind::DefaultStream => of(&mut self.streams, object, change),
            Kind::Event => of(&mut self.events, object, change),
            Kind::Notify => of(&mut self.notifies, object, change),
            Kind::Memory => of(&mut self.blocks, object, change),
            Kind::Model => of(&mut self.models, object, change),
            Kind::Graph => of(&mut self.graphs, object, change),
            Kind::Channel => of(&mut self.channels, object, change),
            Kind::Pool => of(&mut self.pools, object, change),
            Kind::Range => of(&mut self.ranges, object, change),
            Kind::Physical => of(&mut self.physical, object, change),
            Kind::Dataset => of(&mut self.datasets, object, change),
            Kind::DataBuffer => of(&mut self.data_buffers, object, change),
            Kind::Descriptor => of(&mut self.descriptors, object, change),
            Kind::Description => of(&mut self.descriptions, object, change),
            Kind::Process | Kind::Device | Kind::Allocator | Kind::Callback => {}
        }
    }

    /// The block that an address is in.
    pub(super) fn block(&self, address: u64) -> Option<(Object, &Entry<Block>)> {
        let found = self.blocks.up_to(Object::memory(address))?;
        (address < found.1.data.span.end()).then_some(found)
    }

    /// The mapping that begins where this one ends. Calls use both as one piece of memory.
    pub(super) fn goes_on_in(&self, block: &Block) -> Option<&Block> {
        let next = self.blocks.get(Object::memory(block.span.end()))?;
        (block.mapped && next.data.mapped).then_some(&next.data)
    }

    /// The bytes of a span, parted where one mapping ends and the next one begins.
    pub(super) fn parts(&self, span: Span) -> impl Iterator<Item = Span> {
        let mut rest = Some(span);
        core::iter::from_fn(move || {
            let span = rest.take()?;
            let block = self.block(span.start).map(|(_, block)| &block.data);
            let Some(end) = block.filter(|block| self.goes_on_in(block).is_some()).map(|block| block.span.end()) else {
                return Some(span);
            };
            rest = (end < span.end()).then(|| Span::new(end, span.end() - end));
            Some(Span::new(span.start, end.min(span.end()) - span.start))
        })
    }

    /// The reserved range that an address is in.
    pub(super) fn range(&self, address: u64) -> Option<(Object, &Entry<Range>)> {
        let found = self.ranges.up_to(Object::range(address))?;
        (address < found.1.data.span.end()).then_some(found)
    }

    /// The blocks of memory for which `wanted` holds and that no call is ending.
    pub(super) fn blocks_where(&self, wanted: impl Fn(&Block) -> bool) -> Vec<Object> {
        let blocks = self.blocks.live().filter(|(_, entry)| entry.ending.is_none() && wanted(&entry.data));
        self.forgotten(blocks.map(|(block, _)| block).collect())
    }

    /// How many bytes of memory there are from an address on, if it is in a block.
    pub(super) fn room(&self, address: u64) -> Option<u64> {
        let (_, block) = self.block(address)?;
        let last = core::iter::successors(Some(&block.data), |block| self.goes_on_in(block)).last()?;
        Some(last.span.end() - address)
    }

    /// Where an address is; what is in no block is the program's own memory.
    pub(super) fn place(&self, address: u64) -> Place {
        match self.block(address) {
            Some((_, block)) if block.data.device.is_some() => Place::Device,
            _ => Place::Host,
        }
    }

    /// The ended block in which an address was, if no live block has the address.
    pub(super) fn freed_block(&self, address: u64) -> Option<(Object, Freed)> {
        if self.block(address).is_some() {
            return None;
        }
        let (start, freed) = self.freed.range(..=address).next_back()?;
        (address < start.saturating_add(freed.bytes)).then_some((Object::memory(start), *freed))
    }

    pub(super) fn context_device(&self, context: Option<u64>) -> Option<u64> {
        self.contexts.get(Object::context(context?)).map(|context| context.data.device)
    }

    /// The streams of a context.
    pub(super) fn streams_of(&self, context: Object) -> Vec<Object> {
        self.streams.matching(|stream| stream.context == context)
    }

    /// The allocator that serves the stream. One that was registered after the first operator does not (ALLOC-15).
    pub(super) fn serving(&self, stream: Object) -> Option<&Registration> {
        let is_late = self.streams.get(stream).is_some_and(|stream| stream.data.allocated.is_some());
        self.registrations.get(&stream).filter(|_| !is_late)
    }

    /// Whether all work that a stream was given is over.
    pub(super) fn is_idle(&self, stream: Object) -> bool {
        let under_way = self.under_way.iter().filter(|call| call.scene.event.queue() == Some(stream));
        let last = under_way.map(|call| call.count).max().unwrap_or(0);
        self.streams.get(stream).is_none_or(|stream| {
            !stream.data.runs_its_work() || self.host.at(stream.data.key) >= stream.data.last.max(last)
        })
    }
}
