//! The checker: relations between objects, judged over one stream of events.
//!
//! One file per relation. A relation looks at a [`Scene`](scene::Scene) and the [`World`](world::World) before it, and
//! reports what contradicts them; [`effects`] alone changes the world. Where the events do not tell enough, the relation
//! stays silent: a finding is a broken rule.

mod allocators;
mod book;
mod callbacks;
mod clock;
mod current;
mod data;
mod effects;
mod endings;
mod events;
mod in_flight;
mod lent;
mod live;
mod lives;
mod memory;
mod models;
mod process;
mod same_context;
mod scene;
mod streams;
mod teardown;
mod world;

use crate::events::{Access, Event, Object, Op, Outcome, Span};
use crate::finding::{Call, Finding};
use clock::Task;
use scene::{Case, Scene};
use world::World;

/// Watches over the calls of one process.
///
/// Every call is [judged](Self::judge) before it is made, and [committed](Self::commit) after it. The checker knows
/// nothing but the events, so it has to see all of them from the start of the process on.
///
/// Calls of several threads may overlap: judge as late as possible before the call, and commit as early as possible
/// after it. Calls of one thread nest (a callback may be run inside a call).
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
    /// A checker of a process that has made no call yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a call that is about to be made, and tells which rules it breaks.
    ///
    /// A call that is not made because of them is [committed](Self::commit) as [`Outcome::Refused`].
    pub fn judge(&mut self, event: &Event) -> Vec<Finding> {
        /// How many contradicted calls are remembered.
        const REMEMBERED: usize = 4096;
        self.world.calls += 1;
        let call = Call { name: event.call, object: event.object, number: self.world.calls, thread: event.thread };
        let scene = Scene::new(&self.world, call, event);
        let mut case = Case { world: &self.world, scene: &scene, findings: Vec::new() };
        judge(&mut case);
        let findings = case.findings;
        let contradicted = findings.iter().filter_map(|finding| Some(finding.contradicts.as_ref()?.0.number));
        self.world.contradicted.extend(contradicted);
        while self.world.contradicted.len() > REMEMBERED {
            self.world.contradicted.pop_first();
        }
        effects::begin(&mut self.world, scene);
        findings
    }

    /// Takes the end of the call that this thread was in last. Flags may have been added to the event meanwhile.
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

    /// Whether queued work that may not be over writes any of these bytes.
    pub fn may_be_written(&self, span: Span) -> bool {
        self.may_be_used(span, |task| task.access == Access::Write)
    }

    /// Whether queued work of this stream that may not be over reads any of these bytes.
    pub fn may_be_read(&self, span: Span, stream: Object) -> bool {
        self.may_be_used(span, |task| task.access == Access::Read && task.stream == stream)
    }

    fn may_be_used(&self, span: Span, wanted: impl Fn(&Task) -> bool) -> bool {
        let order = self.world.order();
        let block = self.world.block(span.start);
        block.is_some_and(|(_, block)| {
            block.in_flight.pending(&order).any(|task| task.span.overlaps(span) && wanted(task))
        })
    }

    /// What is left to find when the process exits.
    pub fn exit(&mut self, event: &Event) -> Vec<Finding> {
        let call = Call { name: event.call, object: event.object, number: self.world.calls + 1, thread: event.thread };
        let scene = Scene::new(&self.world, call, event);
        let mut case = Case { world: &self.world, scene: &scene, findings: Vec::new() };
        process::at_exit(&mut case);
        case.findings
    }
}

/// What a call does with objects that are not there, or not here, says nothing about the other relations.
fn judge(case: &mut Case<'_>) {
    match case.event().op {
        // What the library does by itself needs no context, and its objects are there until it is done.
        Op::Take | Op::GiveBack | Op::Reenter => return lent::judge(case),
        Op::Alter => return in_flight::judge(case),
        Op::GiveUp => return callbacks::judge(case),
        _ => {}
    }
    process::judge(case);
    callbacks::inside(case);
    if current::judge(case) && live::judge(case) && same_context::judge(case) {
        callbacks::judge(case);
        streams::judge(case);
        events::judge(case);
        allocators::judge(case);
        lent::judge(case);
        data::judge(case);
        if memory::judge(case) && models::judge(case) {
            in_flight::judge(case);
        }
        endings::judge(case);
        teardown::judge(case);
    }
}
