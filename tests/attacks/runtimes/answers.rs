//! Futures of an actor's jobs: dropped, forgotten, swapped, polled anywhere, and left over when the actor ends.

use super::*;
use crate::common::{library, library_at, null_library};
use crate::null::books;
use core::future::Future;
use core::pin::pin;
use core::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use core::task::{Context, Poll, Waker};
use std::sync::mpsc::{Receiver, Sender};
use std::task::Wake;

fn open() -> Arc<Actor<Worker, usize>> {
    Arc::new(Actor::open(library(), |_| Ok(0)).unwrap())
}

fn close(actor: Arc<Actor<Worker, usize>>) {
    Arc::into_inner(actor).unwrap().close().unwrap();
}

/// The actor's thread runs nothing until something is sent.
fn occupied(actor: &Actor<Worker, usize>) -> Sender<()> {
    let (release, released) = channel::<()>();
    let (begins, begun) = channel();
    let job = actor.start(move |_, _| {
        begins.send(()).unwrap();
        released.recv_timeout(Duration::from_secs(20)).is_ok()
    });
    drop(job.unwrap());
    begun.recv().unwrap();
    release
}

/// Polls once, without a wake.
fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Adds one when it is dropped, and panics then if it is to.
struct Counted {
    dropped: Arc<AtomicUsize>,
    panics: bool,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, SeqCst);
        assert!(!self.panics, "in the drop of a result");
    }
}

#[test]
fn jobs_run_in_order_and_their_answers_come_on_any_thread() {
    let alone = alone();
    let actor = open();
    let release = occupied(&actor);
    let mut answers: Vec<_> = (0..100)
        .map(|_| {
            let job = |_: &mut Current<Worker>, count: &mut usize| {
                *count += 1;
                *count
            };
            actor.start(job).unwrap()
        })
        .collect();
    assert!(answers.iter_mut().all(|answer| poll(answer).is_pending()), "no thread is blocked for them");
    // Swapped futures are those of their own jobs.
    let (first, last) = answers.split_at_mut(99);
    mem::swap(&mut first[0], &mut last[0]);
    release.send(()).unwrap();
    let counts = thread::spawn(move || answers.into_iter().map(|answer| finish(answer).unwrap()).collect::<Vec<_>>());
    let counts = counts.join().unwrap();
    assert_eq!((counts[0], counts[99], &counts[1..4]), (100, 1, &[2, 3, 4][..]));
    let buffer = finish(actor.start(|current, _| current.upload(&[1_u8, 2]).unwrap()).unwrap()).unwrap();
    let read = finish(actor.start(move |current, _| buffer.to_vec(current).unwrap()).unwrap()).unwrap();
    assert_eq!(read, [1, 2]);
    close(actor);
    alone.assert_nothing_lives();
}

/// A task that gives a future up, at a time limit for example, is not kept until the job has run.
#[test]
fn a_dropped_future_keeps_no_task() {
    let alone = alone();
    let actor = open();
    let release = occupied(&actor);
    let task = Arc::new(Task);
    let mut answer = actor.start(|_, _| ()).unwrap();
    let waker = Waker::from(Arc::clone(&task));
    assert!(pin!(&mut answer).poll(&mut Context::from_waker(&waker)).is_pending());
    drop(waker);
    assert_eq!(Arc::strong_count(&task), 2, "the job is to wake it");
    drop(answer);
    assert_eq!(Arc::strong_count(&task), 1);
    release.send(()).unwrap();
    close(actor);
    alone.assert_nothing_lives();
}

struct Task;

impl std::task::Wake for Task {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn a_job_whose_future_is_dropped_or_forgotten_runs_and_its_result_is_dropped_once() {
    let alone = alone();
    let actor = open();
    let dropped = Arc::<AtomicUsize>::default();
    for panics in [false, true] {
        let release = occupied(&actor);
        let job = || {
            let result = Counted { dropped: Arc::clone(&dropped), panics };
            actor.start(move |_, count| {
                *count += 1;
                result
            })
        };
        drop(job().unwrap());
        let mut polled = job().unwrap();
        assert!(poll(&mut polled).is_pending());
        drop(polled);
        mem::forget(job().unwrap());
        let late = job().unwrap();
        release.send(()).unwrap();
        assert!(actor.call(|_, _| ()).is_ok(), "a panic in the drop of a result ends there");
        assert_eq!(dropped.swap(0, SeqCst), 2, "the forgotten future keeps its result");
        drop(late);
        assert_eq!(dropped.swap(0, SeqCst), 1);
    }
    assert_eq!(actor.call(|_, count| *count).unwrap(), 8);
    close(actor);
    alone.assert_nothing_lives();
}

#[test]
fn a_panic_of_a_job_continues_where_its_future_is_polled_and_the_actor_goes_on() {
    let alone = alone();
    let actor = open();
    let panics = || actor.start(|_, _| -> usize { panic!("in a job") }).unwrap();
    let caught = catch_unwind(AssertUnwindSafe(|| finish(panics())));
    assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"in a job"));
    drop(panics());
    mem::forget(panics());
    let mut answer = panics();
    actor.call(|_, _| ()).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| poll(&mut answer))).is_err());
    assert!(poll(&mut answer).is_pending(), "once only");
    let mut seven = actor.start(|_, _| 7).unwrap();
    actor.call(|_, _| ()).unwrap();
    assert!(matches!(poll(&mut seven), Poll::Ready(Ok(7))));
    assert!(poll(&mut seven).is_pending(), "once only");
    close(actor);
    alone.assert_nothing_lives();
}

/// A waker that does what it must not.
struct Wicked {
    actor: Arc<Actor<Worker, usize>>,
    told: Sender<[Option<Error>; 2]>,
}

impl Wake for Wicked {
    fn wake(self: Arc<Self>) {
        let started = self.actor.start(|_, _| ()).err();
        self.told.send([started, self.actor.call(|_, _| ()).err()]).unwrap();
        panic!("in a waker");
    }
}

#[test]
fn a_waker_that_panics_or_calls_its_actor_hinders_no_job() {
    let alone = alone();
    let actor = open();
    let release = occupied(&actor);
    let (told, refused) = channel();
    let mut answer = actor.start(|_, _| 7).unwrap();
    let waker = Waker::from(Arc::new(Wicked { actor: Arc::clone(&actor), told }));
    assert!(pin!(&mut answer).poll(&mut Context::from_waker(&waker)).is_pending());
    drop(waker);
    release.send(()).unwrap();
    let refused = refused.recv().unwrap();
    assert!(refused.iter().all(|error| matches!(error, Some(Error::InsideCallback))), "{refused:?}");
    assert_eq!(finish(answer).unwrap(), 7);
    assert_eq!(actor.call(|_, _| 8).unwrap(), 8);
    close(actor);
    alone.assert_nothing_lives();
}

#[proves(ALLOC_18)]
#[test]
fn a_job_of_the_actor_and_a_callback_start_nothing() {
    let alone = alone();
    let actor = open();
    let own = Arc::clone(&actor);
    let refused = actor.call(move |_, _| own.start(|_, _| ()).err()).unwrap();
    assert!(matches!(refused, Some(Error::OwnJob)), "{refused:?}");
    let within = Arc::clone(&actor);
    let refused = actor.call(move |current, _| {
        let stream = current.stream().unwrap();
        let told = stream.launch_host_fn(current, move || within.start(|_, _| ()).err()).unwrap();
        told.wait(current).unwrap().into_result().unwrap()
    });
    assert!(matches!(refused, Ok(Some(Error::InsideCallback))), "{refused:?}");
    close(actor);
    alone.assert_nothing_lives();
}

/// What was queued before the end of the actor is run; what comes behind is told so. No future waits for ever.
#[proves(DEV_08)]
#[test]
fn an_actor_that_is_closed_dropped_or_closed_by_force_answers_each_future() {
    let alone = alone();
    for end in ["closed", "dropped", "by force"] {
        let actor = open();
        let release = occupied(&actor);
        let queued = actor.start(|_, _| 7).unwrap();
        match end {
            "closed" => {
                release.send(()).unwrap();
                close(actor);
            }
            "dropped" => {
                drop(actor);
                release.send(()).unwrap();
            }
            _ => {
                let closer = Arc::clone(&actor);
                let closed = thread::spawn(move || closer.close_by_force(Duration::from_secs(5)).unwrap());
                thread::sleep(Duration::from_millis(100));
                let dropped = Arc::<AtomicUsize>::default();
                let held = Counted { dropped: Arc::clone(&dropped), panics: true };
                let behind = actor.start(move |_, _| drop(held)).unwrap();
                release.send(()).unwrap();
                let told = finish(behind);
                assert!(matches!(told, Err(Error::ActorEnded { cause: None })), "{told:?}");
                assert_eq!(closed.join().unwrap(), [""; 0]);
                assert_eq!(dropped.load(SeqCst), 1, "the job was dropped");
                let refused = actor.start(|_, _| ()).unwrap_err();
                assert!(matches!(refused, Error::ActorEnded { cause: None }), "{refused}");
                close(actor);
            }
        }
        assert_eq!(finish(queued).unwrap(), 7, "{end}");
    }
    sweep();
    alone.assert_nothing_lives();
}

/// Threads start jobs while another closes the actor by force: each future ends.
#[proves(DEV_08, DEV_10)]
#[test]
fn futures_that_threads_start_around_a_close_by_force_all_end() {
    let alone = alone();
    for _ in 0..20 {
        let actor = open();
        let starts = || loop {
            match actor.start(|_, count| *count += 1).and_then(finish) {
                Ok(()) => {}
                Err(Error::ActorEnded { cause: None }) => break,
                Err(error) => panic!("{error}"),
            }
        };
        thread::scope(|scope| {
            (0..3).for_each(|_| drop(scope.spawn(starts)));
            assert_eq!(actor.close_by_force(Duration::from_secs(5)).unwrap(), [""; 0]);
        });
        close(actor);
    }
    alone.assert_nothing_lives();
}

/// The library refuses the actor's thread its context: the cause is in each future.
#[proves(STREAM_09)]
#[test]
fn a_future_of_an_actor_whose_thread_could_not_enter_its_context_says_why() {
    let alone = alone();
    let (ends, lasts) = channel::<()>();
    let actor = Actor::open(library(), move |_: &mut Current<Worker>| {
        fail("aclrtSetCurrentContext#2=507899");
        Ok(Lasts(lasts))
    });
    let actor = actor.unwrap();
    // The thread drops what it keeps.
    thread::sleep(Duration::from_millis(200));
    let queued = actor.start(|_, _| 7).unwrap();
    ends.send(()).unwrap();
    let told = finish(queued).unwrap_err();
    assert!(matches!(told, Error::ActorEnded { cause: Some(_) }), "{told}");
    assert_eq!(told.code().map(ascendcl::error::Code::number), Some(507_899), "{told}");
    nothing_fails();
    let refused = actor.start(|_, _| 7).unwrap_err();
    assert!(matches!(refused, Error::ActorEnded { cause: Some(_) }), "{refused}");
    assert!(matches!(actor.close().unwrap_err(), CloseError::Refused(Error::ActorEnded { .. })));
    sweep();
    alone.assert_nothing_lives();
}

/// What an actor keeps, whose drop lasts until something is sent.
struct Lasts(Receiver<()>);

impl Drop for Lasts {
    fn drop(&mut self) {
        let _ = self.0.recv_timeout(Duration::from_secs(20));
    }
}

/// The child has the future and not the thread.
#[proves(THREAD_05)]
#[test]
fn a_forked_child_neither_starts_a_job_nor_waits_for_an_answer() {
    let alone = alone();
    let actor = open();
    let release = occupied(&actor);
    let queued = actor.start(|_, _| 7).unwrap();
    let (actor, queued) = in_a_forked_child((actor, queued), |(actor, mut queued)| {
        let refused = actor.start(|_, _| ()).is_err_and(|error| is_forked(&error));
        let told = matches!(poll(&mut queued), Poll::Ready(Err(error)) if is_forked(&error));
        drop((queued, actor));
        refused && told
    });
    release.send(()).unwrap();
    assert_eq!(finish(queued).unwrap(), 7);
    close(actor);
    alone.assert_nothing_lives();
}

/// One actor of the simulator, one of another library: each answers its own.
#[test]
fn futures_of_actors_of_two_libraries_end_together() {
    let alone = alone();
    let _books = books();
    let actor = open();
    let null = Actor::<Worker, usize>::open(library_at(null_library()), |_| Ok(5)).unwrap();
    let buffer = finish(actor.start(|current, _| current.upload(&[9_u8; 4]).unwrap()).unwrap()).unwrap();
    // A value of the one is refused in the other, and comes back with the answer.
    let (refused, buffer) = finish(null.start(move |current, _| (buffer.to_vec(current), buffer)).unwrap()).unwrap();
    assert!(matches!(refused, Err(Error::WrongContext { .. })), "{refused:?}");
    let (mut one, mut other) = (actor.start(|_, _| 1).unwrap(), null.start(|_, state| *state).unwrap());
    mem::swap(&mut one, &mut other);
    assert_eq!((finish(one).unwrap(), finish(other).unwrap()), (5, 1));
    let read = finish(actor.start(move |current, _| buffer.to_vec(current).unwrap()).unwrap()).unwrap();
    assert_eq!(read, [9; 4]);
    null.close().unwrap();
    close(actor);
    alone.assert_nothing_lives();
}

/// Panics when the last of the task's wakers is dropped.
struct PanicsAtEnd;

impl Wake for PanicsAtEnd {
    fn wake(self: Arc<Self>) {}

    fn wake_by_ref(self: &Arc<Self>) {}
}

impl Drop for PanicsAtEnd {
    fn drop(&mut self) {
        panic!("in the drop of a waker");
    }
}

/// Polls with a waker of which only the answer has another one afterwards.
fn leave_the_last_waker(answer: &mut runtime::Answer<()>) {
    let waker = Waker::from(Arc::new(PanicsAtEnd));
    assert!(pin!(answer).poll(&mut Context::from_waker(&waker)).is_pending());
}

#[proves(THREAD_05)]
#[test]
fn a_waker_whose_drop_panics_ends_neither_the_actor_nor_the_task() {
    let alone = alone();
    let actor = open();
    let release = occupied(&actor);
    let (mut kept, mut dropped) = (actor.start(|_, _| ()).unwrap(), actor.start(|_, _| ()).unwrap());
    leave_the_last_waker(&mut kept);
    leave_the_last_waker(&mut dropped);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(dropped))).is_ok());
    release.send(()).unwrap();
    assert_eq!(actor.call(|_, count| *count).unwrap(), 0);
    assert!(matches!(poll(&mut kept), Poll::Ready(Ok(()))));
    close(actor);
    alone.assert_nothing_lives();
}
