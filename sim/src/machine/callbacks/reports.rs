//! Callbacks that threads of the caller run: which thread is subscribed to which stream, and which stream waits for
//! which thread.

use crate::abi::{HostCallback, this_thread};
use crate::failure::{Answer, Failure};
use crate::locks::{expired, lock, wait};
use crate::machine::recording::tasks::Sort;
use crate::machine::streams::stream::Stream;
use crate::machine::thread::ended;
use crate::machine::trouble::{Patience, lost, stuck};
use crate::machine::watch;
use crate::machine::workers::point::Duty;
use crate::machine::workers::served::Link;
use crate::machine::workers::user_code;
use ascendcl_rules::{CB_03, CB_04, CB_07};
use ascendcl_sys::error_codes::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

/// A thread that runs callbacks.
struct Reporter {
    thread: u64,
    device: u32,
    inbox: Mutex<Inbox>,
    came: Condvar,
}

#[derive(Default)]
struct Inbox {
    calls: VecDeque<Call>,
    /// No stream reports to it any more.
    closed: bool,
}

struct Call {
    callback: Arc<HostCallback>,
    stream: usize,
    /// The stream waits for it.
    duty: Option<Duty>,
}

struct Book {
    by_stream: BTreeMap<usize, Arc<Reporter>>,
    by_thread: BTreeMap<u64, Arc<Reporter>>,
    /// Streams whose callbacks run on a thread of the library, since a host function was launched on them.
    on_own_thread: BTreeSet<usize>,
}

static BOOK: Mutex<Book> =
    Mutex::new(Book { by_stream: BTreeMap::new(), by_thread: BTreeMap::new(), on_own_thread: BTreeSet::new() });

/// Lets the stream's callbacks run on the thread with this id.
pub(crate) fn subscribe(thread: u64, stream: &Stream) -> Answer {
    const MOST_THREADS: usize = 1024;
    let mut book = lock(&BOOK);
    if book.by_stream.contains_key(&stream.number()) {
        return Err(subscribed());
    }
    if book.on_own_thread.contains(&stream.number()) {
        return Err(has_host_functions(stream));
    }
    let device = stream.device().id();
    let reporter = match book.by_thread.get(&thread) {
        Some(reporter) if reporter.device != device => {
            let text = "the thread reports for streams of another device";
            let failure = Failure::new(ACL_ERROR_RT_THREAD_SUBSCRIBE, text);
            let fix = "start one reporting thread for each device";
            return Err(failure.breaks(CB_04, "a thread for streams of one device", fix).about(stream.named()));
        }
        Some(reporter) => Arc::clone(reporter),
        None if book.by_thread.len() >= MOST_THREADS => {
            let text = format!("there are {MOST_THREADS} reporting threads, and no more are possible");
            let fix = "let one thread report for many streams, or launch host functions";
            let failure = Failure::new(ACL_ERROR_RT_OVER_LIMIT, text);
            return Err(failure.breaks(CB_07, "at most 1024 reporting threads", fix).about(stream.named()));
        }
        None => {
            ended::is_subscribed(thread);
            Arc::new(Reporter { thread, device, inbox: Mutex::default(), came: Condvar::new() })
        }
    };
    book.by_thread.insert(thread, Arc::clone(&reporter));
    book.by_stream.insert(stream.number(), reporter);
    ended::is_there(thread);
    Ok(())
}

/// Ends the subscription; callbacks that have not run are lost.
pub(crate) fn unsubscribe(thread: u64, stream: &Stream) -> Answer {
    match lock(&BOOK).by_stream.get(&stream.number()) {
        None => {
            let text = "the stream has no reporting thread, so there is no subscription to end";
            return Err(Failure::new(ACL_ERROR_RT_STREAM_SUBSCRIBE, text));
        }
        Some(reporter) if reporter.thread != thread => {
            let text = "another thread reports for the stream";
            return Err(Failure::new(ACL_ERROR_RT_THREAD_SUBSCRIBE, text));
        }
        Some(_) => {}
    }
    forget_stream(stream.number());
    Ok(())
}

/// The stream was destroyed, or is no longer subscribed.
pub(in crate::machine) fn forget_stream(number: usize) {
    let reporter = {
        let mut book = lock(&BOOK);
        book.on_own_thread.remove(&number);
        let Some(reporter) = book.by_stream.remove(&number) else {
            return;
        };
        let last = !book.by_stream.values().any(|other| Arc::ptr_eq(other, &reporter));
        if last {
            book.by_thread.remove(&reporter.thread);
            ended::is_not_silent(reporter.thread);
            lock(&reporter.inbox).closed = true;
        }
        reporter
    };
    let lost: VecDeque<Call> = {
        let mut inbox = lock(&reporter.inbox);
        let (lost, kept) = std::mem::take(&mut inbox.calls).into_iter().partition(|call| call.stream == number);
        inbox.calls = kept;
        lost
    };
    reporter.came.notify_all();
    drop(lost);
}

/// The device is lost: no thread is handed the callbacks that wait for it any more.
pub(crate) fn lose_all() {
    let reporters: Vec<Arc<Reporter>> = lock(&BOOK).by_thread.values().cloned().collect();
    for reporter in reporters {
        let lost = std::mem::take(&mut lock(&reporter.inbox).calls);
        drop(lost);
    }
}

/// A host function runs on a thread of the library, and not on a stream that a thread of the caller reports for.
pub(crate) fn refuse_subscribed(stream: &Stream) -> Answer {
    if lock(&BOOK).by_stream.contains_key(&stream.number()) { Err(subscribed()) } else { Ok(()) }
}

/// Queues a function that runs on a thread of the library.
pub(crate) fn launch_on_own_thread(callback: HostCallback, stream: &Arc<Stream>) -> Answer {
    stream.submit_callback(move |number| {
        user_code::run_callback(number, || watch::run(&callback));
        Ok(())
    })?;
    lock(&BOOK).on_own_thread.insert(stream.number());
    Ok(())
}

/// Queues a callback on the stream for its reporting thread; a blocking one holds up the stream until it has run.
pub(crate) fn launch(callback: HostCallback, stream: &Arc<Stream>, blocking: bool) -> Answer {
    let (reporter, own) = {
        let book = lock(&BOOK);
        (book.by_stream.get(&stream.number()).cloned(), book.on_own_thread.contains(&stream.number()))
    };
    let Some(reporter) = reporter else {
        return match own {
            // The vendor's library takes a callback for the default stream there, and for no other one.
            true if stream.is_default() => launch_on_own_thread(callback, stream),
            true => Err(has_host_functions(stream)),
            false => Err(not_subscribed()),
        };
    };
    let (number, thread) = (stream.number(), reporter.thread);
    let callback = Arc::new(callback);
    let deliver = move |duty: Option<Duty>| {
        let call = Call { callback: Arc::clone(&callback), stream: number, duty };
        let book = lock(&BOOK);
        let subscribed = book.by_stream.get(&number).is_some_and(|subscribed| Arc::ptr_eq(subscribed, &reporter));
        let mut inbox = lock(&reporter.inbox);
        if !subscribed || lost().is_some() {
            drop((inbox, book));
            // It will never run; dropping it lets the stream go on.
            drop(call);
            return;
        }
        inbox.calls.push_back(call);
        drop((inbox, book));
        reporter.came.notify_one();
    };
    if blocking {
        return stream.submit_wait_each(Sort::ACL_MODEL_RI_TASK_DEFAULT, Link::Reporter(thread), None, move |duty| {
            deliver(Some(duty))
        });
    }
    let deliver = move |_| {
        deliver(None);
        Ok(())
    };
    stream.submit_each(deliver).map(drop)
}

/// Runs the callbacks that wait for this thread; waits for one until the deadline.
pub(crate) fn process(deadline: Option<Instant>) -> Answer {
    let not_subscribed = || {
        let text = "no stream is subscribed to this thread";
        Failure::new(ACL_ERROR_RT_THREAD_SUBSCRIBE, text)
    };
    ended::reports();
    let reporter = lock(&BOOK).by_thread.get(&this_thread()).cloned().ok_or_else(not_subscribed)?;
    ended::is_not_silent(reporter.thread);
    let patience = Patience::new();
    let mut inbox = lock(&reporter.inbox);
    while inbox.calls.is_empty() {
        if inbox.closed {
            return Err(not_subscribed());
        }
        if expired(deadline) {
            return Err(Failure::new(ACL_ERROR_RT_REPORT_TIMEOUT, "no callback came in time"));
        }
        if deadline.is_none() && patience.is_over() {
            return Err(stuck());
        }
        let look = || Instant::now().checked_add(Patience::LOOK);
        inbox = wait(&reporter.came, inbox, deadline.or_else(look));
    }
    while let Some(call) = inbox.calls.pop_front() {
        drop(inbox);
        user_code::run_callback(call.stream, || watch::run(&call.callback));
        call.duty.into_iter().for_each(Duty::fulfil);
        inbox = lock(&reporter.inbox);
    }
    Ok(())
}

fn subscribed() -> Failure {
    Failure::new(ACL_ERROR_RT_STREAM_SUBSCRIBE, "the stream has a reporting thread already")
}

/// The stream's callbacks run on a thread of the library since a host function was launched on it (CB-03).
fn has_host_functions(stream: &Stream) -> Failure {
    let failure = Failure::new(ACL_ERROR_RT_STREAM_SUBSCRIBE, "host functions were launched on the stream");
    let fix = "use aclrtLaunchHostFunc on this stream, or another stream for aclrtLaunchCallback";
    failure.breaks(CB_03, "one kind of callback per stream", fix).about(stream.named())
}

fn not_subscribed() -> Failure {
    Failure::new(ACL_ERROR_RT_STREAM_NO_CB_REG, "the stream has no reporting thread; subscribe one first")
}
