//! The checker: relations between objects, judged over one stream of events.
//!
//! One file per relation. A relation compares a [`Scene`](scene::Scene) with the [`World`](world::World) before it and
//! reports conflicts. Only [`effects`] changes the world. If the events do not contain enough information, a relation
//! reports nothing: a finding always is a broken rule.

mod allocators;
mod callbacks;
mod clock;
mod current;
mod data;
mod effects;
mod endings;
mod events;
mod follows;
#[cfg(test)]
mod growth_tests;
mod in_flight;
mod lent;
mod live;
mod lives;
mod lost;
mod media;
mod memory;
mod models;
mod objects;
mod orders;
mod other_devices;
mod pools;
mod process;
mod recent;
mod registry;
mod same_context;
mod scene;
mod sharing;
mod streams;
mod teardown;
mod touched;
mod virtual_memory;
mod went_on;
mod world;

use crate::events::{Access, Event, Kind, Object, Op, Outcome, Role, Span, Thread, Use};
use crate::finding::{Call, Finding};
use crate::rule::Severity;
use clock::{Position, Task};
pub use follows::Refusal;
pub use in_flight::Work;
use scene::{Case, MemoryUse, Scene};
use world::{OwnCode, World};

/// Checks the calls of one process.
///
/// [Judge](Self::judge) every call before it is made, and [commit](Self::commit) it afterwards. The checker knows only
/// the events, so it has to see all events from the start of the process.
///
/// Calls of several threads may overlap. Judge as late as possible before the call, and commit as early as possible
/// after it. Calls of one thread nest, because a callback may run inside a call.
///
/// ```
/// use ascendcl_rules::{Checker, Event, Object, Op, Outcome, Thread, INIT_01};
///
/// let mut checker = Checker::new();
/// let set = Event::new("aclrtSetDevice", Object::device(0), Op::Set, Thread(1));
/// let findings = checker.judge(&set);
/// checker.commit(&set, Outcome::Created(0x100));
/// assert_eq!(findings.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [INIT_01]);
/// ```
#[derive(Default, Debug)]
pub struct Checker {
    world: World,
}

impl Checker {
    /// A checker for a process that has not made a call yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the rules that the next call breaks.
    ///
    /// If the call is not made because of them, [commit](Self::commit) it as [`Outcome::Refused`].
    pub fn judge(&mut self, event: &Event) -> Vec<Finding> {
        let mut late = self.stopped(event.thread, |(_, wait)| {
            (event.op, event.object, event.queue()) != (Op::Reset, wait.object, wait.queue())
        });
        late.extend(self.judge_call(event));
        late
    }

    /// Reports a wait for an event that was not recorded if the call behind it makes it a mistake.
    fn stopped(&mut self, thread: Thread, mistaken: impl FnOnce(&(Call, Event)) -> bool) -> Vec<Finding> {
        let Some((call, wait)) = self.world.stopped.remove(&thread).filter(mistaken) else { return Vec::new() };
        let scene = Scene::new(&self.world, call, &wait);
        let mut case = Case::new(&self.world, &scene);
        events::stopped(&mut case);
        case.findings
    }

    /// The number of the latest call of this thread, if the next one decides whether it is a mistake. Judging that one
    /// reports both.
    pub fn undecided(&self, thread: Thread) -> Option<u64> {
        self.world.stopped.get(&thread).map(|(call, _)| call.number)
    }

    /// Returns what was left open by the calls so far: nobody asks for the next ones.
    pub fn left_open(&mut self) -> Vec<Finding> {
        let threads: Vec<Thread> = self.world.stopped.keys().copied().collect();
        threads.into_iter().flat_map(|thread| self.stopped(thread, |_| true)).collect()
    }

    fn judge_call(&mut self, event: &Event) -> Vec<Finding> {
        self.world.calls += 1;
        let call = Call { name: event.call, object: event.object, number: self.world.calls, thread: event.thread };
        let scene = Scene::new(&self.world, call, event);
        orders::keep_up(&mut self.world, scene.event.queue());
        live::excuse(&mut self.world, &scene.event);
        went_on::excuse(&mut self.world, &scene);
        let mut case = Case::new(&self.world, &scene);
        judge(&mut case);
        let (findings, told) = (case.findings, case.told);
        self.world.note_contradicted(&findings);
        went_on::note_reported(&mut self.world, &scene, &findings);
        self.world.note_reported(&findings, event);
        in_flight::note_reported(&mut self.world, &scene, &findings);
        same_context::note_reported(&mut self.world, &scene, &findings);
        process::note_reported(&mut self.world, &scene, &findings);
        other_devices::note_misplaced(&mut self.world, &scene, &findings);
        let mut misuses = findings.iter().filter(|finding| finding.rule.severity() == Severity::Misuse).peekable();
        let reported = misuses
            .peek()
            .is_some()
            .then(|| misuses.flat_map(|finding| finding.objects.iter().map(|concerned| concerned.object)).collect());
        let reported = reported.or_else(|| told.then(|| vec![scene.event.object]));
        effects::begin(&mut self.world, scene, reported);
        findings
    }

    /// The work that the latest call of this thread queues, which has been judged and not committed.
    pub fn queued_by(&self, thread: Thread) -> Option<Work> {
        let call = self.world.under_way.iter().rfind(|call| call.scene.call.thread == thread)?;
        let stream = call.scene.event.queue()?;
        let key = self.world.streams.get(stream)?.data.key;
        Some(Work { call: call.scene.call, position: Position { stream, key, count: call.count } })
    }

    /// Whether a thread has waited for the work, or its stream is gone.
    pub fn is_over(&self, work: &Work) -> bool {
        self.world.order().is_past(work.position)
    }

    /// Reports that memory has changed since the work was queued which reads it, unless the work is over. The event
    /// ([`Op::Alter`]) names the memory.
    pub fn altered(&mut self, event: &Event, work: &Work) -> Vec<Finding> {
        self.world.calls += 1;
        let call = Call { name: event.call, object: event.object, number: self.world.calls, thread: event.thread };
        let scene = Scene::new(&self.world, call, event);
        let mut case = Case::new(&self.world, &scene);
        in_flight::altered(&mut case, work);
        let findings = case.findings;
        self.world.note_contradicted(&findings);
        findings
    }

    /// Returns the rules that a call breaks that found no object for a handle. The call need not have been judged.
    pub fn look_for(&mut self, event: &Event) -> Vec<Finding> {
        self.world.calls += 1;
        let call = Call { name: event.call, object: event.object, number: self.world.calls, thread: event.thread };
        let scene = Scene::new(&self.world, call, event);
        live::excuse(&mut self.world, &scene.event);
        let mut case = Case::new(&self.world, &scene);
        if !process::never_began(&case) && !follows::from_reported_mistake(&case) {
            live::judge(&mut case);
        }
        let findings = case.findings;
        self.world.note_contradicted(&findings);
        went_on::note_reported(&mut self.world, &scene, &findings);
        self.world.note_reported(&findings, event);
        findings
    }

    /// Returns the rule that a call breaks which the library refuses for the current context: the thread has none, or
    /// another one than the stream which the event names. The call need not have been judged.
    pub fn of_the_context(&mut self, event: &Event) -> Vec<Finding> {
        if self.world.process.initialised.is_empty() {
            return Vec::new();
        }
        self.world.calls += 1;
        let call = Call { name: event.call, object: event.object, number: self.world.calls, thread: event.thread };
        let mut scene = Scene::new(&self.world, call, event);
        if scene.event.context.is_none() {
            // The thread may have had one that has ended.
            let state = self.world.threads.get(&event.thread).and_then(|state| state.current);
            scene.event.context = state.map(|(context, _)| context.number);
        }
        let mut case = Case::new(&self.world, &scene);
        if !follows::from_reported_mistake(&case) && current::has_context(&mut case) {
            same_context::judge(&mut case);
        }
        let findings = case.findings;
        self.world.note_reported(&findings, &scene.event);
        same_context::note_reported(&mut self.world, &scene, &findings);
        findings
    }

    /// Returns the rule that a call has broken which the library has refused for that, unless this follows from what an
    /// earlier finding has told of one of the objects.
    pub fn explain(&mut self, event: &Event, refusal: &Refusal) -> Vec<Finding> {
        self.world.calls += 1;
        let call = Call { name: event.call, object: event.object, number: self.world.calls, thread: event.thread };
        let named = refusal.objects.iter().fold(event.clone(), |event, object| event.using(Use::With(*object)));
        let scene = Scene::new(&self.world, call, &named);
        let mut case = Case::new(&self.world, &scene);
        follows::explain(&mut case, refusal);
        let findings = case.findings;
        self.world.note_contradicted(&findings);
        // Nothing follows from what is only a warning.
        if refusal.rule.severity() == Severity::Misuse {
            follows::note(&mut self.world, call, event, refusal);
        }
        findings
    }

    /// Records the end of the latest call of this thread. Flags may have been added to the event since.
    pub fn commit(&mut self, event: &Event, outcome: Outcome) {
        let mine = |call: &scene::UnderWay| call.scene.call.thread == event.thread;
        if let Some(index) = self.world.under_way.iter().rposition(mine) {
            let mut call = self.world.under_way.remove(index);
            call.scene.event.flags.clone_from(&event.flags);
            effects::end(&mut self.world, call, outcome);
        }
    }

    /// Judges and commits a call that has been made.
    pub fn observe(&mut self, event: &Event, outcome: Outcome) -> Vec<Finding> {
        let findings = self.judge(event);
        self.commit(event, outcome);
        findings
    }

    /// What the work of a call uses until it is over: memory, including that of its datasets and models, and also
    /// models and events. For a captured call, the event that creates the graph gets these.
    pub fn used_by(&self, event: &Event) -> Vec<Use> {
        let memory = scene::memory_of(&self.world, event).into_iter();
        // The replay does not repeat what the captured call claimed about the place of the memory.
        let memory =
            memory.map(|MemoryUse { span, access, role, .. }| Use::Memory { span, access, role, claimed: None });
        // An event that captured work records, and other captured work waits for, is only a link inside of the graph.
        let links = |event: Object| self.world.events.get(event).is_some_and(|event| !event.data.external);
        let own = Some(event.object).filter(|object| match object.kind {
            Kind::Model => true,
            Kind::Event => event.op == Op::Await || !links(*object),
            _ => false,
        });
        memory.chain(scene::unnamed_of(event)).chain(own.map(Use::With)).collect()
    }

    /// Whether queued work that may not be over writes any of these bytes.
    pub fn may_be_written(&self, span: Span) -> bool {
        self.may_be_used(span, |task| task.access == Access::Write)
    }

    /// Nothing is mapped at the address, because a call failed without a mistake of the program, or for one that a finding
    /// has reported. That its range has no memory is no further mistake.
    pub fn was_not_mapped(&mut self, address: u64) {
        let range = self.world.range(address).map(|(range, _)| range);
        self.world.kept.extend(range);
    }

    /// Whether a call has written to the block around an address, or was given some of it to write.
    pub fn was_written(&self, address: u64) -> bool {
        self.world.block(address).is_some_and(|(_, block)| block.data.written)
    }

    /// Whether queued work of this stream that may not be over writes any of these bytes.
    pub fn is_being_written(&self, span: Span, stream: Object) -> bool {
        self.may_be_used(span, |task| task.access == Access::Write && task.stream == stream)
    }

    /// The bytes that a replay of the graph reads and does not also write. Empty if the graph contains functions of the
    /// program, because these may write anything.
    pub fn read_by_replay(&self, graph: Object) -> Vec<Span> {
        let uses = self.world.graphs.get(graph).map_or(&[][..], |graph| &graph.data.memory);
        let spans = |wanted: Access| {
            uses.iter().filter_map(move |used| match *used {
                Use::Memory { span, access, .. } if access == wanted => Some(span),
                _ => None,
            })
        };
        if uses.iter().any(|used| matches!(used, Use::Memory { role: Role::Instruction, .. })) {
            return Vec::new();
        }
        spans(Access::Read).filter(|read| !spans(Access::Write).any(|written| written.overlaps(*read))).collect()
    }

    /// The bytes that copies and fills of the graph write at each replay.
    pub fn written_by_replay(&self, graph: Object) -> Vec<Span> {
        let uses = self.world.graphs.get(graph).map_or(&[][..], |graph| &graph.data.memory);
        let written = uses.iter().filter_map(|used| match *used {
            Use::Memory { span, access: Access::Write, role: Role::Target, .. } => Some(span),
            _ => None,
        });
        written.collect()
    }

    /// Whether the stream's last work comes after something that may write memory without an event: functions of the
    /// program, or a wait for something that another thread does.
    pub fn follows_own_code(&self, stream: Object) -> bool {
        let (order, stream) = (self.world.order(), self.world.streams.get(stream));
        let before = |code: &OwnCode| stream.is_none_or(|stream| stream.data.clock.at(code.key) >= code.count);
        let pending = |code: &OwnCode| !order.is_reached(code.stream, code.key, code.count);
        let fenced = stream.is_some_and(|stream| stream.data.fenced.is_some());
        fenced || self.world.own_code.iter().any(|code| pending(code) && before(code))
    }

    /// If the call replays a graph that contains functions of the program: the streams, out of `streams`, behind whose
    /// work these functions run. Other functions of the program have an event when they begin ([`Op::Begin`]), which
    /// tells that the work before them is over.
    pub fn queues_own_code_behind(&self, event: &Event, streams: &[Object]) -> Vec<Object> {
        let call = Call { name: event.call, object: event.object, number: self.world.calls, thread: event.thread };
        let scene = (event.op == Op::Replay).then(|| Scene::new(&self.world, call, event)).filter(Scene::runs_own_code);
        let Some(queue) = scene.and_then(|scene| scene.event.queue()) else { return Vec::new() };
        let known = |stream: Object| self.world.streams.get(stream).map(|stream| &stream.data);
        let behind = |stream: Object| match (known(queue), known(stream)) {
            (Some(queue), Some(stream)) => queue.key == stream.key || queue.clock.at(stream.key) > 0,
            _ => true,
        };
        streams.iter().copied().filter(|stream| behind(*stream)).collect()
    }

    fn may_be_used(&self, span: Span, wanted: impl Fn(&Task) -> bool) -> bool {
        let order = self.world.order();
        let block = self.world.block(span.start);
        block.is_some_and(|(_, block)| {
            block.in_flight.pending(&order).any(|task| task.span.overlaps(span) && wanted(task))
        })
    }

    /// Whether the library is initialised, as far as the calls say.
    pub fn is_initialised(&self) -> bool {
        !self.world.process.initialised.is_empty()
    }

    /// What is left to find when the process exits.
    pub fn exit(&mut self, event: &Event) -> Vec<Finding> {
        let mut findings = self.left_open();
        let call = Call { name: event.call, object: event.object, number: self.world.calls + 1, thread: event.thread };
        let scene = Scene::new(&self.world, call, event);
        let mut case = Case::new(&self.world, &scene);
        process::at_exit(&mut case);
        allocators::at_exit(&mut case);
        findings.append(&mut case.findings);
        findings
    }
}

/// Checks all relations. If objects of the call do not exist or belong to another context, the remaining ones are
/// skipped.
fn judge(case: &mut Case<'_>) {
    match case.event().op {
        // Actions of the library itself need no context, and their objects exist until they are complete.
        Op::Take | Op::GiveBack | Op::Reenter => return lent::judge(case),
        Op::Touch => return touched::judge(case),
        Op::GiveUp => return callbacks::judge(case),
        _ => {}
    }
    if follows::from_reported_mistake(case) {
        return;
    }
    process::judge(case);
    if process::never_began(case) {
        return;
    }
    callbacks::inside(case);
    if current::judge(case) && live::judge(case) && same_context::judge(case) {
        callbacks::judge(case);
        streams::judge(case);
        events::judge(case);
        allocators::judge(case);
        lent::judge(case);
        data::judge(case);
        pools::judge(case);
        media::judge(case);
        sharing::judge(case);
        virtual_memory::judge(case);
        if memory::judge(case) && models::judge(case) {
            in_flight::judge(case);
            media::shared(case);
        }
        endings::judge(case);
        teardown::judge(case);
    }
}
