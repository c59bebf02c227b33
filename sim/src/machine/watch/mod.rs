//! Passes every call that concerns objects or memory to the checker of `ascendcl-rules`.
//!
//! A call says what it is about ([`call`]), [begins](Watching::begin), and [ends](Watched::end). Without a checker this
//! costs one relaxed load. In strict mode a call that breaks a rule does not take place.
//!
//! The checker has one lock, held while an event is judged and for nothing else.

mod blameless;
mod bounds;
mod callbacks;
mod captured;
mod codes;
mod explained;
mod forked;
mod guards;
mod named;
mod own_memory;
mod report;
mod sources;

pub(crate) use blameless::{failed, made_to_fail, mapped_without_a_handle, moment, succeeded};
pub(crate) use callbacks::{new_callback, run};
#[cfg(test)]
pub(in crate::machine) use captured::count_grouped;
pub(crate) use captured::{
    became_a_built_graph, became_a_graph, begins_to_keep, group_begins, group_ends, group_was_updated, has_group,
    has_no_groups, is_kept, keeps_for_a_task, keeps_no_more,
};
pub(crate) use explained::{
    Fails, elsewhere, explained, is_described, is_described_no_more, missed, mistaken, no_description, no_graph,
    no_memory, not_there, read_missed,
};
pub(crate) use forked::first_call_of_child;
pub(crate) use guards::{destination, destinations_of_replay, ends};
pub(crate) use named::Named;
pub(crate) use own_memory::{handed_over, taken_back};
pub(crate) use report::{absent, findings, print, take_findings};
pub(crate) use sources::{Bytes, source, source_is_read, sources_of_replay};

use crate::abi::{Address, Name, is_main_thread};
use crate::config::{self, Checks};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::memory;
use crate::machine::thread::{current, errors, inside};
use crate::machine::trouble;
use ascendcl_rules::*;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

static MODE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const REPORT: u8 = 2;
const STRICT: u8 = 3;

/// The caller when it is an instruction of the program.
const PROGRAM: &str = "the program";
/// The caller when it is not the program.
const LIBRARY: &str = "the library";

static CHECKER: Mutex<Option<Checker>> = Mutex::new(None);

/// A call that is being described; empty without a checker.
#[must_use]
pub(crate) struct Watching(Option<Box<Event>>, Judged);

/// A call that has begun, and what it shows of earlier work. If it is dropped, it has failed.
#[must_use]
pub(crate) struct Watched(Option<Box<Event>>, Judged, Option<Box<Finding>>);

/// When a call's work is judged.
#[derive(Clone, Copy)]
enum Judged {
    Now,
    /// When the graph is replayed that a capture makes of the work on the stream with this number.
    InReplays(usize),
}

/// The C function that this thread is in does `op` to `object`.
pub(crate) fn call(op: Op, object: impl Named) -> Watching {
    // Objects that remain on a lost device are not the program's mistake.
    if mode() == OFF || trouble::lost().is_some() {
        return Watching(None, Judged::Now);
    }
    // A thread of the library's own is in no call.
    let name = Some(errors::current_call()).filter(|name| !name.is_empty()).unwrap_or(LIBRARY);
    let mut event = Event::new(name, object.named(), op, this_thread());
    event.context = Some(current::current_number() as u64).filter(|number| *number != 0);
    event.inside = Some(inside::callback_of() as u64).filter(|number| *number != 0).map(Object::stream);
    Watching(Some(Box::new(event)), Judged::Now)
}

impl Watching {
    /// Work is queued on this stream. Work that a capture keeps is not judged: it is in flight when the graph is replayed.
    pub(crate) fn queue(mut self, stream: aclrtStream) -> Self {
        if captured::is_kept(stream.0.addr()) {
            self.1 = Judged::InReplays(stream.0.addr());
        }
        self.using(|| Use::Queue(stream.named()))
    }

    /// The checker does not see it.
    pub(crate) fn unless(self, untold: bool) -> Self {
        if untold { Self(None, Judged::Now) } else { self }
    }

    /// Another object takes part.
    pub(crate) fn with(self, object: impl Named) -> Self {
        self.using(|| Use::With(object.named()))
    }

    pub(crate) fn inputs(self, dataset: Name<aclmdlDataset>) -> Self {
        self.using(|| Use::Inputs(dataset.named()))
    }

    pub(crate) fn outputs(self, dataset: Name<aclmdlDataset>) -> Self {
        self.using(|| Use::Outputs(dataset.named()))
    }

    pub(crate) fn reads(self, start: Address, bytes: usize, role: Role, claimed: Option<Place>) -> Self {
        self.using(|| Use::Memory { span: span(start, bytes), access: Access::Read, role, claimed })
    }

    pub(crate) fn writes(self, start: Address, bytes: usize, role: Role, claimed: Option<Place>) -> Self {
        self.using(|| Use::Memory { span: span(start, bytes), access: Access::Write, role, claimed })
    }

    /// Memory that queued work uses, as the data buffers say. What is in host memory is copied by the call. What is nowhere
    /// may have been freed.
    pub(crate) fn operands(self, buffers: &[Name<aclDataBuffer>], access: Access, role: Role) -> Self {
        buffers.iter().fold(self, |watching, buffer| {
            let watching = watching.with(*buffer);
            if watching.0.is_none() {
                return watching;
            }
            let area = memory::areas::read_area(*buffer).ok();
            let there = area.as_ref().and_then(|area| memory::describe(area.address));
            let in_host = there.as_ref().is_some_and(|found| found.place == memory::Place::Host);
            match area.filter(|_| !in_host) {
                Some(area) => watching.using(|| {
                    let span = span(area.address, area.size);
                    Use::Memory { span, access, role, claimed: there.map(|_| Place::Device) }
                }),
                None => watching,
            }
        })
    }

    /// Work on memory that is not pinned is over when the call returns.
    pub(crate) fn blocking_for(mut self, addresses: &[Address]) -> Self {
        if let Some(event) = &mut self.0
            && addresses.iter().any(|address| memory::describe(*address).is_none())
        {
            event.flags.push(Flag::Blocks);
        }
        self
    }

    pub(crate) fn flag(mut self, flag: Flag, set: bool) -> Self {
        if let Some(event) = &mut self.0
            && set
        {
            event.flags.push(flag);
        }
        self
    }

    fn using_all(mut self, uses: Vec<Use>) -> Self {
        if let Some(event) = &mut self.0 {
            event.uses.extend(uses);
        }
        self
    }

    fn using(mut self, what: impl FnOnce() -> Use) -> Self {
        if let Some(event) = &mut self.0 {
            event.uses.push(what());
        }
        self
    }

    /// Has the call judged. Strict checks refuse one that breaks a rule.
    pub(crate) fn begin(self) -> Answer<Watched> {
        let (watched, first) = self.judged();
        match first {
            Some(finding) if mode() == STRICT => Err(refusal(&finding)),
            _ => Ok(watched),
        }
    }

    /// The same for calls that cannot fail.
    pub(crate) fn begin_always(self) -> Watched {
        self.judged().0
    }

    fn judged(mut self) -> (Watched, Option<Finding>) {
        let Some(event) = &mut self.0 else { return (Watched(None, Judged::Now, None), None) };
        if let Judged::InReplays(_) = self.1 {
            return (Watched(self.0, self.1, None), None);
        }
        if config::current().run_mode() == aclrtRunMode::ACL_DEVICE {
            event.flags.push(Flag::OnDevice);
        }
        let written = sources::concerns(event);
        let (undecided, findings) = {
            let mut checker = lock(&CHECKER);
            let checker = checker.get_or_insert_with(Checker::new);
            (checker.undecided(event.thread), checker.judge(event))
        };
        let refused =
            |finding: &&Finding| finding.rule.severity() == Severity::Misuse && !report::suppresses(finding.rule);
        // A wait that shows what the program did before is no mistake. It takes place, since everything after it relies
        // on that.
        let shown = written.filter(|finding| refused(&finding)).map(Box::new);
        // What the call before it has left open is not its mistake.
        let own = |finding: &&Finding| Some(finding.call.number) != undecided;
        let first = findings.iter().filter(own).find(refused).cloned();
        explained::judged(first.is_some());
        report::record(findings);
        (Watched(self.0.take(), Judged::Now, shown), first)
    }
}

impl Watched {
    /// Tells how the call ended. With strict checks a wait answers with what it has shown.
    pub(crate) fn end<T, E: Fails + From<Failure>>(mut self, mut answer: Result<T, E>) -> Result<T, E> {
        let Some(event) = &self.0 else { return answer };
        if let Some(failure) = answer.as_mut().err().and_then(Fails::failure) {
            explained::explain(failure);
        }
        let outcome = codes::outcome(event, answer.as_ref().err().map_or(ACL_SUCCESS, Fails::code));
        let told = self.2.take().filter(|_| event.op == Op::Synchronize && mode() == STRICT);
        self.commit(outcome);
        match told {
            Some(finding) if answer.is_ok() => Err(refusal(&finding).into()),
            _ => answer,
        }
    }

    /// The call has made the object with this number.
    pub(crate) fn made(mut self, number: usize) {
        self.commit(Outcome::Created(number as u64));
    }

    /// The call has asked whether something is complete.
    pub(crate) fn found(mut self, complete: bool) -> bool {
        self.commit(if complete { Outcome::Success } else { Outcome::NotReady });
        complete
    }

    /// Facts that are known only while the call runs.
    pub(crate) fn flag(mut self, flag: Flag, set: impl FnOnce() -> bool) -> Self {
        if let Some(event) = &mut self.0
            && set()
        {
            event.flags.push(flag);
        }
        self
    }

    fn commit(&mut self, outcome: Outcome) {
        let Some(event) = self.0.take() else { return };
        if let Judged::InReplays(stream) = self.1 {
            if outcome == Outcome::Success {
                captured::kept(stream, &event);
            }
            return;
        }
        let (refused, undecided) = if let Some(checker) = &mut *lock(&CHECKER) {
            let queued = (outcome == Outcome::Refused).then(|| checker.queued_by(event.thread)).flatten();
            checker.commit(&event, outcome);
            (queued, checker.undecided(event.thread).filter(|_| event.op == Op::Await))
        } else {
            (None, None)
        };
        refused.iter().for_each(sources::was_refused);
        undecided.into_iter().for_each(|number| report::is_undecided(&event, number));
        sources::settle(&event);
        guards::settle();
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.commit(Outcome::Refused);
    }
}

/// How strict checks refuse a call.
fn refusal(finding: &Finding) -> Failure {
    let text = format!("{}: {}; {} ({})", finding.rule, finding.found, finding.fix, finding.rule.rule().text);
    Failure::new(codes::code_of(finding), text)
}

/// The initialisation was made to fail before it began.
pub(crate) fn initialisation_failed() {
    drop(call(Op::Initialise, Object::PROCESS).begin_always());
}

/// An allocator of the caller has answered with a block for the stream, or has `none`.
pub(crate) fn block_taken(allocator: usize, stream: Object, address: Address, bytes: usize, none: bool) -> Watched {
    let call = call(Op::Take, Object::allocator(allocator as u64)).with(stream).flag(Flag::NoBlock, none);
    call.writes(address, bytes, Role::Workspace, None).begin_always()
}

/// A block goes back to its allocator.
pub(crate) fn block_given_back(allocator: usize, address: Address, bytes: usize) -> Watched {
    let call = call(Op::GiveBack, Object::allocator(allocator as u64));
    call.writes(address, bytes, Role::Workspace, None).begin_always()
}

/// A callback of the allocator calls what it must not.
pub(crate) fn allocator_reentered(allocator: usize) {
    drop(call(Op::Reenter, Object::allocator(allocator as u64)).begin_always());
}

/// The wait of this thread for the stream is given up.
pub(crate) fn wait_given_up(stream: Object, own_callback: bool) {
    drop(call(Op::GiveUp, stream).flag(Flag::OwnCallback, own_callback).begin_always());
}

/// The machine was reset. Earlier findings stay recorded.
pub(crate) fn reset() {
    *lock(&CHECKER) = None;
    sources::clear();
    guards::clear();
    captured::clear();
    blameless::clear();
}

/// The configuration has changed.
pub(crate) fn reconsider() {
    MODE.store(UNKNOWN, Relaxed);
}

fn mode() -> u8 {
    match MODE.load(Relaxed) {
        UNKNOWN => decide(),
        mode => mode,
    }
}

#[cold]
fn decide() -> u8 {
    let mode = match config::current().checks_wanted() {
        Checks::Off => OFF,
        Checks::Report => REPORT,
        Checks::Strict => STRICT,
    };
    if mode != OFF {
        report::print_at_exit();
        guards::watch();
    }
    MODE.store(mode, Relaxed);
    mode
}

fn this_thread() -> Thread {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: Cell<u64> = const { Cell::new(0) });
    if NUMBER.get() == 0 {
        NUMBER.set(NEXT.fetch_add(1, Relaxed));
        // When the thread is already ending, nothing more of it is reported.
        let _ = ENDS.try_with(|_| ());
    }
    Thread(NUMBER.get())
}

thread_local!(static ENDS: Ends = const { Ends });

/// Tells the end of a thread that has made a call. That of the main thread is the end of the process: functions of `atexit`
/// and destructors of static objects go on there when its own objects have been dropped.
struct Ends;

impl Drop for Ends {
    fn drop(&mut self) {
        if report::is_idle_child() || is_main_thread() {
            return;
        }
        let mut watching = call(Op::EndThread, Object::PROCESS);
        if let Some(event) = &mut watching.0 {
            event.call = "the end of a thread";
        }
        drop(watching.begin_always().end(Ok::<_, Failure>(())));
    }
}

fn span(start: Address, bytes: usize) -> Span {
    Span::new(start.number() as u64, bytes as u64)
}
