//! Programs that give up a device whose work goes on: what the library still calls on the host stays.

use crate::common::allocators::Empty;
use crate::common::{acl, alone};
use crate::null::{TIMEOUT, books};
use ascendcl::capture::CaptureMode;
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::{Acl, Current, Device, Recovered, ScopeError, Scoped, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

const BRIEFLY: Duration = Duration::from_millis(20);
const LONG: Duration = Duration::from_secs(20);

/// What the library may use: it counts its calls, and that it was dropped.
#[derive(Debug, Default)]
struct Seen {
    calls: AtomicU32,
    drops: AtomicU32,
    /// The drops when a callback that used it ended. Nobody sees a panic of a callback.
    drops_before_the_end: AtomicU32,
}

/// State of a callback, an allocator, or an object of other code.
#[derive(Debug)]
struct Kept(Arc<Seen>);

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.drops.fetch_add(1, Ordering::SeqCst);
    }
}

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Kept {
    const NAME: &'static str = "object";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

/// A device on which a replay, an allocator and an object wait for something to be sent, in a scope that has ended.
fn busy<'a>(acl: &'a Acl, thread: &mut Thread, seen: &Arc<Seen>) -> (Device<'a>, Sender<()>, Receiver<()>) {
    let device = acl.device(thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let (release, released) = channel::<()>();
    let (ran, has_run) = channel::<()>();
    let scope = device.with_current(thread, |current| {
        let mut stream = current.stream().unwrap().without_allocator();
        let state = (Kept(Arc::clone(seen)), std::sync::Mutex::new(ran));
        let graph = stream.capture(current, CaptureMode::Relaxed, (), |capture, ()| {
            capture.launch_host_fn(state, |(kept, ran)| {
                kept.0.calls.fetch_add(1, Ordering::SeqCst);
                let _ = ran.lock().unwrap().send(());
            })
        });
        let waits = stream.launch_host_fn(current, move || released.recv_timeout(LONG).is_ok());
        mem::forget(waits.unwrap());
        drop(stream.replay(current, graph.unwrap()).unwrap());
        drop(current.stream().unwrap().register(current, Empty(Kept(Arc::clone(seen)))).unwrap());
        drop(current.attach(Kept(Arc::clone(seen)), ()).unwrap());
    });
    assert!(matches!(scope, Err(ScopeError::Teardown { .. })), "{scope:?}");
    (device, release, has_run)
}

#[proves(GRAPH_05, ALLOC_12, MEM_02)]
#[test]
fn what_the_library_may_call_outlives_a_device_that_was_given_up() {
    let alone = alone();
    let (acl, mut thread, seen) = (acl(), Thread::new().unwrap(), Arc::new(Seen::default()));
    let (device, release, has_run) = busy(&acl, &mut thread, &seen);
    drop(device);
    let failed = acl.close().unwrap_err();
    drop(failed);
    assert_eq!(seen.drops.load(Ordering::SeqCst), 0, "the library may still use it");
    release.send(()).unwrap();
    has_run.recv_timeout(LONG).unwrap();
    assert_eq!((seen.calls.load(Ordering::SeqCst), seen.drops.load(Ordering::SeqCst)), (1, 0));
    control::reset();
    alone.assert_nothing_but_the_end_was_found();
}

/// Replays a graph whose callback does not return before something is sent.
fn replays_what_goes_on(current: &mut Current<Scoped<'_>>, seen: &Arc<Seen>) -> Sender<()> {
    let ((entered, inside), (release, released)) = (channel::<()>(), channel::<()>());
    let state = (Kept(Arc::clone(seen)), std::sync::Mutex::new((entered, released)));
    let mut stream = current.stream().unwrap().without_allocator();
    let graph = stream.capture(current, CaptureMode::Relaxed, (), |capture, ()| {
        capture.launch_host_fn(state, |(kept, ends)| {
            let ends = ends.lock().unwrap();
            ends.0.send(()).unwrap();
            let _ = ends.1.recv_timeout(LONG);
            kept.0.drops_before_the_end.store(kept.0.drops.load(Ordering::SeqCst), Ordering::SeqCst);
            kept.0.calls.fetch_add(1, Ordering::SeqCst);
        })
    });
    drop(stream.replay(current, graph.unwrap()).unwrap());
    inside.recv_timeout(LONG).unwrap();
    release
}

fn until_it_returns(seen: &Seen) {
    let begun = Instant::now();
    while seen.calls.load(Ordering::SeqCst) == 0 {
        assert!(begun.elapsed() < LONG, "the callback does not return");
        std::thread::yield_now();
    }
    assert_eq!(seen.drops_before_the_end.load(Ordering::SeqCst), 0, "dropped while it was used");
}

#[proves(GRAPH_05, DEV_08)]
#[test]
fn state_of_a_captured_callback_outlives_a_forced_reset_under_it() {
    let alone = alone();
    let (acl, mut thread, seen) = (acl(), Thread::new().unwrap(), Arc::new(Seen::default()));
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let scope = device.with_current(&mut thread, |current| replays_what_goes_on(current, &seen));
    let Err(ScopeError::Teardown { result: Some(release), .. }) = scope else { panic!("it was taken down") };
    // The callback runs on: neither an abort nor a reset ends code of the program.
    let recovered = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            release.send(()).unwrap();
        });
        device.recover(&mut thread, BRIEFLY).map(drop)
    });
    drop(recovered);
    until_it_returns(&seen);
    drop(acl);
    control::reset();
    alone.assert_nothing_but_the_end_was_found();
}

/// What an abort has discarded is over for a wait. The callback that it was discarded under is not.
#[proves(GRAPH_05, STREAM_17)]
#[test]
fn state_of_a_captured_callback_outlives_an_abort_under_it() {
    let books = books();
    let (acl, mut thread, seen) = (books.acl(), Thread::new().unwrap(), Arc::new(Seen::default()));
    books.run_callbacks_beside();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let scope = device.with_current(&mut thread, |current| {
        let release = replays_what_goes_on(current, &seen);
        books.refuse_to_synchronize(TIMEOUT);
        release
    });
    let Err(ScopeError::Teardown { result: Some(release), .. }) = scope else { panic!("it was taken down") };
    let Recovered::Usable(device) = device.recover(&mut thread, Duration::from_secs(1)).unwrap() else {
        panic!("it was reset")
    };
    assert_eq!(seen.drops.load(Ordering::SeqCst), 0, "the callback uses it");
    release.send(()).unwrap();
    until_it_returns(&seen);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}
