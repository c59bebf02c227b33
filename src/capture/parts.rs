//! Which models and operators every run of the tasks so far executes.
//!
//! The tasks of a case of a switch, or of a body of a condition, are a *part*: a replay may leave them out. While the
//! program adds them, it can also add tasks to another branch. Each replay runs those.

use super::TaskKind;
use super::objects::Object;
use super::recording::{Inner, Recording};
use crate::error::Error;

/// A part whose tasks are being added.
pub(super) struct Part {
    /// The branch that its tasks are added to.
    branch: usize,
    /// The models and operators, by number, that tasks beside the part have executed meanwhile.
    beside: Vec<bool>,
}

/// The parts of one switch or condition, one after the other.
pub(super) struct Parts<'r> {
    recording: &'r Recording<'r>,
    /// The branch of the switch or condition.
    branch: usize,
    /// What every run executes that runs none of the parts.
    before: Vec<bool>,
    /// What all parts so far execute.
    by_all: Vec<bool>,
}

impl<'r> Parts<'r> {
    pub(super) fn of(recording: &'r Recording<'r>, branch: usize) -> Self {
        let before = recording.executed();
        let by_all = vec![true; before.len()];
        Self { recording, branch, before, by_all }
    }

    /// The next tasks of this branch are the next part.
    pub(super) fn begin(&mut self, branch: usize) {
        self.recording.set_executed(&self.before);
        let beside = vec![false; self.before.len()];
        self.recording.inner().parts.push(Part { branch, beside });
    }

    /// The part ends that was begun last.
    pub(super) fn end(&mut self) {
        let part = self.recording.inner().parts.pop();
        let beside = part.map(|part| part.beside).unwrap_or_default();
        self.before.iter_mut().zip(beside).for_each(|(before, beside)| *before |= beside);
        self.by_all.iter_mut().zip(self.recording.executed()).for_each(|(all, this)| *all &= this);
    }

    /// All parts have ended. `one_runs` says that each run runs one of them.
    pub(super) fn finish(mut self, one_runs: bool) {
        if !one_runs {
            return self.recording.set_executed(&self.before);
        }
        for (object, before) in self.before.iter().enumerate() {
            match self.by_all.get_mut(object) {
                // A part that ended before the task beside a later part did not execute this.
                Some(all) if *before => *all = true,
                Some(true) => self.recording.inner().note_beside(self.branch, object),
                _ => {}
            }
        }
        self.recording.set_executed(&self.by_all);
    }
}

impl Inner {
    /// Each run of the tasks on this branch, or of its part, executes the object: also those that leave out other parts.
    fn note_beside(&mut self, branch: usize, object: usize) {
        // What is inside of the part on this branch is a part of it.
        let own = self.parts.iter().rposition(|part| part.branch == branch).map_or(0, |own| own + 1);
        let beside = self.parts.iter_mut().skip(own).filter_map(|part| part.beside.get_mut(object));
        beside.for_each(|beside| *beside = true);
    }
}

impl Recording<'_> {
    /// Records the execution of a model or an operator, or the failure of its call.
    pub(super) fn note_execution(
        &self,
        branch: usize,
        kind: TaskKind,
        object: usize,
        given: Result<(), Error>,
    ) -> Result<(), Error> {
        self.note(branch, kind, &[], &[object], given)?;
        self.inner().note_beside(branch, object);
        Ok(())
    }

    /// Which of the models and operators every run of the tasks so far executes, by number.
    fn executed(&self) -> Vec<bool> {
        let is_executed = |object: &Object| match object {
            Object::Model(model) => model.is_executed(),
            Object::Operator(operator) => operator.is_launched(),
            Object::Memory(_) | Object::Taken => false,
        };
        self.inner().objects.iter().map(is_executed).collect()
    }

    /// Replaces what [`executed`](Self::executed) returns.
    fn set_executed(&self, executed: &[bool]) {
        for (object, is_executed) in self.inner().objects.iter_mut().zip(executed) {
            match object {
                Object::Model(model) => model.set_executed(*is_executed),
                Object::Operator(operator) => operator.set_launched(*is_executed),
                Object::Memory(_) | Object::Taken => {}
            }
        }
    }
}
