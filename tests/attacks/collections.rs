//! Collections with a limit: they wait no longer, free nothing that work uses, and report each failure once.

use super::{alone, collect, fail, inside, must_not_call, nothing_fails};
use crate::common::{assert_lives, library};
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::stream::StreamOps;
use ascendcl::{Brand, Current, Error, Runtime};
use ascendcl_macros::proves;
use std::error::Error as AnyError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

ascendcl::names!(Service);

const LONG: Duration = Duration::from_secs(20);
/// More than a few milliseconds for each stream, and far less than the work takes.
const AT_ONCE: Duration = Duration::from_secs(2);
const NOTHING_ENDS: &str = "aclrtFree=507899, aclrtDestroyStream=507899, aclmdlUnload=507899";

/// The stream works until the sender is dropped.
fn held<C: Brand>(current: &Current<C>, stream: &StreamOps<C>) -> Sender<()> {
    let (release, released) = channel::<()>();
    drop(stream.launch_host_fn(current, move || released.recv_timeout(LONG).is_ok()).unwrap());
    release
}

/// Leaves a stream whose work is held, and behind it a model, a buffer and an event. The library lets an event end before its
/// record is reached.
fn leaves_held_work<C: Brand>(current: &Current<C>) -> Sender<()> {
    let stream = current.stream().unwrap().without_allocator();
    let release = held(current, &stream);
    let model = super::model(current).bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
    drop(stream.execute(current, model).unwrap());
    drop(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
    drop(stream.record(current, current.event().unwrap()).unwrap());
    release
}

#[track_caller]
fn collects_nothing(current: &Current<impl Brand>, limit: Duration) {
    let start = Instant::now();
    assert_eq!(current.collect_within(limit).iter().map(Error::to_string).collect::<Vec<_>>(), [""; 0]);
    assert!(start.elapsed() >= limit && start.elapsed() < limit + AT_ONCE, "{:?}", start.elapsed());
}

fn assert_all_live() {
    assert_lives!(streams, 1);
    assert_lives!(models, 1);
}

fn assert_none_live() {
    assert_lives!(streams, 0);
    assert_lives!(models, 0);
    assert_lives!(events, 0);
    assert_lives!(device_blocks, 0);
}

#[proves(MEM_02, STREAM_05, STREAM_16)]
#[test]
fn what_work_uses_stays_and_the_collection_ends_in_time() {
    let alone = alone();
    inside(|current| {
        let release = leaves_held_work(current);
        must_not_call(NOTHING_ENDS);
        collects_nothing(current, Duration::ZERO);
        collects_nothing(current, Duration::from_millis(60));
        nothing_fails();
        assert_all_live();
        drop(release);
        assert_eq!(current.collect_within(LONG).len(), 0);
        assert_none_live();
    });
    alone.assert_nothing_lives();
}

#[test]
fn what_is_idle_ends_beside_a_stream_whose_work_goes_on() {
    let alone = alone();
    inside(|current| {
        let release = leaves_held_work(current);
        for _ in 0..8 {
            let stream = current.stream().unwrap();
            let buffer = current.device_buffer::<u8>(4).unwrap();
            drop(stream.set_bytes(current, buffer, 1).unwrap().wait(current).unwrap());
        }
        assert_lives!(streams, 9);
        assert_eq!(current.collect_within(Duration::ZERO).len(), 0);
        assert_all_live();
        drop(release);
        collect(current);
        assert_none_live();
    });
    alone.assert_nothing_lives();
}

/// The limit is for all streams together.
#[test]
fn many_streams_whose_work_goes_on_have_one_limit() {
    let alone = alone();
    inside(|current| {
        let releases: Vec<_> = (0..20).map(|_| held(current, &current.stream().unwrap())).collect();
        let start = Instant::now();
        assert_eq!(current.collect_within(Duration::from_millis(200)).len(), 0);
        assert!(start.elapsed() < AT_ONCE, "{:?}", start.elapsed());
        assert_lives!(streams, 20);
        drop(releases);
        assert_eq!(current.collect_within(LONG).len(), 0);
        assert_none_live();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, STREAM_07)]
#[test]
fn two_threads_that_collect_free_each_object_once() {
    let alone = alone();
    let runtime = Runtime::<Service>::open(library()).unwrap();
    for _ in 0..20 {
        let release = runtime.with(|current| leaves_held_work(current)).unwrap();
        std::thread::scope(|scope| {
            for limit in [Duration::ZERO, Duration::from_millis(20)] {
                let runtime = &runtime;
                scope.spawn(move || {
                    runtime.with(|current| assert_eq!(current.collect_within(limit).len(), 0)).unwrap();
                });
            }
        });
        assert_all_live();
        drop(release);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| runtime.with(|current| assert_eq!(current.collect_within(LONG).len(), 0)).unwrap());
            }
        });
        // Each thread may have seen a stream that the other one ended.
        runtime.with(|current| collect(current)).unwrap();
        assert_none_live();
    }
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(ERR_02)]
#[test]
fn a_failure_of_work_that_went_on_is_told_once_by_the_collection_that_sees_its_end() {
    let alone = alone();
    inside(|current| {
        let release = leaves_held_work(current);
        collects_nothing(current, Duration::ZERO);
        drop(release);
        fail("aclrtSynchronizeStreamWithTimeout#1=after:507015");
        let told: Vec<_> = current.collect_within(LONG).iter().map(|error| error.code().unwrap().number()).collect();
        assert_eq!(told, [507_015]);
        nothing_fails();
        assert_eq!(current.collect_within(LONG).len(), 0);
        assert_none_live();
    });
    alone.assert_nothing_lives();
}

struct Probe(Arc<AtomicBool>);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Probe {
    const NAME: &'static str = "probe";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn AnyError + Send + Sync>> {
        self.0.store(true, Ordering::SeqCst);
        Ok(())
    }
}

#[test]
fn an_attached_object_stays_while_work_goes_on() {
    let alone = alone();
    inside(|current| {
        let ended = Arc::new(AtomicBool::new(false));
        let stream = current.stream().unwrap();
        let release = held(current, &stream);
        let used = current.upload(&[1_u8; 4]).unwrap();
        drop(current.attach(Probe(Arc::clone(&ended)), used).map_err(Error::from).unwrap());
        drop(stream);
        collects_nothing(current, Duration::ZERO);
        assert!(!ended.load(Ordering::SeqCst), "work may use it");
        assert_lives!(device_blocks, 1);
        drop(release);
        assert_eq!(current.collect_within(LONG).len(), 0);
        assert!(ended.load(Ordering::SeqCst));
        // What it used goes with it, or with the next collection.
        collect(current);
        assert_none_live();
    });
    alone.assert_nothing_lives();
}

/// The library says at once that the time is up, whatever time it has. Without a limit nobody has asked for that.
#[proves(ERR_01, STREAM_16)]
#[test]
fn a_collection_without_a_limit_tells_that_the_library_gave_a_wait_up() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        drop(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
        drop(stream);
        fail("aclrtSynchronizeStreamWithTimeout=507046");
        let errors = current.collect();
        nothing_fails();
        assert!(errors.iter().any(|error| error.code().is_some_and(|code| code.is_timeout())), "{errors:?}");
        collect(current);
        assert_lives!(streams, 0);
    });
    alone.assert_nothing_lives();
}
