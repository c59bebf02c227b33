//! Objects that refuse to end, or whose work could not be waited for.

use super::super::common::digits_in_batches_of;
use super::super::set;
use super::*;
use crate::common::{assert_lives, library};
use ascendcl::model::ModelSource;
use std::cell::RefCell;

#[proves(DEV_10, ERR_01)]
#[test]
fn an_object_that_refuses_to_end_comes_back_and_ends_the_next_time() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    inside(|current| {
        let attached = attach(current, log.probe::<STREAMS>("one"), current.stream().unwrap());
        log.fails.store(1, Ordering::SeqCst);
        let failed = attached.take_down(current).unwrap_err();
        let said = failed.error.to_string();
        assert!(matches!(failed.error, Error::NotTakenDown { what: "probe", .. }), "{said}");
        assert!(
            said.starts_with("could not take down the probe: could not end a probe: probeEnd answered 507899"),
            "{said}"
        );
        assert_eq!(failed.error.code().map(|code| code.number()), Some(507_899));
        let attached = failed.value;
        attached.get(current).unwrap();
        log.panics.store(1, Ordering::SeqCst);
        let failed = attached.take_down(current).unwrap_err();
        assert_eq!(failed.error.to_string(), "could not take down the probe: it panicked: a probe");
        drop(failed.value.take_down(current).map_err(Error::from).unwrap());
    });
    assert_eq!((log.names(), log.dropped.load(Ordering::SeqCst)), (vec!["one"], 1));
    alone.assert_nothing_lives();
}

/// Leaves one of each kind, and objects of each stage, of which the first to end refuses.
fn refused<const STAGE: u8>(expected: &str) {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    log.fails.store(1, Ordering::SeqCst);
    let scope = device.with_current(&mut thread, |current| {
        mem::forget(attach(current, log.probe::<STAGE>("one"), ()));
        mem::forget((current.stream().unwrap(), current.event().unwrap(), crate::model(current)));
        mem::forget(current.upload(&[1_u8]).unwrap());
    });
    let Err(ScopeError::Teardown { errors, .. }) = scope else { panic!("the scope was taken down") };
    assert!(matches!(errors.as_slice(), [Error::NotTakenDown { what: "probe", .. }]), "{errors:?}");
    log.fails.store(1, Ordering::SeqCst);
    let failed = device.reset(&mut thread).unwrap_err();
    let said = failed.error.to_string();
    assert!(said.contains(expected), "{said}");
    failed.value.reset(&mut thread).unwrap();
    acl.close().unwrap();
    assert_eq!(log.names(), ["one"]);
    alone.assert_nothing_lives();
}

#[proves(DEV_10)]
#[test]
fn what_has_to_outlive_an_object_stays_while_the_object_refuses_to_end() {
    refused::<EVERYTHING>("1 probe(s), 1 model(s), 1 event(s), 1 stream(s), ");
    refused::<MODELS>("because 1 probe(s), 1 model(s), 1 event(s), 1 stream(s), ");
    refused::<EVENTS>("because 1 probe(s), 1 event(s), 1 stream(s), ");
    refused::<STREAMS>("because 1 probe(s), 1 stream(s), ");
    refused::<MEMORY>("because 1 probe(s), ");
    refused::<CONTEXT>("because 1 probe(s) could not be released: try");
}

#[proves(DEV_10)]
#[test]
fn a_runtime_that_could_not_end_an_object_is_closed_again() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    let runtime = Runtime::<Worker>::open(library()).unwrap();
    runtime.with(|current| mem::forget(attach(current, log.probe::<MEMORY>("one"), ()))).unwrap();
    log.panics.store(1, Ordering::SeqCst);
    let Err(CloseError::Teardown { errors }) = runtime.close() else { panic!("closed") };
    assert_eq!(errors[0].to_string(), "could not take down the probe: it panicked: a probe");
    assert_lives!(contexts, 1);
    runtime.close().unwrap();
    assert_eq!(log.names(), ["one"]);
    alone.assert_nothing_lives();
}

#[proves(DEV_10, ERR_02)]
#[test]
fn an_object_stays_when_its_work_could_not_be_waited_for() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    inside(|current| {
        let stream = current.stream().unwrap();
        let attached = attach(current, log.probe::<STREAMS>("one"), ());
        drop(upload(current, &stream));
        fail("aclrtSynchronizeStreamWithTimeout#1=507011");
        let failed = attached.take_down(current).unwrap_err();
        nothing_fails();
        assert_eq!(failed.error.code().map(|code| code.number()), Some(507_011));
        assert_eq!(log.names(), [""; 0]);
        failed.value.take_down(current).map_err(Error::from).unwrap();
    });
    assert_eq!(log.names(), ["one"]);
    alone.assert_nothing_lives();
}

/// After a failed run that nobody could wait for, what ends an object waits for the whole context, too.
#[proves(ERR_02, MODEL_16)]
#[test]
fn a_failure_told_to_the_wait_for_a_failed_run_reaches_the_work_of_streams() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    let image = digits_in_batches_of(8);
    inside(|current| {
        let model = current.load(ModelSource::memory(&image).into()).unwrap();
        let mut prepared = model.bind(current, &[&[8, 64]], &[&[8, 10]]).unwrap();
        fail("aclmdlExecute#1=after:507899,aclrtSynchronizeDeviceWithTimeout#1+=507899");
        prepared.run(current).unwrap_err();
        nothing_fails();
        let attached = attach(current, log.probe::<STREAMS>("one"), ());
        let stream = current.stream().unwrap();
        let work = set(current, &stream, 1);
        fail("aclrtSynchronizeDeviceWithTimeout#1=after:507015");
        let failed = attached.take_down(current).unwrap_err();
        nothing_fails();
        assert_eq!(failed.error.code().map(|code| code.number()), Some(507_015), "{}", failed.error);
        let told = work.wait(current).map(drop).unwrap_err();
        assert!(matches!(told.error, Error::WorkFailed { code } if code.number() == 507_015), "{}", told.error);
        drop(told.value.wait(current).unwrap());
        failed.value.take_down(current).map_err(Error::from).unwrap();
        prepared.run(current).unwrap();
    });
    assert_eq!(log.names(), ["one"]);
    alone.assert_nothing_lives();
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for PanicsWhenDropped {
    const NAME: &'static str = "object that panics";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn AnyError + Send + Sync>> {
        Ok(())
    }
}

#[proves(DEV_10)]
#[test]
fn an_object_that_panics_when_it_is_dropped_leaves_nothing_half_done() {
    let (alone, log) = (alone(), Arc::new(Log::default()));
    let runtime = Runtime::<Worker>::open(library()).unwrap();
    runtime
        .with(|current| {
            mem::forget(attach(current, log.probe::<CONTEXT>("one"), ()));
            drop(current.attach(PanicsWhenDropped, ()).map_err(Error::from).unwrap());
            mem::forget(current.stream().unwrap());
        })
        .unwrap();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runtime.close()));
    assert!(panicked.is_err());
    assert_eq!(log.names(), ["one"]);
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

thread_local!(static TOKEN: RefCell<Option<Thread>> = const { RefCell::new(None) });

/// Refuses once. Then it drops the token of its thread.
struct DropsTheToken(AtomicU32);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for DropsTheToken {
    const NAME: &'static str = "object with a token";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Context;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn AnyError + Send + Sync>> {
        if self.0.fetch_add(1, Ordering::SeqCst) == 0 {
            return Err("not yet".into());
        }
        drop(TOKEN.take());
        Ok(())
    }
}

/// Who closes the library needs no token, so the thread's may be where the object reaches it.
#[proves(THREAD_01, DEV_10)]
#[test]
fn a_token_that_an_object_drops_while_it_is_taken_down_can_be_taken_again() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let scope = device.with_current(&mut thread, |current| {
        let object = DropsTheToken(AtomicU32::new(0));
        mem::forget(current.attach(object, ()).map_err(Error::from).unwrap());
    });
    assert!(matches!(scope, Err(ScopeError::Teardown { .. })));
    mem::forget(device);
    TOKEN.set(Some(thread));
    acl.close().unwrap();
    assert!(TOKEN.take().is_none());
    drop(Thread::new().unwrap());
    alone.assert_nothing_lives();
}
