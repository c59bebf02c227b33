//! Notifies: a mark that one stream sets and another waits for and takes away. They work across contexts and devices.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::{self, Table};
use crate::machine::recording::tasks::Sort;
use crate::machine::streams::stream::Stream;
use crate::machine::workers::point::Duty;
use crate::machine::workers::served::Link;
use ascendcl_sys::types::aclrtNotify;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) struct Notify {
    number: usize,
    id: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// It was recorded, and nothing has waited for it since.
    set: bool,
    /// The waiting streams, in order: a record resumes one of them.
    waiting: VecDeque<Duty>,
}

static NOTIFIES: Table<Notify> = Table::new();

pub(crate) fn create() -> aclrtNotify {
    static IDS: AtomicU32 = AtomicU32::new(0);
    let number = handles::fresh();
    let notify = Notify { number, id: IDS.fetch_add(1, SeqCst), state: Mutex::default() };
    NOTIFIES.insert(number, Arc::new(notify));
    aclrtNotify(core::ptr::without_provenance_mut(number))
}

/// The live notify behind a C argument.
pub(crate) fn find(handle: aclrtNotify) -> Answer<Arc<Notify>> {
    if handle.is_null() {
        return Err(Failure::invalid("the notify is null"));
    }
    NOTIFIES.get(handle.0.addr()).ok_or_else(|| Failure::unknown("notify"))
}

/// As if none had been made.
pub(in crate::machine) fn clear() {
    drop(NOTIFIES.remove_all(|_| true));
}

impl Notify {
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// It is never recorded again, and its waiters keep waiting.
    pub(crate) fn destroy(&self) -> Answer {
        NOTIFIES.remove(self.number).ok_or_else(|| Failure::unknown("notify"))?;
        let waiting = std::mem::take(&mut lock(&self.state).waiting);
        waiting.into_iter().for_each(Duty::abandon);
        Ok(())
    }

    pub(crate) fn record(self: Arc<Self>, stream: &Arc<Stream>) -> Answer {
        let set = move |_| {
            let first = {
                let mut state = lock(&self.state);
                let first = state.next();
                state.set |= first.is_none();
                first
            };
            first.into_iter().for_each(Duty::fulfil);
            Ok(())
        };
        stream.submit_each(set).map(drop)
    }

    /// Lets what follows on the stream wait for a record, and takes the record away.
    pub(crate) fn hold_up(self: Arc<Self>, stream: &Arc<Stream>, limit: Option<Duration>) -> Answer {
        stream.submit_wait_each(Sort::ACL_MODEL_RI_TASK_DEFAULT, Link::Later, limit, move |duty| {
            let mut state = lock(&self.state);
            if !std::mem::take(&mut state.set) {
                return state.waiting.push_back(duty);
            }
            drop(state);
            duty.fulfil();
        })
    }
}

impl State {
    /// The first that still waits: the stream of another one may have given up.
    fn next(&mut self) -> Option<Duty> {
        while let Some(duty) = self.waiting.pop_front() {
            if duty.is_awaited() {
                return Some(duty);
            }
        }
        None
    }
}
