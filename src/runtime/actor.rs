//! A thread that owns a runtime and everything in it.

use super::shared::POLL_INTERVAL;
use super::{CloseError, Runtime};
use crate::brand::Name;
use crate::callback_guard::InCallback;
use crate::current::Current;
use crate::error::Error;
use crate::ffi::{Api, Joinable, wait_before_destructors};
use crate::panics::{Panic, Panics, Quiet, catch};
use crate::run::Setup;
use crate::undelivered;
use ascendcl_macros::rule;
use core::fmt;
use core::mem;
use core::panic::Location;
use core::sync::atomic::{AtomicBool, Ordering};
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle, ThreadId, current, sleep};
use std::time::{Duration, Instant};

/// A thread that opens a [`Runtime`], stays inside it, and runs the jobs that it gets, in order. It is for programs in
/// which one thread owns a device's work.
///
/// A call costs the switch to the thread and back, and hardly more: `cargo bench -p ascendcl --bench cost -- --actor`
/// measures both in the repository.
///
/// `S` is what the thread keeps between calls: models, streams, buffers, whatever the program needs. It never leaves
/// the thread, so it may be `!Send`.
///
/// An actor that is dropped closes its runtime on its thread, after the jobs that are queued. `exit` waits for that, ten
/// seconds at most.
///
/// ```
/// use ascendcl::runtime::Actor;
/// use ascendcl::{Error, Input, Library};
///
/// ascendcl::names!(Vision);
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.onnx");
/// let actor = Actor::<Vision, _>::open(Library::Simulator, move |current| current.load_model(file))?;
/// let scores = actor.call(|current, model| {
///     let outputs = model.run(current, &[Input::new(&[1, 64], &[0.0_f32; 64])?])?;
///     outputs.get(0)?.to_vec::<f32>()
/// })??;
/// assert_eq!(scores.len(), 10);
/// actor.close()?;
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_move(
    message = "this actor was closed",
    note = "INIT-02: it is closed once and last: move `actor.close()` behind all calls"
)]
pub struct Actor<N: Name, S> {
    api: Api,
    jobs: Option<Sender<Queued<N, S>>>,
    id: ThreadId,
    /// `None` when a call has joined it. Locked by calls that join it, and by nothing that the thread waits for.
    thread: Mutex<Option<Handle>>,
    /// The thread drops its own clone last.
    joinable: Joinable,
    ending: Arc<ActorEnd>,
}

type Handle = JoinHandle<Result<Closed, Panic>>;

/// What the actor and its thread tell each other, apart from jobs.
#[derive(Default)]
pub(super) struct ActorEnd {
    /// The limit of a close by force, if there is to be one.
    force: OnceLock<Duration>,
    /// The thread runs no further job.
    stop: AtomicBool,
    /// All jobs have ended, and what the thread kept was dropped.
    served: AtomicBool,
    /// Why the thread ends although the actor takes calls.
    ended: OnceLock<Arc<Error>>,
}

impl ActorEnd {
    /// The error of a call that the thread does not run.
    #[cold]
    pub(super) fn ended_error(&self) -> Error {
        Error::ActorEnded { cause: self.ended.get().cloned() }
    }
}

/// How the runtime was closed, and what was lost. If nobody joins the thread, the standard library drops this value,
/// and aborts the process if the drop panics.
struct Closed(Option<CloseResult>);

type CloseResult = Result<Vec<String>, CloseError>;

impl Drop for Closed {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.0.take() {
            undelivered::keep(error.into_errors());
        }
    }
}

pub(super) type Job<N, S> = Box<dyn FnOnce(&mut Current<N>, &mut S) + Send>;

/// A queued job. The channel may drop it, with its receiver. If a job panicked there, the jobs behind it would not be
/// dropped, and their callers would wait for ever.
type Queued<N, S> = Quiet<Job<N, S>>;

impl<N: Name, S: 'static> Actor<N, S> {
    /// Starts the thread, opens a runtime there, and makes what it keeps, as [`Runtime::open_with`].
    ///
    /// # Errors
    ///
    /// Those of [`Runtime::open`] and of `make`; then nothing is left behind, or [`sweep`](super::sweep) takes it down.
    /// [`Error::NoThread`] when the system has no thread; [`Error::InsideCallback`] in code that the library called.
    #[track_caller]
    pub fn open(
        setup: impl Into<Setup>,
        make: impl FnOnce(&mut Current<N>) -> Result<S, Error> + Send + 'static,
    ) -> Result<Self, Error> {
        InCallback::check_outside()?;
        let (setup, place) = (setup.into(), Location::caller());
        let (jobs, coming) = channel();
        let (opens, opened) = channel();
        let (joinable, ending) = (Joinable::default(), Arc::<ActorEnd>::default());
        let (own, of_thread) = (joinable.clone(), Arc::clone(&ending));
        let run = move || {
            // `coming` is bound last, so it is dropped before `_own`.
            let (_own, coming) = (own.on_this_thread(), coming);
            match Runtime::<N>::open_with_at(setup, make, place) {
                Ok((runtime, state)) => {
                    // `open` is waiting, so sending cannot fail.
                    let _ = opens.send(Ok(runtime.api()));
                    Closed(Some(serve(&runtime, state, &coming, &of_thread)))
                }
                Err(error) => {
                    let _ = opens.send(Err(error));
                    Closed(None)
                }
            }
        };
        let thread = Builder::new().name("ascendcl actor".to_owned()).spawn(|| catch(run));
        let thread = thread.map_err(|error| Error::NoThread { reason: error.kind() })?;
        match opened.recv() {
            Ok(Ok(api)) => {
                let (id, thread) = (thread.thread().id(), Mutex::new(Some(thread)));
                Ok(Self { api, jobs: Some(jobs), id, thread, joinable, ending })
            }
            Ok(Err(error)) => {
                let _ = thread.join();
                Err(error)
            }
            // `make` panicked, so the caller panics too.
            Err(_) => match thread.join() {
                Err(panic) => resume_unwind(panic),
                Ok(Err(panic)) => panic.resume(),
                Ok(Ok(_)) => Err(ending.ended_error()),
            },
        }
    }

    /// Runs `job` on the actor's thread, after all earlier calls, and waits for its result. A panic of the job
    /// continues here; the actor stays alive.
    ///
    /// # Errors
    ///
    /// [`Error::ActorEnded`], with the cause, when the thread has ended because the library did not make the context
    /// current; without one, when the actor was [closed by force](Self::close_by_force). [`Error::OwnJob`] in a job
    /// of this actor, which would wait for itself; [`Error::InsideCallback`] in code that the library calls, because the
    /// library waits for that code; [`Error::Forked`] in a forked child, which does not have the thread.
    ///
    /// Two actors whose jobs call each other wait forever.
    #[rule(THREAD_05)]
    pub fn call<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Current<N>, &mut S) -> R + Send + 'static,
    ) -> Result<R, Error> {
        self.check_takes_jobs()?;
        let (answer, answered) = sync_channel(1);
        let job: Job<N, S> = Box::new(move |current, state| {
            let result = catch(|| job(current, state));
            // The caller is waiting, so sending cannot fail.
            let _ = answer.send(result);
        });
        self.queue(job)?;
        match answered.recv() {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(panic)) => panic.resume(),
            Err(_) => Err(self.ending.ended_error()),
        }
    }

    /// An error unless this thread can give the actor a job.
    pub(super) fn check_takes_jobs(&self) -> Result<(), Error> {
        self.api.check_process()?;
        InCallback::check_outside()?;
        if self.is_this_thread() { Err(Error::OwnJob) } else { Ok(()) }
    }

    /// Queues a job. On an error the job is dropped.
    pub(super) fn queue(&self, job: Job<N, S>) -> Result<(), Error> {
        let jobs = self.jobs.as_ref().ok_or_else(|| self.ending.ended_error())?;
        jobs.send(Quiet::new(job)).map_err(|_| self.ending.ended_error())
    }

    pub(super) fn api(&self) -> Api {
        self.api
    }

    pub(super) fn ending(&self) -> Arc<ActorEnd> {
        Arc::clone(&self.ending)
    }

    /// Waits for the queued jobs, drops what the thread keeps, and closes the runtime.
    ///
    /// # Errors
    ///
    /// As for [`Runtime::close`]. [`sweep`](super::sweep) releases later what could not be released now. In a job of
    /// this actor the error is [`CloseError::Refused`] with [`Error::OwnJob`]; the actor then ends after the queued
    /// jobs. So it is, with [`Error::ActorEnded`], when the thread has ended by itself.
    pub fn close(
        self, // INIT-02: an `Actor` is closed once and last: move this `close()` behind all calls
    ) -> Result<(), CloseError> {
        self.check_can_end()?;
        let mut actor = self;
        actor.jobs = None;
        actor.join().map(drop)
    }

    /// Like [`close`](Self::close), and recovers a device whose work does not complete, as [`Runtime::close_by_force`]
    /// does. It first waits for the queued jobs, at most `limit`: a job that waits for such work without a limit may never
    /// end. An actor that threads share can be closed so while other threads call it: calls that are queued later return
    /// [`Error::ActorEnded`], at the latest when the runtime is closed.
    ///
    /// ```
    /// use ascendcl::runtime::Actor;
    /// use ascendcl::{Error, Library};
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// ascendcl::names!(Vision);
    ///
    /// let actor = Arc::new(Actor::<Vision, _>::open(Library::Simulator, |current| current.stream())?);
    /// let caller = Arc::clone(&actor);
    /// for lost in actor.close_by_force(Duration::from_secs(5)).unwrap() {
    ///     eprintln!("lost: {lost}");
    /// }
    /// assert!(matches!(caller.call(|_, _| ()), Err(Error::ActorEnded { .. })));
    /// # Ok::<(), ascendcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`close`](Self::close) and [`Runtime::close_by_force`]; in a job of this actor, the actor goes on.
    /// [`CloseError::Busy`] if a job still runs after `limit`. The actor then closes its runtime by force behind the queued
    /// jobs, and another call waits for that, and gets what was lost. What could not be released stays for
    /// [`sweep`](super::sweep), and another runtime that is closed by force recovers it, if it is the last one on the
    /// device. Of several calls, one returns what was lost, or the error. The others wait for it and return an empty list,
    /// also after an error; the limit of the first one counts for the recovery.
    #[rule(DEV_08, DEV_09)]
    pub fn close_by_force(&self, limit: Duration) -> Result<Vec<String>, CloseError> {
        self.check_can_end()?;
        let _ = self.ending.force.set(limit);
        if let Some(jobs) = &self.jobs {
            let ending = Arc::clone(&self.ending);
            let last: Job<N, S> = Box::new(move |_, _| ending.stop.store(true, Ordering::Release));
            // A thread that has ended needs no job to stop it.
            let _ = jobs.send(Quiet::new(last));
        }
        self.wait_for_jobs(limit)?;
        self.join()
    }

    /// Waits at most `limit` until the thread has run its last job.
    fn wait_for_jobs(&self, limit: Duration) -> Result<(), CloseError> {
        let until = Instant::now().checked_add(limit);
        while !self.ending.served.load(Ordering::Acquire) && !self.has_ended() {
            if until.is_some_and(|until| Instant::now() >= until) {
                return Err(CloseError::Busy { inside: 1 });
            }
            sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    /// Whether the thread has ended. The lock is held for longer only by a call that waits for the thread behind its jobs.
    fn has_ended(&self) -> bool {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Joining the thread on itself, or in code that the thread may wait for, would never end.
    fn check_can_end(&self) -> Result<(), CloseError> {
        self.api.check_process().map_err(CloseError::Refused)?;
        if self.is_this_thread() {
            return Err(CloseError::Refused(Error::OwnJob));
        }
        InCallback::check_outside().map_err(CloseError::Refused)
    }

    fn is_this_thread(&self) -> bool {
        self.id == current().id()
    }

    fn join(&self) -> CloseResult {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(joined) = thread.take().map(JoinHandle::join) else { return Ok(Vec::new()) };
        drop(thread);
        match joined {
            Ok(Ok(mut closed)) => closed.0.take().unwrap_or(Ok(Vec::new())),
            Ok(Err(panic)) => panic.resume(),
            Err(panic) => resume_unwind(panic),
        }
    }
}

/// A forked child takes no lock, because the actor's thread may have held it at the fork.
impl<N: Name, S> Drop for Actor<N, S> {
    fn drop(&mut self) {
        if self.api.check_process().is_err() {
            mem::forget((self.jobs.take(), self.handle().take()));
        } else if self.handle().is_some() {
            // The thread takes jobs until `jobs` is dropped. If it ended before, dropping `joinable` reverts this.
            self.joinable.detach();
        }
    }
}

impl<N: Name, S> Actor<N, S> {
    fn handle(&mut self) -> &mut Option<Handle> {
        self.thread.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<N: Name, S> fmt::Debug for Actor<N, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Actor").field("is_open", &!self.ending.stop.load(Ordering::Acquire)).finish_non_exhaustive()
    }
}

fn serve<N: Name, S>(
    runtime: &Runtime<N>,
    mut state: S,
    coming: &Receiver<Queued<N, S>>,
    ending: &ActorEnd,
) -> CloseResult {
    // The thread stays inside the context, so a call does not change the current context.
    let left = runtime.with(|current| {
        while let Ok(job) = coming.recv() {
            if let Some(job) = job.into_inner() {
                job(current, &mut state);
                // The job may have called functions of the library for the first time.
                wait_before_destructors();
            }
            if ending.stop.load(Ordering::Acquire) {
                break;
            }
        }
    });
    // Jobs are left if the thread could not enter the context, or behind a close by force. Their callers get an error, with
    // the cause if there is one: it is written before a job is dropped, and before the channel is.
    let left = left.map_err(|error| {
        let _ = ending.ended.set(Arc::new(error));
        ending.ended_error()
    });
    coming.try_iter().for_each(drop);
    let mut panics = Panics::default();
    panics.drop_each([state]);
    ending.served.store(true, Ordering::Release);
    let closed = match left {
        Ok(()) => panics.catch(|| match ending.force.get() {
            Some(limit) => runtime.close_by_force(*limit),
            None => runtime.close_within(Duration::ZERO).map(|()| Vec::new()),
        }),
        Err(error) => Some(Err(CloseError::Refused(error))),
    };
    if let Some(panic) = panics.first() {
        drop(Closed(closed));
        panic.resume();
    }
    closed.unwrap_or(Ok(Vec::new()))
}
