//! Waits of threads, and those that can never end.
//!
//! Who waits for whom is a chain: a thread for a stream or a point, a stream for the point that it is parked at or for
//! the thread that may block in a task of it (the caller's code, or a wait of a replay), a point for the stream or the
//! thread that is to reach it, a thread for the one that is inside an allocator. A thread
//! that finds itself at the end of its own chain would wait for ever. The vendor's library lets it, or gives up after a
//! time limit of its own; here the wait ends with the code of a time limit.
//!
//! Only waits that have lasted for a while are recorded and checked, so short waits cost nothing. A wait with a time
//! limit ends early if it can never succeed or the devices hang. So a program that waits in a loop makes progress.

use crate::abi::this_thread;
use crate::failure::Failure;
use crate::locks::lock;
use crate::machine::thread::{ended, inside};
use crate::machine::trouble::{Patience, stuck};
use crate::machine::watch;
use crate::machine::workers::pool::{self, Serving};
use crate::machine::workers::served::{self, Link};
use ascendcl_rules::Object;
use ascendcl_sys::types::aclError;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The object that a thread waits for.
#[derive(Clone, Copy)]
pub(in crate::machine) enum Target<'a> {
    Stream(Awaited),
    /// A stream that is being destroyed: what was not done for it by now is not done any more.
    Ending(Awaited),
    /// Another object, which answers what it waits for.
    Reached(&'a dyn Fn() -> Option<Link>),
}

/// A stream that a thread waits for.
#[derive(Clone, Copy)]
pub(in crate::machine) struct Awaited {
    pub(in crate::machine) number: usize,
    /// By which those who watch know it.
    pub(in crate::machine) named: Object,
}

/// The wait of this thread.
pub(in crate::machine) struct Waiting<'a> {
    target: Target<'a>,
    deadline: Option<Instant>,
    patience: Patience,
    entered: bool,
    /// The chain that was found last: its links were not looked at all at once, so it has to be found twice.
    suspected: Option<String>,
    /// How often a wait with a time limit was found to be for a thread that has ended.
    unheard: u8,
    /// Since when there was no thread for streams that are ready.
    unserved: Option<Patience>,
}

/// Longer chains are taken for ones that end.
const LONGEST: usize = 4096;
/// How a chain ends that comes back.
const OWN: &str = "this thread";
/// How one ends at a thread that runs no callbacks any more.
const GONE: &str = "a thread that has ended";
/// How one ends at a thread that is subscribed and never runs callbacks.
const SILENT: &str = "a thread that never calls aclrtProcessReport";

/// The threads that have waited for a while, with what each waits for.
static WAITS: Mutex<BTreeMap<u64, Link>> = Mutex::new(BTreeMap::new());
/// The threads that streams wait for in the middle of a task: those that run the caller's code, or wait in a replay. By
/// the life of the stream, since a task may go on when another stream has its number, and by the number of the [`Busy`]: of
/// two for one stream, the later one counts.
static BUSY: Mutex<BTreeMap<(u64, u64), u64>> = Mutex::new(BTreeMap::new());

impl<'a> Waiting<'a> {
    pub(in crate::machine) fn new(target: Target<'a>, deadline: Option<Instant>) -> Self {
        Self {
            target,
            deadline,
            patience: Patience::new(),
            entered: false,
            suspected: None,
            unheard: 0,
            unserved: None,
        }
    }

    /// When to look again, if nothing happens before.
    pub(in crate::machine) fn until(&self) -> Option<Instant> {
        let look = Instant::now().checked_add(Patience::LOOK);
        self.deadline.into_iter().chain(look).min()
    }

    /// The reason to give up the wait, after a check in which nothing had happened. No lock may be held.
    pub(in crate::machine) fn given_up(&mut self, code: aclError) -> Option<Failure> {
        if self.patience.is_over() {
            return Some(stuck());
        }
        if !self.patience.has_lasted(Patience::LOOK) {
            return None;
        }
        self.unserved =
            if pool::is_short_of_workers() { Some(self.unserved.unwrap_or_else(Patience::new)) } else { None };
        if self.unserved.is_some_and(|since| since.with_others_is_over()) {
            return Some(pool::no_worker());
        }
        let own = this_thread();
        let link = self.target.link()?;
        // Another thread may do it yet, but not after so long. What was queued for it may lack a worker.
        let ending = self.unserved.is_none()
            && (matches!(self.target, Target::Ending(_)) || self.patience.with_others_is_over());
        // A wait with a time limit ends, so no other wait lasts for ever because of it.
        if self.deadline.is_none() {
            lock(&WAITS).insert(own, link);
            self.entered = true;
        }
        if let (Target::Stream(stream), Some(_)) = (self.target, self.deadline)
            && self.unheard < 2
            && ends_at_nobody(link)
        {
            // Nobody runs the callback, whatever the program does when the time is up.
            self.unheard += 1;
            if self.unheard == 2 {
                watch::wait_given_up(stream.named, true);
            }
        }
        let chain = chain_of(own, link, ending, self.patience.with_others_is_over());
        let found = chain.clone().filter(|chain| self.suspected.as_ref() == Some(chain));
        self.suspected = chain;
        let chain = found?;
        // Waiting in a callback is found as such; and what never runs has been said when it was queued.
        if let (Target::Stream(stream) | Target::Ending(stream), None) = (self.target, self.deadline) {
            let unheard =
                chain.ends_with(GONE) || chain.ends_with(SILENT) || (chain.ends_with(OWN) && !inside::is_inside());
            watch::wait_given_up(stream.named, unheard);
        }
        Some(Failure::new(code, format!("this wait can never end: {chain}")))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.entered {
            lock(&WAITS).remove(&this_thread());
        }
    }
}

impl Target<'_> {
    fn link(self) -> Option<Link> {
        match self {
            Self::Stream(stream) | Self::Ending(stream) => Some(Link::Stream(stream.number)),
            Self::Reached(awaits) => awaits(),
        }
    }
}

/// While this exists, other threads see what this thread waits for.
pub(in crate::machine) struct WaitsFor(u64);

impl WaitsFor {
    pub(in crate::machine) fn thread(thread: u64) -> Self {
        Self::on(Link::Thread(thread))
    }

    /// The thread does the work of this stream.
    pub(in crate::machine) fn stream(stream: usize) -> Self {
        Self::on(Link::Stream(stream))
    }

    fn on(link: Link) -> Self {
        let own = this_thread();
        lock(&WAITS).insert(own, link);
        Self(own)
    }
}

impl Drop for WaitsFor {
    fn drop(&mut self) {
        lock(&WAITS).remove(&self.0);
    }
}

/// The chain in words, if it comes back to this thread or ends where nothing ever happens. `late`: a thread that has not
/// asked for callbacks by now never does.
fn chain_of(own: u64, first: Link, ending: bool, late: bool) -> Option<String> {
    let (mut link, mut words) = (first, vec!["this thread waits for ".to_owned()]);
    let mut stream = None;
    for _ in 0..LONGEST {
        if let Link::Stream(number) = link {
            stream = Some(number);
        }
        match link {
            Link::Stream(number) => words.push(format!("stream {number:#x}, which waits for ")),
            Link::Thread(thread) | Link::Reporter(thread) if thread == own => {
                words.push(OWN.to_owned());
                return Some(words.concat());
            }
            Link::Reporter(thread) if ending && ended::has_ended(thread) => {
                words.push(GONE.to_owned());
                return Some(words.concat());
            }
            Link::Reporter(thread) if late && ended::never_asks(thread) => {
                words.push(SILENT.to_owned());
                return Some(words.concat());
            }
            Link::Thread(_) | Link::Reporter(_) => words.push("another thread, which waits for ".to_owned()),
            Link::Later if ending => {
                // Those who wait for it from now on need not find out by waiting.
                stream.and_then(served::with_number).inspect(|stream| stream.is_forsaken());
                words.push("what nobody has queued".to_owned());
                return Some(words.concat());
            }
            Link::Later | Link::Elsewhere => return None,
            Link::Never => {
                words.push("work that nothing runs".to_owned());
                return Some(words.concat());
            }
        }
        link = next(link)?;
    }
    None
}

/// Whether the chain ends at a thread that ran callbacks and has ended.
fn ends_at_nobody(first: Link) -> bool {
    let mut chain = std::iter::successors(Some(first), |link| next(*link)).take(LONGEST);
    chain.any(|link| matches!(link, Link::Reporter(thread) if ended::has_ended(thread)))
}

/// What a stream or a thread is waiting for; `None` when it can continue.
fn next(link: Link) -> Option<Link> {
    match link {
        Link::Stream(number) => {
            let stream = served::with_number(number)?;
            if let Some(awaited) = stream.awaits() {
                return Some(awaited);
            }
            busy_on(stream.life()).map(Link::Thread)
        }
        Link::Thread(thread) | Link::Reporter(thread) => lock(&WAITS).get(&thread).copied(),
        Link::Never | Link::Later | Link::Elsewhere => None,
    }
}

/// While this exists, other threads see that the stream waits for this thread, which may block in a task of the stream.
pub(in crate::machine) struct Busy(u64, u64);

impl Busy {
    pub(in crate::machine) fn on(stream: usize) -> Self {
        Self::by(stream, this_thread())
    }

    /// The stream waits for the thread with this id.
    pub(in crate::machine) fn by(stream: usize, thread: u64) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let Serving { life, .. } = Serving::with_number(stream);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        lock(&BUSY).insert((life, number), thread);
        Self(life, number)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        lock(&BUSY).remove(&(self.0, self.1));
    }
}

/// The thread that the stream with this life waits for.
fn busy_on(life: u64) -> Option<u64> {
    let busy = lock(&BUSY);
    busy.range((life, 0)..=(life, u64::MAX)).next_back().map(|(_, thread)| *thread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::workers::served::{Outcome, Served, TooLate};
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn a_thread_with_the_number_of_one_that_has_ended_is_taken_to_be_there() {
        let reporting = || {
            ended::reports();
            this_thread()
        };
        let number = thread::spawn(reporting).join().unwrap();
        let chain = |link| chain_of(this_thread(), link, true, false);
        assert!(chain(Link::Reporter(number)).is_some_and(|chain| chain.ends_with(GONE)));
        assert_eq!(chain(Link::Thread(number)), None);
        ended::is_there(number);
        assert_eq!(chain(Link::Reporter(number)), None, "another thread with this number is subscribed");
    }

    /// A stream with a number that an earlier one has had.
    struct Later(usize, u64);

    impl Served for Later {
        fn number(&self) -> usize {
            self.0
        }

        fn life(&self) -> u64 {
            self.1
        }

        fn run(self: Arc<Self>) {}

        fn call(self: Arc<Self>, _: u64) {}

        fn resume(self: Arc<Self>, _: u64, _: Result<Outcome, TooLate>) -> bool {
            false
        }

        fn awaits(&self) -> Option<Link> {
            None
        }

        fn is_forsaken(&self) {}
    }

    #[test]
    fn a_task_that_goes_on_after_its_stream_does_nothing_for_a_stream_with_the_same_number() {
        const STREAM: usize = 0x7e57;
        const OTHER: u64 = u64::MAX;
        let (earlier, later) = (u64::MAX - 2, u64::MAX - 1);
        let begins = |life| served::enter(Arc::new(Later(STREAM, life)));
        let served = |life, code: fn() -> Busy| pool::serve_as(Serving { number: STREAM, life }, code);
        let awaited = || next(Link::Stream(STREAM));
        begins(earlier);
        let (first, second) = (Busy::by(STREAM, 1), Busy::by(STREAM, OTHER));
        assert_eq!(awaited(), Some(Link::Thread(OTHER)), "the later one counts");
        drop(second);
        assert_eq!(awaited(), Some(Link::Thread(1)));
        begins(later);
        assert_eq!(awaited(), None, "the task belongs to an earlier stream");
        let late = served(earlier, || Busy::by(STREAM, 1));
        assert_eq!(awaited(), None, "so does what the task begins now");
        let own = served(later, || Busy::by(STREAM, 3));
        drop((first, late));
        assert_eq!(awaited(), Some(Link::Thread(3)));
        drop(own);
        assert_eq!(awaited(), None);
        served::leave(STREAM);
    }
}
