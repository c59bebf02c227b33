//! The tasks and operands of a running capture.

use super::objects::{Object, Objects};
use super::parts::Part;
use super::topology::{CapturedTask, TaskKind, Topology};
use crate::error::Error;
use crate::ffi::{Api, FirstPanic, RawBuffer, RawGraph, RawOperator, RawStream};
use crate::ledger::Ledger;
use crate::model::{CapturedModel, CapturedTensor};
use crate::operator::CapturedOperator;
use std::sync::{Arc, Mutex, MutexGuard};

/// One capture, with all its branches.
pub(super) struct Recording<'g> {
    ledger: &'g Ledger,
    graph: &'g Arc<RawGraph>,
    /// This lock is not held while the library or the program runs.
    inner: Mutex<Inner>,
    panicked: FirstPanic,
}

/// The objects and tasks that a capture or a build has so far.
pub(super) struct Inner {
    pub(super) objects: Vec<Object>,
    /// The parts whose tasks are being added, the outermost first.
    pub(super) parts: Vec<Part>,
    /// For each object, by number: the branch that has it. Lists of tasks name objects without a borrow.
    branch_of_object: Vec<usize>,
    branches: Vec<Branch>,
    tasks: Vec<CapturedTask>,
    names: Vec<String>,
    /// The first failed call, in words.
    broken: Option<String>,
}

/// The tasks of one stream.
#[derive(Clone)]
struct Branch {
    stream: u64,
    last: Option<usize>,
    /// How many cases of switches its next task is in.
    cases: usize,
    /// For each branch, by number: the last task of it that this branch comes after.
    behind: Vec<Option<usize>>,
}

impl<'g> Recording<'g> {
    pub(super) fn new(ledger: &'g Ledger, graph: &'g Arc<RawGraph>, first: &RawStream) -> Self {
        Self::continuing(ledger, graph, Inner::new(first), FirstPanic::default())
    }

    /// Continues the recording that a build has so far.
    pub(super) fn continuing(ledger: &'g Ledger, graph: &'g Arc<RawGraph>, inner: Inner, panicked: FirstPanic) -> Self {
        Self { ledger, graph, inner: Mutex::new(inner), panicked }
    }

    /// Adds the objects that the graph owns before the first task.
    pub(super) fn add_objects(&self, objects: Objects<'_>) {
        self.inner().add_objects(objects);
    }

    pub(super) fn api(&self) -> Api {
        self.ledger.api()
    }

    pub(super) fn ledger(&self) -> &Ledger {
        self.ledger
    }

    pub(super) fn graph(&self) -> &Arc<RawGraph> {
        self.graph
    }

    pub(super) fn panicked(&self) -> &FirstPanic {
        &self.panicked
    }

    /// The block with this number.
    pub(super) fn memory(&self, object: usize) -> Result<Arc<RawBuffer>, Error> {
        match self.inner().objects.get(object) {
            Some(Object::Memory(block)) => Ok(Arc::clone(block)),
            _ => Err(Error::OtherCapture),
        }
    }

    /// The operator with this number, if the branch has it now.
    pub(super) fn operator(&self, object: usize, branch: usize) -> Result<Arc<RawOperator>, Error> {
        let inner = self.inner();
        match inner.objects.get(object) {
            Some(Object::Operator(own)) if inner.branch_of_object.get(object) == Some(&branch) => {
                Ok(Arc::clone(own.raw()))
            }
            _ => Err(Error::OtherCapture),
        }
    }

    /// Notes that this branch has the object from now on.
    pub(super) fn goes_to(&self, object: usize, branch: usize) {
        if let Some(place) = self.inner().branch_of_object.get_mut(object) {
            *place = branch;
        }
    }

    /// The memory of an input of this object, for a copy to it.
    pub(super) fn input(&self, object: usize, input: usize) -> Result<CapturedTensor, Error> {
        match self.inner().objects.get(object) {
            Some(Object::Model(model)) => model.input(input),
            Some(Object::Operator(operator)) => operator.input(input),
            _ => Err(Error::OtherCapture),
        }
    }

    /// The memory of an output of this object, for a copy from it.
    pub(super) fn output(&self, object: usize, output: usize) -> Result<CapturedTensor, Error> {
        match self.inner().objects.get(object) {
            Some(Object::Model(model)) => model.output(output),
            Some(Object::Operator(operator)) => operator.output(output),
            _ => Err(Error::OtherCapture),
        }
    }

    /// Takes a model out, because no lock may be held while the library is called with it. [`put_back`](Self::put_back)
    /// returns it.
    pub(super) fn take_model(&self, object: usize) -> Result<CapturedModel, Error> {
        match self.take(object)? {
            Object::Model(model) => Ok(model),
            other => {
                self.put_back(object, other);
                Err(Error::OtherCapture)
            }
        }
    }

    /// As [`take_model`](Self::take_model).
    pub(super) fn take_operator(&self, object: usize) -> Result<CapturedOperator, Error> {
        match self.take(object)? {
            Object::Operator(operator) => Ok(operator),
            other => {
                self.put_back(object, other);
                Err(Error::OtherCapture)
            }
        }
    }

    fn take(&self, object: usize) -> Result<Object, Error> {
        let place = &mut self.inner().objects;
        let place = place.get_mut(object).ok_or(Error::OtherCapture)?;
        Ok(std::mem::replace(place, Object::Taken))
    }

    pub(super) fn put_back(&self, object: usize, taken: Object) {
        if let Some(place) = self.inner().objects.get_mut(object) {
            *place = taken;
        }
    }

    /// Records a task, or the failure of its call.
    pub(super) fn note(
        &self,
        branch: usize,
        kind: TaskKind,
        reads: &[usize],
        writes: &[usize],
        given: Result<(), Error>,
    ) -> Result<(), Error> {
        let mut inner = self.inner();
        match given {
            Ok(()) => {
                inner.add_task(branch, kind, None, (reads, writes));
                Ok(())
            }
            Err(error) => {
                inner.mark_broken(&error);
                Err(error)
            }
        }
    }

    /// Records a task that comes after these tasks alone, or the failure of its call. Returns its number.
    pub(super) fn note_after(
        &self,
        branch: usize,
        kind: TaskKind,
        after: Vec<usize>,
        given: Result<(), Error>,
    ) -> Result<usize, Error> {
        let mut inner = self.inner();
        match given {
            Ok(()) => {
                let number = inner.tasks.len();
                inner.tasks.push(CapturedTask::new(kind, branch, after, (&[], &[])));
                if let Some(own) = inner.branches.get_mut(branch) {
                    own.last = Some(number);
                }
                Ok(number)
            }
            Err(error) => {
                inner.mark_broken(&error);
                Err(error)
            }
        }
    }

    /// Notes that the tasks are not complete. The words of the error can be code of the program, which may panic. So
    /// this is noted before, and no lock is held meanwhile.
    pub(super) fn mark_broken(&self, error: &Error) {
        let is_first = self.inner().check_not_broken().is_ok();
        self.mark_broken_because("an error whose `Display` panicked");
        let words = error.to_string();
        if is_first {
            self.inner().broken = Some(words);
        }
    }

    /// Notes that the tasks are not complete, for this reason.
    pub(super) fn mark_broken_because(&self, reason: &str) {
        self.inner().broken.get_or_insert_with(|| reason.to_owned());
    }

    /// The last task of a branch.
    pub(super) fn last(&self, branch: usize) -> Option<usize> {
        self.inner().last(branch)
    }

    /// Records the operators of a group, or the failure of a call. Returns the number of the first task, and what the call
    /// returned.
    pub(super) fn note_group<T>(
        &self,
        branch: usize,
        operators: &[usize],
        grouped: Result<T, Error>,
    ) -> Result<(usize, T), Error> {
        let first = self.inner().tasks.len();
        match grouped {
            Ok(group) => {
                operators
                    .iter()
                    .try_for_each(|one| self.note(branch, TaskKind::LaunchOperator, &[], &[*one], Ok(())))?;
                Ok((first, group))
            }
            Err(error) => {
                self.inner().mark_broken(&error);
                Err(error)
            }
        }
    }

    /// Notes that the next tasks of the branch are in a case of a switch (`is_inside`), or after that case.
    pub(super) fn note_case(&self, branch: usize, is_inside: bool) {
        if let Some(branch) = self.inner().branches.get_mut(branch) {
            branch.cases = if is_inside { branch.cases + 1 } else { branch.cases.saturating_sub(1) };
        }
    }

    /// An error while tasks of the branch are in a case of a switch, where they cannot be ordered with another branch. If a
    /// replay does not record the event, the other branch would wait forever. If a replay does not wait for the event, the
    /// branch would go on too early.
    pub(super) fn check_in_no_case(&self, branch: usize) -> Result<(), Error> {
        match self.inner().branches.get(branch) {
            Some(Branch { cases: 1.., .. }) => Err(Error::InABody),
            _ => Ok(()),
        }
    }

    /// The number of the branch on this stream.
    pub(super) fn branch_on(&self, stream: &RawStream) -> usize {
        let inner = self.inner();
        if let Some(at) = inner.branches.iter().position(|branch| branch.stream == stream.id()) {
            return at;
        }
        drop(inner);
        self.new_branch(Some(stream))
    }

    /// A new branch: on this stream, or without one for tasks that are not ordered with other branches.
    pub(super) fn new_branch(&self, stream: Option<&RawStream>) -> usize {
        /// Not the id of a stream.
        const NONE: u64 = 0;
        let mut inner = self.inner();
        let number = inner.branches.len();
        let stream = stream.map_or(NONE, RawStream::id);
        inner.branches.push(Branch { stream, last: None, cases: 0, behind: vec![None; number] });
        inner.branches.iter_mut().for_each(|branch| branch.behind.push(None));
        number
    }

    /// Makes later tasks of the branch `after` come after all tasks that the branch `before` has so far. If the branch
    /// already comes after them, the library is not called, unless the branch has to join the capture first.
    pub(super) fn order_after(
        &self,
        (after, on): (usize, &RawStream),
        (before, of): (usize, &RawStream),
        takes_part: bool,
    ) -> Result<(), Error> {
        if !takes_part && self.inner().comes_after(after, before) {
            return Ok(());
        }
        let ordered = self.ledger.order_captures(self.graph, of, on);
        let mut inner = self.inner();
        match ordered {
            Ok(()) => {
                inner.note_order(after, before);
                Ok(())
            }
            Err(error) => {
                inner.mark_broken(&error);
                Err(error)
            }
        }
    }

    /// The captured tasks, the slot for the first panic of a callback, and the first failure of a call.
    pub(super) fn into_parts(self) -> (Topology, FirstPanic, Result<(), Error>) {
        let panicked = Arc::clone(&self.panicked);
        let inner = self.into_inner();
        let broken = inner.check_not_broken();
        (inner.into_topology(), panicked, broken)
    }

    pub(super) fn into_inner(self) -> Inner {
        self.inner.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Inner {
    /// No tasks and no objects, with one branch on this stream.
    pub(super) fn new(first: &RawStream) -> Self {
        let (objects, parts, branch_of_object, names) = Default::default();
        let branches = vec![Branch { stream: first.id(), last: None, cases: 0, behind: vec![None] }];
        Self { objects, parts, branch_of_object, branches, tasks: Vec::new(), names, broken: None }
    }

    /// An incomplete recording, to which nothing can be added.
    pub(super) fn broken(reason: &str) -> Self {
        let (objects, parts, branch_of_object, branches, tasks, names) = Default::default();
        Self { objects, parts, branch_of_object, branches, tasks, names, broken: Some(reason.to_owned()) }
    }

    pub(super) fn add_objects(&mut self, objects: Objects<'_>) {
        (self.objects, self.names) = objects.into_parts();
        // The first branch has all of them.
        self.branch_of_object = vec![0; self.objects.len()];
    }

    /// Notes the first failure. While a lock is held, only an error of this crate: it has no words of the program.
    pub(super) fn mark_broken(&mut self, error: &Error) {
        self.broken.get_or_insert_with(|| error.to_string());
    }

    /// An error when something failed.
    pub(super) fn check_not_broken(&self) -> Result<(), Error> {
        self.broken.clone().map_or(Ok(()), |reason| Err(Error::CaptureBroken { reason }))
    }

    pub(super) fn into_topology(self) -> Topology {
        Topology::new(self.names, self.tasks)
    }

    fn add_task(&mut self, branch: usize, kind: TaskKind, also: Option<usize>, uses: (&[usize], &[usize])) {
        let number = self.tasks.len();
        let Some(own) = self.branches.get_mut(branch) else { return };
        let after = own.last.into_iter().chain(also).collect();
        own.last = Some(number);
        self.tasks.push(CapturedTask::new(kind, branch, after, uses));
    }

    fn last(&self, branch: usize) -> Option<usize> {
        self.branches.get(branch).and_then(|branch| branch.last)
    }

    fn comes_after(&self, after: usize, before: usize) -> bool {
        let known = self.branches.get(after).and_then(|branch| branch.behind.get(before).copied().flatten());
        known >= self.last(before)
    }

    fn note_order(&mut self, after: usize, before: usize) {
        let last = self.last(before);
        let theirs = self.branches.get(before).map(|branch| branch.behind.clone()).unwrap_or_default();
        self.add_task(after, TaskKind::Wait, last, (&[], &[]));
        let Some(own) = self.branches.get_mut(after) else { return };
        own.behind.iter_mut().zip(theirs).for_each(|(own, their)| *own = (*own).max(their));
        if let Some(known) = own.behind.get_mut(before) {
            *known = last;
        }
    }
}
