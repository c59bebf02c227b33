//! The thread that runs the callbacks of a context: one for all of its streams, as in the vendor's library. A callback that
//! takes long delays the callbacks of every other stream of its context.
//!
//! The thread begins with the first callback and ends with the context.

use crate::abi::this_thread;
use crate::failure::{Answer, Failure};
use crate::locks::{lock, wait};
use crate::machine::workers::pool::{self, Serving};
use crate::machine::workers::served::{Link, Served};
use crate::machine::workers::waiting::Busy;
use ascendcl_sys::error_codes::ACL_ERROR_RT_INTERNAL_ERROR;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;

pub(crate) struct CallbackThread {
    inbox: Mutex<Inbox>,
    came: Condvar,
}

#[derive(Default)]
struct Inbox {
    calls: VecDeque<Call>,
    started: bool,
    /// Known when the thread runs.
    id: Option<u64>,
    /// The context has ended.
    ended: bool,
}

enum Call {
    /// The callback at the head of the stream, if it is still there: the stream has this ticket then.
    Head(Arc<dyn Served>, u64),
    /// A callback inside a task of the stream, which waits for it.
    Within(Serving, Box<dyn FnOnce() + Send>),
}

/// The threads by the numbers of their contexts.
static THREADS: Mutex<BTreeMap<usize, Arc<CallbackThread>>> = Mutex::new(BTreeMap::new());

/// The thread of the context with this number. It need not run yet.
pub(in crate::machine) fn of(context: usize) -> Arc<CallbackThread> {
    let fresh = || Arc::new(CallbackThread { inbox: Mutex::default(), came: Condvar::new() });
    Arc::clone(lock(&THREADS).entry(context).or_insert_with(fresh))
}

/// The context ends: later callbacks are those of another one that has its number.
pub(in crate::machine) fn take(context: usize) -> Option<Arc<CallbackThread>> {
    lock(&THREADS).remove(&context)
}

impl CallbackThread {
    /// The streams of its context have run out. Says whether a callback has ever run there.
    pub(in crate::machine) fn end(&self) -> bool {
        let started = {
            let mut inbox = lock(&self.inbox);
            inbox.ended = true;
            inbox.started
        };
        self.came.notify_one();
        started
    }

    /// Has the callback at the head of the stream run.
    pub(in crate::machine) fn post(self: &Arc<Self>, stream: Arc<dyn Served>, ticket: u64) {
        if let Err(Call::Head(stream, ticket)) = self.take(Call::Head(stream, ticket)) {
            // There is no such thread (any more): this one does it.
            stream.call(ticket);
        }
    }

    /// Runs code there and waits for its end: for a task of the stream with this number, which runs on this thread.
    pub(in crate::machine) fn run(
        self: &Arc<Self>,
        stream: usize,
        code: &Arc<dyn Fn(usize) -> Answer + Send + Sync>,
    ) -> Answer {
        let (tell, told) = mpsc::channel();
        let work = Arc::clone(code);
        let call = move || {
            // The caller waits for it, or the process ends.
            let _ = tell.send(work(stream));
        };
        let serving = Serving::with_number(stream);
        if let Err(Call::Within(_, call)) = self.take(Call::Within(serving, Box::new(call))) {
            call();
        }
        let _busy = self.id().map(|thread| Busy::by(stream, thread));
        pool::lend(|| told.recv()).unwrap_or_else(|_| {
            let text = "a callback of the simulator failed; this is a defect of the simulator";
            Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, text))
        })
    }

    /// The thread, for those that wait for a callback that it has not begun.
    pub(in crate::machine) fn link(&self) -> Option<Link> {
        lock(&self.inbox).id.map(Link::Thread)
    }

    /// The thread's id, which a thread that has just begun has yet to tell; `None` when there is no thread.
    fn id(&self) -> Option<u64> {
        let mut inbox = lock(&self.inbox);
        while inbox.started && inbox.id.is_none() {
            inbox = wait(&self.came, inbox, None);
        }
        inbox.id
    }

    /// Gives the call back when there is no thread for it.
    fn take(self: &Arc<Self>, call: Call) -> Result<(), Call> {
        let mut inbox = lock(&self.inbox);
        if inbox.ended {
            return Err(call);
        }
        if !inbox.started {
            let own = Arc::clone(self);
            let started = thread::Builder::new().name("ascendcl-sim-callbacks".into()).spawn(move || own.serve());
            if started.is_err() {
                return Err(call);
            }
            inbox.started = true;
        }
        inbox.calls.push_back(call);
        drop(inbox);
        self.came.notify_one();
        Ok(())
    }

    fn serve(&self) {
        let mut inbox = lock(&self.inbox);
        inbox.id = Some(this_thread());
        self.came.notify_all();
        loop {
            let Some(call) = inbox.calls.pop_front() else {
                if inbox.ended {
                    return;
                }
                inbox = wait(&self.came, inbox, None);
                continue;
            };
            drop(inbox);
            match call {
                Call::Head(stream, ticket) => pool::counted(|| stream.call(ticket)),
                // Dropping the sender reports its failure.
                Call::Within(stream, code) => {
                    drop(catch_unwind(AssertUnwindSafe(|| pool::serve_as(stream, code))));
                }
            }
            inbox = lock(&self.inbox);
        }
    }
}
