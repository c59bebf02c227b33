//! One run of an instance that was built task by task. Each of its streams has a thread of its own while it runs; the first
//! one is served by the thread that the run began on.

use crate::failure::{Answer, Failure};
use crate::locks::{lock, wait};
use crate::machine::recording::program::{Mark, Program, Step, What};
use crate::machine::workers::pool;
use crate::machine::workers::served::{TooLate, answer_of};
use crate::machine::workers::waiting::WaitsFor;
use ascendcl_sys::error_codes::{ACL_ERROR_RT_MODEL_ABORT_NORMAL, ACL_ERROR_RT_MODEL_EXECUTE};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

pub(super) struct Run<'a, A> {
    program: &'a Program,
    /// Whether it was broken off.
    is_aborted: A,
    state: Mutex<State>,
    moved: Condvar,
}

struct State {
    /// Running parts, and whether they were started again since.
    running: BTreeMap<usize, bool>,
    /// Those that wait without a time limit, and the records that they wait for.
    waiting: BTreeMap<usize, usize>,
    /// Events that were recorded in this run.
    reached: BTreeSet<usize>,
    answer: Answer,
}

impl State {
    /// Everybody waits, and for nothing that was recorded.
    fn is_stuck(&self) -> bool {
        self.waiting.len() >= self.running.len() && self.waiting.values().all(|mark| !self.reached.contains(mark))
    }
}

/// What follows a step.
enum Next {
    Step,
    /// The step at this position.
    Jump(usize),
    End,
}

impl<'a, A: Fn() -> bool + Sync> Run<'a, A> {
    pub(super) fn new(program: &'a Program, is_aborted: A) -> Self {
        let state =
            State { running: BTreeMap::new(), waiting: BTreeMap::new(), reached: BTreeSet::new(), answer: Ok(()) };
        Self { program, is_aborted, state: Mutex::new(state), moved: Condvar::new() }
    }

    /// Runs every stream that starts, and answers the first failure.
    pub(super) fn all(self) -> Answer {
        let heads: Vec<usize> =
            self.program.parts.iter().enumerate().filter(|(_, part)| part.is_head).map(|(at, _)| at).collect();
        lock(&self.state).running.extend(heads.iter().map(|at| (*at, false)));
        let run = || {
            thread::scope(|scope| {
                if let Some((first, others)) = heads.split_first() {
                    others.iter().for_each(|at| self.spawn(scope, *at));
                    self.part(scope, *first);
                }
            });
        };
        if self.program.parts.len() > 1 {
            pool::lend(run)
        } else {
            run()
        }
        self.state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).answer
    }

    fn spawn<'s>(&'s self, scope: &'s Scope<'s, '_>, at: usize) {
        let builder = thread::Builder::new().name("ascendcl-sim-model".into());
        if builder.spawn_scoped(scope, move || self.part(scope, at)).is_err() {
            self.fail(refused("there is no thread for a stream of the model instance"));
            self.is_over(at);
        }
    }

    /// A part that runs already runs again afterwards.
    fn start<'s>(&'s self, scope: &'s Scope<'s, '_>, at: usize) {
        let mut state = lock(&self.state);
        match state.running.get_mut(&at) {
            Some(again) => *again = true,
            None => {
                state.running.insert(at, false);
                drop(state);
                self.spawn(scope, at);
            }
        }
    }

    fn part<'s>(&'s self, scope: &'s Scope<'s, '_>, at: usize) {
        loop {
            self.steps(scope, at);
            if self.is_over(at) {
                return;
            }
        }
    }

    /// Whether the part is not to run again.
    fn is_over(&self, at: usize) -> bool {
        let mut state = lock(&self.state);
        if state.running.get_mut(&at).is_some_and(std::mem::take) {
            return false;
        }
        state.running.remove(&at);
        drop(state);
        // A stream that waits for an event may now wait for an event that no stream will record.
        self.moved.notify_all();
        true
    }

    fn steps<'s>(&'s self, scope: &'s Scope<'s, '_>, at: usize) {
        let Some(part) = self.program.parts.get(at) else { return };
        let mut position = 0;
        while let Some(step) = part.steps.get(position) {
            if (self.is_aborted)() {
                return self.fail(broken_off());
            }
            // A wait for the run also waits for the object that this step waits for.
            let _waits = WaitsFor::stream(part.stream);
            // As on a stream, a task that fails does not keep the next from running.
            step.node.run(part.stream).unwrap_or_else(|failure| self.fail(failure));
            match self.control(scope, at, step) {
                Ok(Next::Step) => position += 1,
                Ok(Next::Jump(to)) => position = to,
                Ok(Next::End) => return,
                Err(failure) => return self.fail(failure),
            }
        }
    }

    fn control<'s>(&'s self, scope: &'s Scope<'s, '_>, at: usize, step: &Step) -> Answer<Next> {
        if step.node.is_left_out() {
            return Ok(Next::Step);
        }
        match &step.what {
            What::Work | What::Label(_) => {}
            What::End => return Ok(Next::End),
            What::Branch(branch) => {
                let label = branch.target().map_err(refused)?;
                return match self.program.labels.get(&label) {
                    Some((part, position)) if *part == at => Ok(Next::Jump(*position)),
                    Some(_) => Err(refused("the label stands on another stream than the switch; expected the same")),
                    None => Err(refused("the label was set on no stream of the model instance")),
                };
            }
            What::Activate(stream) => self.activate(scope, *stream)?,
            What::Choose(comparison, stream) => {
                if comparison.is_true() {
                    self.activate(scope, *stream)?;
                }
            }
            What::Record(mark) => {
                mark.reach();
                lock(&self.state).reached.insert(mark.number);
                self.moved.notify_all();
            }
            What::Reset(mark) => {
                lock(&self.state).reached.remove(&mark.number);
            }
            What::Await(mark, limit) => self.await_mark(at, mark, *limit)?,
        }
        Ok(Next::Step)
    }

    fn activate<'s>(&'s self, scope: &'s Scope<'s, '_>, stream: usize) -> Answer {
        let at = self.program.part_of(stream);
        let at = at.ok_or_else(|| refused("the stream to start is no longer bound to the model instance"))?;
        self.start(scope, at);
        Ok(())
    }

    fn await_mark(&self, at: usize, mark: &Mark, limit: Option<Duration>) -> Answer {
        /// How long until a run that was broken off is noticed.
        const LOOK: Duration = Duration::from_millis(20);
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        pool::lend(|| {
            let mut state = lock(&self.state);
            if deadline.is_none() {
                state.waiting.insert(at, mark.number);
            }
            let answer = loop {
                if state.reached.contains(&mark.number) {
                    break Ok(());
                }
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    break answer_of(Err(TooLate));
                }
                if (self.is_aborted)() {
                    break Err(broken_off());
                }
                if state.is_stuck() {
                    break Err(refused(
                        "a stream waits for an event that no stream of the model instance records any more",
                    ));
                }
                let look = Instant::now() + LOOK;
                state = wait(&self.moved, state, Some(deadline.map_or(look, |deadline| deadline.min(look))));
            };
            state.waiting.remove(&at);
            answer
        })
    }

    fn fail(&self, failure: Failure) {
        let mut state = lock(&self.state);
        if state.answer.is_ok() {
            state.answer = Err(failure);
        }
    }
}

fn broken_off() -> Failure {
    Failure::new(ACL_ERROR_RT_MODEL_ABORT_NORMAL, "the run was broken off")
}

fn refused(text: impl Into<std::borrow::Cow<'static, str>>) -> Failure {
    Failure::new(ACL_ERROR_RT_MODEL_EXECUTE, text)
}
