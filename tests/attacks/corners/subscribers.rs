//! A subscriber of `tracing` is code of the program. It is called in the middle of calls that failed, and it may panic.

use super::*;
use ascendcl::library::{Loaded, LogLevel};
use ascendcl::model::ModelSource;
use ascendcl::{Error, Runtime};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

ascendcl::names!(Worker);

/// Does this for each event, and at the end of each span.
#[derive(Clone)]
struct Does(Arc<dyn Fn() + Send + Sync>);

impl Does {
    fn new(what: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(what))
    }
}

impl Subscriber for Does {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "ascendcl"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        (self.0)();
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {
        (self.0)();
    }
}

fn panics() -> Does {
    Does::new(|| panic!("in the subscriber"))
}

/// The call took effect although it failed. The model would be executed in memory that was freed.
#[proves(DATA_02)]
#[test]
fn a_subscriber_that_panics_when_memory_was_exchanged_leaves_the_model_the_memory_that_it_uses() {
    let alone = alone();
    inside(|current| {
        let image = difference();
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        let mut model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
        model.write(current, 1, &[2.0_f32; 4]).unwrap();
        let buffer = current.upload(&[5.0_f32; 4]).unwrap();
        fail("aclUpdateDataBuffer#1=after:507899");
        let exchanged = tracing::subscriber::with_default(panics(), || {
            catch_unwind(AssertUnwindSafe(|| drop(model.exchange_input(current, 0, buffer).map_err(Error::from))))
        });
        nothing_fails();
        collect(current);
        model.run(current).unwrap();
        assert_eq!(model.read::<f32>(current, 0).unwrap(), [3.0; 4]);
        assert!(exchanged.is_ok(), "a panic of a subscriber ends in the subscriber");
    });
    alone.assert_nothing_lives();
}

#[proves(DEV_10)]
#[test]
fn a_subscriber_that_panics_while_a_call_fails_keeps_nothing_from_its_end() {
    let alone = alone();
    for call in ["aclrtFree", "aclmdlExecute", "aclrtMemcpyAsync", "aclrtDestroyStream", "aclmdlUnload"] {
        inside(|current| {
            let image = difference();
            let model = current.load(ModelSource::memory(&image).into()).unwrap();
            let mut model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
            let (stream, host) = (current.stream().unwrap(), current.host_buffer::<f32>(4).unwrap());
            let buffer = current.upload(&[5.0_f32; 4]).unwrap();
            fail(&format!("{call}#1=507899"));
            let mut failed = 0;
            tracing::subscriber::with_default(panics(), || {
                let work = AssertUnwindSafe(|| {
                    drop(model.run(current));
                    let copied = stream.copy_to_host(current, buffer, host).map(|copy| copy.wait(current).map(drop));
                    drop(copied);
                    drop(model.into_model(current).map(|model| model.unload(current).map(drop)));
                    drop(stream);
                    drop(current.collect());
                });
                assert!(catch_unwind(work).is_ok(), "{call}");
                failed = control::injected().len();
            });
            assert_eq!(failed, 1, "{call}");
            nothing_fails();
        });
    }
    alone.assert_nothing_lives();
}

/// The end of the span is told while the program's own panic unwinds.
#[proves(CTX_11)]
#[test]
fn a_subscriber_that_panics_when_a_context_is_left_does_not_end_the_process() {
    let alone = alone();
    let runtime = Runtime::<Worker>::open(library()).unwrap();
    tracing::subscriber::with_default(panics(), || {
        let entered = catch_unwind(AssertUnwindSafe(|| runtime.with(|_| panic!("the program"))));
        let payload = entered.map(drop).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"the program"), "the first panic continues");
        assert_eq!(runtime.with(|_| 7).unwrap(), 7);
    });
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

/// A log that fails is told to the log that fails.
#[test]
fn a_subscriber_in_which_calls_fail_is_not_called_for_them() {
    let alone = alone();
    let told = Arc::new(AtomicUsize::new(0));
    inside(|current| {
        let loaded: Loaded = current.library();
        let count = Arc::clone(&told);
        let logs = Does::new(move || {
            assert!(count.fetch_add(1, Ordering::SeqCst) < 100, "it is called in itself");
            // Inside a context, so this is refused, and the log has nothing to say about it.
            assert!(Runtime::<Worker>::open(library()).is_err());
            drop(writeln!(loaded.app_log(LogLevel::Error), "a call failed"));
        });
        fail("aclrtMalloc=507899");
        tracing::subscriber::with_default(logs, || {
            current.device_buffer::<u8>(4).map(drop).unwrap_err();
        });
        nothing_fails();
    });
    alone.assert_nothing_lives();
    assert_eq!(told.load(Ordering::SeqCst), 1);
}

static ENDED: OnceLock<Runtime<Worker>> = OnceLock::new();

/// A thread that is inside no runtime asks for the end of work. The call fails, and the subscriber ends the runtime of the
/// work: its events are destroyed while the thread is in the call that failed.
#[proves(EVENT_06)]
#[test]
fn a_subscriber_that_hears_of_a_failed_query_may_end_the_runtime() {
    let alone = alone();
    let runtime = ENDED.get_or_init(|| Runtime::<Worker>::open(library()).unwrap());
    let (go, stream, mut done) = runtime
        .with(|current| {
            let stream = current.stream().unwrap();
            let go = crate::hold(current, &stream);
            let filled = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 7).unwrap();
            let done = filled.when_done(current, &stream).unwrap();
            (go, stream, Box::pin(done))
        })
        .unwrap();
    let (tell, told) = channel();
    let asks = thread::spawn(move || {
        let ends = Does::new(move || {
            go.send(()).unwrap();
            tell.send(ENDED.get().unwrap().close().is_ok()).unwrap();
        });
        fail("aclrtQueryEventStatus=507000");
        tracing::subscriber::with_default(ends, || {
            let mut context = Context::from_waker(Waker::noop());
            drop(done.as_mut().poll(&mut context));
        });
        nothing_fails();
    });
    let ended = told.recv_timeout(Duration::from_secs(20)).expect("the close returns");
    asks.join().unwrap();
    assert!(ended);
    drop(stream);
    alone.assert_nothing_lives();
}
