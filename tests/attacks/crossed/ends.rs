//! What the values of a thread do when the thread ends, and results whose destructors end what they belong to.

use super::*;
use ascendcl::capture::CaptureMode;
use ascendcl::runtime::{self, CloseError};
use std::cell::RefCell;
use std::thread;

/// Calls the function when it is dropped.
struct AtEnd(Box<dyn FnMut()>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        (self.0)();
    }
}

thread_local! {
    static AT_END: RefCell<Option<AtEnd>> = const { RefCell::new(None) };
}

/// Uses what keeps something for each thread: callbacks, futures, replays, errors and the context that was entered.
fn works(runtime: &Runtime<Worker>) {
    let done = runtime.with(|current| {
        let mut own = stream(current);
        let told = own.launch_host_fn(current, || String::from("told")).unwrap().wait(current).unwrap();
        assert_eq!(told.into_result().unwrap(), "told");
        let buffer = current.upload(&[0_u8; 4]).unwrap();
        let captured =
            own.capture(current, CaptureMode::Relaxed, buffer, |capture, mut buffer| capture.set_bytes(&mut buffer, 9));
        let graph = own.replay(current, captured.unwrap()).unwrap().wait(current).unwrap();
        assert_eq!(graph.into_operands(current).unwrap().to_vec(current).unwrap(), [9; 4]);
        assert!(current.device_buffer::<u64>(usize::MAX).is_err());
        own.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap().when_done(current, &own).unwrap()
    });
    let work = finish(done.unwrap());
    runtime.with(|current| work.wait(current).map(drop).unwrap()).unwrap();
}

/// The values of a thread are dropped one after the other. Those of this crate may be gone before the program's, or come
/// after it.
#[proves(CTX_11, THREAD_05)]
#[test]
fn a_value_of_a_thread_that_works_when_the_thread_ends_finds_everything() {
    let alone = alone();
    let runtime = Arc::new(open());
    for crate_first in [false, true] {
        let (own, (tells, told)) = (Arc::clone(&runtime), channel());
        thread::spawn(move || {
            if crate_first {
                works(&own);
            }
            let late = Arc::clone(&own);
            AT_END.set(Some(AtEnd(Box::new(move || {
                works(&late);
                tells.send(()).unwrap();
            }))));
            if !crate_first {
                works(&own);
            }
        })
        .join()
        .unwrap();
        told.recv_timeout(LONG).unwrap();
    }
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// The end of a runtime in the last moment of a thread.
#[proves(DEV_10, CTX_11)]
#[test]
fn a_value_of_a_thread_that_closes_a_runtime_and_sweeps_when_the_thread_ends_leaves_nothing() {
    let alone = alone();
    let (tells, told) = channel();
    thread::spawn(move || {
        let mut runtimes = Some((open(), open()));
        AT_END.set(Some(AtEnd(Box::new(move || {
            let (closed, dropped) = runtimes.take().unwrap();
            works(&closed);
            works(&dropped);
            drop(dropped);
            tells.send((closed.close(), runtime::sweep(None))).unwrap();
        }))));
    })
    .join()
    .unwrap();
    let (closed, swept) = told.recv_timeout(LONG).unwrap();
    closed.unwrap();
    assert!(swept.is_empty(), "{swept:?}");
    alone.assert_nothing_lives();
}

/// The result of a callback, which ends its runtime when it is dropped.
struct Closes(Arc<Runtime<Worker>>, Sender<Result<(), CloseError>>);

impl Drop for Closes {
    fn drop(&mut self) {
        let closed = self.0.close();
        drop(runtime::sweep(Some(Duration::ZERO)));
        let _ = self.1.send(closed);
    }
}

/// Nobody has the result: it is dropped where the callback has run, on a thread of the library.
#[proves(CB_01, DEV_10)]
#[test]
fn a_result_that_closes_its_runtime_when_it_is_dropped_is_refused_there() {
    let alone = alone();
    let runtime = Arc::new(open());
    let (tells, told) = channel();
    let own = Arc::clone(&runtime);
    runtime
        .with(|current| {
            let stream = stream(current);
            let release = hold(current, &stream);
            // The handle of the result goes before the callback runs.
            drop(stream.launch_host_fn(current, move || Closes(own, tells)).unwrap());
            release.send(()).unwrap();
            stream.synchronize(current).unwrap();
        })
        .unwrap();
    let closed = told.recv_timeout(LONG).unwrap();
    assert!(matches!(closed, Err(CloseError::Refused(Error::InsideCallback))), "{closed:?}");
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// The result is dropped inside of the context, and then outside.
#[proves(DEV_10)]
#[test]
fn a_result_that_closes_its_runtime_is_refused_inside_of_it_and_closes_it_outside() {
    let alone = alone();
    let runtime = Arc::new(open());
    let (tells, told) = channel();
    let kept = runtime
        .with(|current| {
            let stream = stream(current);
            let results = [(); 2].map(|()| {
                let (own, tells) = (Arc::clone(&runtime), tells.clone());
                stream.launch_host_fn(current, move || Closes(own, tells)).unwrap()
            });
            let [first, second] = results.map(|result| result.wait(current).unwrap().into_result().unwrap());
            drop(first);
            second
        })
        .unwrap();
    let closed = told.recv_timeout(LONG).unwrap();
    assert!(matches!(closed, Err(CloseError::Refused(Error::ThreadTaken))), "{closed:?}");
    drop(kept);
    told.recv_timeout(LONG).unwrap().unwrap();
    assert!(runtime.is_closed());
    alone.assert_nothing_lives();
}
