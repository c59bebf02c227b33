//! What a context has that has stopped at a failure: work that was handed over, graphs, objects, threads (STREAM-15).

use super::stopping::{BRIEFLY, alone, fails, open, plain, stopped, stops};
use super::*;
use ascendcl::capture::{CaptureMode, CapturedGraph};
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::stream::{DefaultAllocator, HostFnResult};
use ascendcl::{Brand, DeviceBuffer, Stream};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::Sender;

const LONG: Duration = Duration::from_secs(20);

type Plain<C> = Stream<C, DefaultAllocator>;

/// A stream that works until something is sent. It works already.
fn busy<C: Brand>(current: &Current<C>) -> (Plain<C>, Pending<C, HostFnResult<bool>>, Sender<()>) {
    let ((release, released), (begins, begun)) = (channel::<()>(), channel::<()>());
    let stream = plain(current);
    let held = move || {
        begins.send(()).unwrap();
        released.recv_timeout(LONG).is_ok()
    };
    let held = stream.launch_host_fn(current, held).unwrap();
    begun.recv_timeout(LONG).unwrap();
    (stream, held, release)
}

/// Lets the streams of the context stop at a failure, and makes one of them fail.
#[track_caller]
fn stop<C: Brand>(current: &Current<C>) {
    fails(current, &current.stream_with(stops()).unwrap().without_allocator());
}

/// The runtime does not close, and then it does by force, which loses nothing.
#[track_caller]
fn ends_by_force(alone: &crate::common::Alone, runtime: Runtime<Worker>) {
    let Err(CloseError::Teardown { .. }) = runtime.close() else { panic!("nobody knows what still runs") };
    assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    runtime.close().unwrap();
    drop(runtime);
    sweep();
    alone.assert_nothing_lives();
}

/// The first of the two streams still works when all stop. No wait for either of them gives the memory back, once or twice.
#[proves(STREAM_15, STREAM_04, MEM_02)]
#[test]
fn work_that_another_stream_took_over_comes_back_from_neither() {
    let alone = alone();
    let runtime = open();
    let (release, work) = runtime
        .with(|current| {
            let ((first, held, release), second) = (busy(current), plain(current));
            let work = first.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 7).unwrap();
            let event = first.record(current, current.event().unwrap()).unwrap();
            let work = second.adopt_after(current, work, &event).unwrap();
            stop(current);
            let blocks = control::live().device_blocks;
            let mut work = work;
            for _ in 0..3 {
                let failed = work.wait(current).unwrap_err();
                stopped::<(), _>(Err(failed.error));
                work = failed.value;
                stopped(second.synchronize(current));
                stopped(first.synchronize(current));
                stopped(current.synchronize());
            }
            stopped(held.wait(current).map(drop));
            let late = second.record(current, current.event().unwrap()).map(drop);
            stopped(late);
            // What is not in flight is not kept.
            current.upload(&[1_u8; 64]).unwrap().free(current).unwrap();
            drop((first, second, event));
            drop(current.collect());
            assert!(control::live().device_blocks >= blocks, "{:?}", control::live());
            (release, work)
        })
        .unwrap();
    // The task that ran ends now. Whether the others run is not known to anybody.
    release.send(()).unwrap();
    runtime.with(|current| stopped(work.wait(current))).unwrap();
    ends_by_force(&alone, runtime);
}

/// The state of a callback: it says whether it was dropped.
struct State {
    inside: Mutex<(Sender<()>, std::sync::mpsc::Receiver<()>)>,
    drops: Arc<AtomicUsize>,
}

impl Drop for State {
    fn drop(&mut self) {
        self.drops.fetch_add(1, SeqCst);
    }
}

/// A graph replays, inside of its callback, when all streams stop. It is neither taken apart nor destroyed, and its state
/// outlives the callback, also when the device is reset under it.
#[proves(STREAM_15, GRAPH_05, GRAPH_07, DEV_08)]
#[test]
fn a_graph_whose_callback_runs_is_not_destroyed_under_it() {
    let alone = alone();
    let runtime = open();
    let (drops, ((begins, begun), (release, released))) = (Arc::new(AtomicUsize::new(0)), (channel(), channel()));
    let ended = Arc::new(AtomicUsize::new(0));
    let state = State { inside: Mutex::new((begins, released)), drops: Arc::clone(&drops) };
    let state = (state, Arc::clone(&ended));
    let replay = runtime
        .with(|current| {
            let mut own = plain(current);
            let operands = current.upload(&[0_u8; 64]).unwrap();
            let graph: CapturedGraph<_, DeviceBuffer<_, u8>> = own
                .capture(current, CaptureMode::Relaxed, operands, |capture, mut memory| {
                    capture.launch_host_fn(state, |(state, ended)| {
                        let inside = state.inside.lock().unwrap();
                        inside.0.send(()).unwrap();
                        let _ = inside.1.recv_timeout(LONG);
                        ended.store(1 + state.drops.load(SeqCst), SeqCst);
                    })?;
                    capture.set_bytes(&mut memory, 1)
                })
                .unwrap();
            let replay = own.replay(current, graph).unwrap();
            begun.recv_timeout(LONG).unwrap();
            stop(current);
            let failed = replay.wait_within(current, BRIEFLY).unwrap_err();
            stopped::<(), _>(Err(failed.error));
            // It is in flight: the next run, on the same stream, is refused.
            let refused = own.replay(current, failed.value).unwrap_err();
            stopped::<(), _>(Err(refused.error));
            drop(current.collect());
            refused.value
        })
        .unwrap();
    drop(replay);
    runtime.with(|current| drop(current.collect())).unwrap();
    assert_eq!(drops.load(SeqCst), 0, "the callback uses it");
    let Err(CloseError::Teardown { .. }) = runtime.close() else { panic!("nobody knows what still runs") };
    let _ = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            release.send(()).unwrap();
        });
        runtime.close_by_force(BRIEFLY)
    });
    let begun = Instant::now();
    while ended.load(SeqCst) == 0 {
        assert!(begun.elapsed() < LONG, "the callback does not end");
        thread::yield_now();
    }
    assert_eq!(ended.load(SeqCst), 1, "dropped while it was used");
    let _ = runtime.close_by_force(LONG);
    runtime.close().unwrap();
    drop(runtime);
    sweep();
    drop(alone);
}

/// Says how it ended.
struct Object(Arc<Mutex<Vec<bool>>>);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Object {
    const NAME: &'static str = "object";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.0.lock().unwrap().push(from.was_reset());
        Ok(())
    }
}

/// An object of other code may be in use by work that nobody can wait for: it ends once, after the reset.
#[proves(STREAM_15, DEV_10)]
#[test]
fn an_attached_object_is_not_taken_down_before_the_reset() {
    let alone = alone();
    let (runtime, told) = (open(), Arc::new(Mutex::new(Vec::new())));
    let (attached, release) = runtime
        .with(|current| {
            let (stream, held, release) = busy(current);
            mem::forget(held);
            let uses = (plain(current), current.upload(&[1_u8; 64]).unwrap());
            let attached = current.attach(Object(Arc::clone(&told)), uses).map_err(Error::from).unwrap();
            drop(current.attach(Object(Arc::clone(&told)), stream).map_err(Error::from).unwrap());
            stop(current);
            let refused = attached.take_down(current).unwrap_err();
            stopped::<(), _>(Err(refused.error));
            drop(current.collect());
            refused.value.get(current).unwrap();
            (refused.value, release)
        })
        .unwrap();
    assert_eq!(*told.lock().unwrap(), [false; 0], "work may use it");
    drop((attached, release));
    ends_by_force(&alone, runtime);
    assert_eq!(*told.lock().unwrap(), [true; 2]);
}

/// A thread waits for work that goes on, when another thread hears of the failure that stops all streams.
#[proves(STREAM_15, THREAD_03, MEM_02)]
#[test]
fn a_thread_that_waits_is_told_of_the_stop_that_another_one_caused() {
    let alone = alone();
    let runtime = open();
    let (start, ran) = (Barrier::new(2), Arc::new(AtomicUsize::new(0)));
    let release = thread::scope(|scope| {
        let waits = scope.spawn(|| {
            runtime.with(|current| {
                let (stream, held, release) = busy(current);
                let counts = Arc::clone(&ran);
                let behind = stream.launch_host_fn(current, move || counts.fetch_add(1, SeqCst)).unwrap();
                let copied = stream
                    .copy_to_host(current, current.upload(&[7_u8; 64]).unwrap(), current.host_buffer(64).unwrap())
                    .unwrap();
                start.wait();
                let failed = copied.wait(current).unwrap_err();
                stopped::<(), _>(Err(failed.error));
                let failed = failed.value.wait(current).unwrap_err();
                stopped(held.wait(current).map(drop));
                stopped(behind.wait(current).map(drop));
                drop(failed);
                release
            })
        });
        start.wait();
        thread::sleep(BRIEFLY);
        runtime.with(stop_on).unwrap();
        waits.join().unwrap().unwrap()
    });
    // What was discarded is not called later.
    release.send(()).unwrap();
    ends_by_force(&alone, runtime);
    assert_eq!((ran.load(SeqCst), Arc::strong_count(&ran)), (0, 2), "the library keeps what it does not call");
}

fn stop_on(current: &mut Current<Worker>) {
    stop(current);
}
