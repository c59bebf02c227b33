//! Labels: places in the work of a stream that is bound to an instance, where a switch goes on.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::contexts::context::current_context;
use crate::machine::handles::Table;
use crate::machine::recording::program::What;
use crate::machine::recording::tasks::Sort;
use crate::machine::streams::refusals::assembly_of;
use crate::machine::streams::stream::Stream;
use ascendcl_rules::{DATA_05, Object};
use ascendcl_sys::error_codes::{ACL_ERROR_RT_INTERNAL_ERROR, ACL_ERROR_RT_LABEL_CONTEXT};
use ascendcl_sys::types::{aclrtLabel, aclrtLabelList};
use std::sync::{Arc, Mutex};

pub(crate) struct Label {
    /// The context that was current when it was created.
    context: usize,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    /// The stream that it was given to first, whether that could take it or not: as measured, it goes to no other call then.
    given_to: Option<usize>,
    /// The list that it is part of.
    list: Option<usize>,
}

pub(crate) struct List {
    /// The numbers of the labels.
    pub(crate) labels: Vec<usize>,
}

static LABELS: Table<Label> = Table::new();
static LISTS: Table<List> = Table::new();

/// So many labels a process has at once.
const MOST: usize = 65_535;

pub(crate) fn create_label() -> Answer<usize> {
    if LABELS.len() >= MOST {
        let text = format!("the process has {MOST} labels, and there are no more");
        return Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, text));
    }
    let context = current_context()?.id();
    Ok(LABELS.add(Label { context, state: Mutex::default() }))
}

/// The live label behind a C argument.
pub(crate) fn find_label(label: aclrtLabel) -> Answer<Arc<Label>> {
    if label.is_null() {
        return Err(Failure::invalid("the label is null"));
    }
    LABELS.get(label.0.addr()).ok_or_else(|| gone(label.0.addr(), Failure::unknown("label")))
}

/// Tasks that were built with it do not change.
pub(crate) fn destroy_label(label: aclrtLabel) -> Answer {
    find_label(label)?.of_current_context()?;
    LABELS.remove(label.0.addr()).map(drop).ok_or_else(|| gone(label.0.addr(), Failure::unknown("label")))
}

impl Label {
    /// A label is set and destroyed in its own context.
    pub(crate) fn of_current_context(&self) -> Answer {
        let current = current_context()?.id();
        if current == self.context {
            return Ok(());
        }
        let text = format!("the label belongs to context {:#x}, which is not current: {current:#x} is", self.context);
        Err(Failure::new(ACL_ERROR_RT_LABEL_CONTEXT, text))
    }

    /// Sets it behind what the stream has. It can be given to a stream once.
    pub(crate) fn set(&self, number: usize, stream: &Stream) -> Answer {
        if let Some(before) = self.give(stream.number()) {
            let text = format!("the label was given to the stream {before:#x} before; a label is set once");
            return Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, text));
        }
        let assembly = assembly_of(stream)?;
        assembly.issue(stream.number(), Sort::ACL_MODEL_RI_TASK_DEFAULT, What::Label(number))
    }
}

impl Label {
    /// To which stream it was given before.
    fn give(&self, stream: usize) -> Option<usize> {
        let mut state = lock(&self.state);
        let before = state.given_to;
        state.given_to = before.or(Some(stream));
        before
    }
}

/// Only one thread at a time puts labels into a list.
static LISTING: Mutex<()> = Mutex::new(());

/// A list of these labels. None of them may be in another one, as measured.
pub(crate) fn create_list(labels: &[aclrtLabel]) -> Answer<usize> {
    let found = labels.iter().map(|label| find_label(*label)).collect::<Answer<Vec<_>>>()?;
    let _alone = lock(&LISTING);
    if found.iter().any(|label| lock(&label.state).list.is_some()) {
        let text = "a label is in another list; a label is in one list at most";
        return Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, text));
    }
    let number = LISTS.add(List { labels: labels.iter().map(|label| label.0.addr()).collect() });
    found.iter().for_each(|label| lock(&label.state).list = Some(number));
    Ok(number)
}

pub(crate) fn find_list(list: aclrtLabelList) -> Answer<Arc<List>> {
    LISTS.get(list.0.addr()).ok_or_else(|| no_list(list.0.addr()))
}

/// Its labels can be put into another. Tasks that were built with it do not change.
pub(crate) fn destroy_list(list: aclrtLabelList) -> Answer {
    let number = list.0.addr();
    let list = LISTS.remove(number).ok_or_else(|| no_list(number))?;
    for label in list.labels.iter().filter_map(|label| LABELS.get(*label)) {
        let mut state = lock(&label.state);
        if state.list == Some(number) {
            state.list = None;
        }
    }
    Ok(())
}

fn no_list(number: usize) -> Failure {
    gone(number, Failure::refused("this is not a live list of labels"))
}

/// A label or a list of labels is used or destroyed after its end (DATA-05).
fn gone(number: usize, failure: Failure) -> Failure {
    let fix = "destroy each of them once, after its last use";
    failure.breaks(DATA_05, "a live label, or a live list of labels", fix).about(Object::description(number as u64))
}

/// How many labels there are, and lists of them.
pub(crate) fn count_labels() -> usize {
    LABELS.len() + LISTS.len()
}

pub(super) fn clear() {
    drop(LABELS.remove_all(|_| true));
    drop(LISTS.remove_all(|_| true));
}
