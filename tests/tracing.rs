//! The events and spans that this crate sends to `tracing`.

#![cfg(all(feature = "sim", feature = "tracing"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::{Current, Error, Library, Runtime, Setup, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Plan, control};
use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Notes each event and span as one line.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0 += &format!(" {}={value:?}", field.name());
    }
}

impl Subscriber for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "ascendcl"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut line = Line(format!("{} span {}", span.metadata().level(), span.metadata().name()));
        span.record(&mut line);
        self.0.lock().unwrap().push(line.0);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {
        self.0.lock().unwrap().push("enter".into());
    }

    fn exit(&self, _: &Id) {
        self.0.lock().unwrap().push("exit".into());
    }
}

fn told(program: impl FnOnce()) -> Vec<String> {
    let notes = Notes::default();
    tracing::subscriber::with_default(notes.clone(), program);
    std::mem::take(&mut *notes.0.lock().unwrap())
}

#[test]
fn a_call_that_fails_is_an_event_with_its_code_inside_the_span_of_its_context() {
    let _alone = common::alone();
    let told = told(|| {
        ascendcl::run(Library::Simulator, |current| {
            let refused = current.device_buffer::<u8>(1 << 50).map(drop).unwrap_err();
            assert!(matches!(refused, Error::Vendor(_)), "{refused}");
            Ok::<_, Error>(())
        })
        .unwrap();
    });
    let place = |part: &str| told.iter().position(|line| line.contains(part)).unwrap_or_else(|| panic!("{told:#?}"));
    let (span, enter, error) = (place("TRACE span current device=0"), place("enter"), place("ERROR"));
    assert!(span < enter && enter < error && error < place("exit"), "{told:#?}");
    for part in ["call=\"aclrtMalloc\"", "code=207001", "message=could not allocate"] {
        assert!(told[error].contains(part), "{}", told[error]);
    }
}

#[test]
fn a_limit_that_passes_is_no_error() {
    let _alone = common::alone();
    let told = told(|| {
        ascendcl::run(Library::Simulator, |current| {
            let stream = current.stream()?.without_allocator();
            let (open, gate) = std::sync::mpsc::channel::<()>();
            let reply = stream.launch_host_fn(current, move || gate.recv().is_ok()).map_err(|failed| failed.error)?;
            let limit = std::time::Duration::from_millis(20);
            assert!(stream.synchronize_within(current, limit).unwrap_err().code().unwrap().is_timeout());
            drop(open);
            reply.wait(current).map_err(|failed| failed.error)?.into_result()
        })
        .unwrap();
    });
    assert!(told.iter().any(|line| line.starts_with("DEBUG") && line.contains("the time was up")), "{told:#?}");
    assert!(!told.iter().any(|line| line.starts_with("ERROR")), "{told:#?}");
}

/// Does this where it is told of a call that failed.
struct AtFailures(fn());

impl Subscriber for AtFailures {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "ascendcl"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        if *event.metadata().level() == tracing::Level::ERROR {
            (self.0)();
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The subscriber is told in the middle of what the crate does about a failed call.
#[proves(ERR_01)]
#[test]
fn a_subscriber_that_panics_over_failed_calls_loses_none_of_their_values() {
    let alone = common::alone();
    let ran = ascendcl::run(Library::Simulator, |current| {
        let stream = current.stream()?.without_allocator();
        let (mut host, mut device) = (current.host_buffer::<u8>(64)?, current.upload(&[7; 64])?);
        let mut event = current.event()?;
        // The functions are cached from the second round on, and then the calls take their fast path.
        for _ in 0..3 {
            let plan = "aclrtMemcpyAsync#1=507899, aclrtMemsetAsync#1=507899, aclrtRecordEvent#1=507899";
            control::fail(plan.parse().unwrap()).unwrap();
            let panics = AtFailures(|| panic!("told of a failure"));
            (host, device, event) = tracing::subscriber::with_default(panics, || {
                let (host, device) = stream.copy_to_device(current, host, device).unwrap_err().value;
                let device = stream.set_bytes(current, device, 1).unwrap_err().value;
                (host, device, stream.record(current, event).unwrap_err().value)
            });
            control::fail(Plan::new()).unwrap();
            assert_eq!(device.to_vec(current)?, [7; 64]);
            (host, device) = stream.copy_to_device(current, host, device)?.wait(current)?;
            device = stream.set_bytes(current, device, 7)?.wait(current)?;
            stream.record(current, event)?.destroy(current)?;
            event = current.event()?;
        }
        Ok::<_, Error>(())
    });
    ran.unwrap();
    alone.assert_nothing_lives();
}

ascendcl::names!(Traced);

thread_local! {
    /// The context in which the program is, as a scoped value of the thread would have it.
    static CURRENT: Cell<*const Current<Traced>> = const { Cell::new(std::ptr::null()) };
    /// Whether the subscriber could make a stream there.
    static COULD: Cell<Option<bool>> = const { Cell::new(None) };
}

/// The reset of another device takes the entered default context off the thread, and the library refuses to make it current
/// again. The subscriber is told before the crate has tried once more.
#[proves(CTX_05)]
#[test]
fn a_subscriber_finds_the_entered_context_current_although_a_reset_has_displaced_it() {
    let alone = common::alone();
    let setup = Setup::builder().library(Library::Simulator).device(0).default_context(true).build();
    let runtime = Runtime::<Traced>::open(setup).unwrap();
    let other = common::acl();
    drop(other.device(&mut Thread::new().unwrap(), 1).unwrap());
    let uses = AtFailures(|| {
        // SAFETY: the pointer is to the `Current` of the closure below, which waits for the call that tells of the failure.
        let current = unsafe { &*CURRENT.get() };
        COULD.set(Some(current.stream().and_then(|stream| Ok(stream.destroy(current)?)).is_ok()));
    });
    runtime
        .with(|current| {
            CURRENT.set(&raw const *current);
            control::fail("aclrtSetCurrentContext#1=507899".parse().unwrap()).unwrap();
            tracing::subscriber::with_default(uses, || other.close()).unwrap();
            assert_eq!(COULD.get(), Some(true));
            current.upload(&[1_u8]).unwrap().free(current).unwrap();
        })
        .unwrap();
    control::fail(Plan::new()).unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
