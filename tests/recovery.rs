//! Devices that hang or are lost, and their recovery.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use ascendcl::capture::CaptureMode;
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::{Acl, Device, Error, Recovered, RunError, ScopeError, Setup, Thread, allocator::PoolAllocator};
use ascendcl_macros::proves;
use ascendcl_sim::{Calls, Checks, Config, Fault, Plan, control};
use ascendcl_sys::types::{aclrtContext, aclrtStream};
use common::allocators::Empty;
use common::{IN_TIME, acl, alone, alone_and_only_watched, assert_lives, library};
use std::cell::Cell;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::time::{Duration, Instant};

const BRIEFLY: Duration = Duration::from_millis(20);

/// An object of other code, which ends on the thread that recovers.
struct Attached;

thread_local! {
    /// Each end of one, and whether the device was reset before.
    static ENDED: Cell<Option<bool>> = const { Cell::new(None) };
}

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Attached {
    const NAME: &'static str = "attached object";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        assert_eq!(ENDED.replace(Some(from.was_reset())), None, "it ends once");
        // It ends before the stream that it uses, unless the reset has ended that.
        assert_eq!(control::live().streams > 0, !from.was_reset());
        Ok(())
    }
}

/// A device on which work of a context hangs, in a scope that has ended. Each call in `refused` is refused from then
/// on.
fn hanging<'a>(acl: &'a Acl, thread: &mut Thread, default: bool, refused: &[&str]) -> Device<'a> {
    let device = acl.device(thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let plan = |plan: Plan, name: &&str| plan.at(Calls::of(*name), Fault::Fails(207_000));
    let plan = refused.iter().fold(Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs), plan);
    macro_rules! scope {
        ($open:ident) => {
            device.$open(thread, |context, thread| {
                let entered = context.enter(thread, |current| {
                    // What has ended is not lost later.
                    current.upload(&[1_u8; 64]).unwrap().free(current).unwrap();
                    current.event().unwrap().destroy(current).unwrap();
                    current.stream().unwrap().destroy(current).map_err(Error::from).unwrap();
                    let mut captured = current.stream().unwrap().without_allocator();
                    let buffer = current.upload(&[1_u8; 64]).unwrap();
                    let graph = captured.capture(current, CaptureMode::Relaxed, buffer, |capture, mut buffer| {
                        capture.set_bytes(&mut buffer, 2)
                    });
                    let graph = graph.unwrap();
                    control::fail(plan).unwrap();
                    mem::forget(captured.replay(current, graph).unwrap());
                    let stream = current.stream().unwrap();
                    mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
                    mem::forget(current.event().unwrap());
                    drop(current.attach(Attached, current.stream().unwrap()).unwrap());
                    let mut watched = current.stream().unwrap();
                    let set = watched.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
                    // A thread of the crate asks for its end, in no scope.
                    mem::forget(set.into_future(current, &mut watched).unwrap());
                    let pool = PoolAllocator::new(current, 1 << 16).unwrap();
                    let stream = current.stream().unwrap().register(current, pool).unwrap();
                    mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
                    mem::forget(current.host_buffer::<u8>(64).unwrap());
                });
                entered.unwrap();
            })
        };
    }
    let ended = if default { scope!(default_context) } else { scope!(context) };
    assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
    device
}

/// The device works.
fn works(device: &Device<'_>, thread: &mut Thread) {
    let read = device.with_current(thread, |current| {
        let stream = current.stream().unwrap();
        let set = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 7).unwrap();
        set.wait(current).unwrap().to_vec(current).unwrap()
    });
    assert_eq!(read.unwrap(), [7; 4]);
}

#[proves(STREAM_17, ERR_07)]
#[test]
fn a_device_that_hangs_is_used_again_when_its_streams_could_be_aborted() {
    for default in [false, true] {
        let alone = alone();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let refused = hanging(&acl, &mut thread, default, &[]).reset(&mut thread).unwrap_err();
        assert!(matches!(refused.error, Error::ObjectsLeft { .. }), "{refused:?}");
        assert_eq!(ENDED.take(), None, "work may use it");
        let device = match refused.value.recover(&mut thread, IN_TIME).unwrap() {
            Recovered::Usable(device) => device,
            other => panic!("{other:?}"),
        };
        assert_eq!(ENDED.take(), Some(false));
        assert!(control::live().is_empty(), "{:?}", control::live());
        control::fail(Plan::new()).unwrap();
        works(&device, &mut thread);
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

#[proves(DEV_08, DEV_09)]
#[test]
fn a_device_that_cannot_be_aborted_is_reset_by_force_and_can_be_taken_anew() {
    for default in [false, true] {
        let alone = alone_and_only_watched();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let device = hanging(&acl, &mut thread, default, &["aclrtStreamAbort"]);
        let begun = Instant::now();
        let lost = match device.recover(&mut thread, BRIEFLY).unwrap() {
            Recovered::Reset { lost } => lost,
            other => panic!("{other:?}"),
        };
        // A default context has ended with everything in it.
        assert_eq!(ENDED.take(), if default { None } else { Some(true) });
        assert!(begun.elapsed() < Duration::from_secs(5));
        control::fail(Plan::new()).unwrap();
        match default {
            // Everything in a default context goes with it.
            true => assert_eq!(
                lost,
                ["1 captured graph(s), 2 event(s), 1 attached object(s), 5 stream(s), 6 block(s) of memory"]
            ),
            false => assert_eq!(lost, [""; 0]),
        }
        let device = acl.device(&mut thread, 0).unwrap();
        works(&device, &mut thread);
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
        if default {
            assert_lives!(host_blocks, 1, "what was lost stays allocated");
            assert_eq!(control::take_findings().len(), 1, "the library is finalised over it");
        } else {
            alone.assert_nothing_lives();
        }
    }
}

#[proves(DEV_08)]
#[test]
fn a_device_that_another_part_has_taken_is_not_recovered_under_it() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let other = acl.device(&mut thread, 0).unwrap();
    let device = hanging(&acl, &mut thread, false, &["aclrtStreamAbort"]);
    let refused = device.recover(&mut thread, BRIEFLY).unwrap_err();
    assert!(matches!(refused.error, Error::DeviceShared { device: 0, takes: 2, .. }), "{refused:?}");
    control::fail(Plan::new()).unwrap();
    works(&other, &mut thread);
    other.reset(&mut thread).unwrap();
    refused.value.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn a_device_on_which_nothing_is_stuck_is_given_back_as_it_is() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let Recovered::Usable(device) = device.recover(&mut thread, IN_TIME).unwrap() else { panic!("it was reset") };
    works(&device, &mut thread);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn a_lost_device_is_kept_when_even_the_forced_reset_fails() {
    for default in [false, true] {
        let alone = alone();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let device = hanging(&acl, &mut thread, default, &["aclrtStreamAbort", "aclrtResetDeviceForce"]);
        let refused = device.recover(&mut thread, BRIEFLY).unwrap_err();
        assert!(matches!(&refused.error, Error::Vendor(error) if error.call == "aclrtResetDeviceForce"), "{refused:?}");
        control::fail(Plan::new()).unwrap();
        // The device came back by itself. Its events take calls again, so they end with their context.
        refused.value.reset(&mut thread).unwrap();
        assert_eq!(ENDED.take(), Some(false));
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// Programs decide by the code whether to give a device up.
#[proves(ERR_02)]
#[test]
fn each_error_of_a_lost_device_says_that_it_is_lost_and_no_other_does() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.with_current(&mut thread, |current| {
        let is_lost = |error: &Error| error.code().is_some_and(|code| code.is_device_lost());
        let refused = current.device_buffer::<u8>(1 << 50).map(drop).unwrap_err();
        assert!(!is_lost(&refused), "{refused}");
        let (stream, other) = (current.stream().unwrap(), current.stream().unwrap());
        let [first, second] = [1, 2].map(|byte| {
            let buffer = current.device_buffer::<u8>(64).unwrap();
            stream.set_bytes(current, buffer, byte).unwrap()
        });
        let buffer = current.device_buffer::<u8>(64).unwrap();
        control::fail("*#1=lost".parse().unwrap()).unwrap();
        let queued = other.set_bytes(current, buffer, 1).map(drop);
        let refused = queued.map_err(|failed| failed.error).unwrap_err();
        assert!(is_lost(&refused), "{refused}");
        for work in [first, second] {
            let failed = work.wait(current).map(drop).unwrap_err();
            assert!(is_lost(&failed.error), "{}", failed.error);
        }
    });
    let errors = ended.unwrap_err();
    assert!(errors.code().is_some_and(|code| code.is_device_lost()), "{errors}");
    control::fail(Plan::new()).unwrap();
    // Whether the lost work counts as done now depends on how the library waits.
    if let Recovered::Usable(device) = device.recover(&mut thread, BRIEFLY).unwrap() {
        device.reset(&mut thread).unwrap();
    }
    acl.close().unwrap();
    drop(alone);
}

#[proves(STREAM_16)]
#[test]
fn the_short_form_ends_in_time_when_its_device_hangs() {
    let alone = alone();
    // The device is not given back: the other tests use another one.
    let setup = Setup::builder().library(library()).device(1).teardown_timeout(BRIEFLY).build();
    let begun = Instant::now();
    let ended = ascendcl::run(setup, |current| {
        control::fail(Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs)).unwrap();
        mem::forget(current.stream()?.set_bytes(current, current.device_buffer::<u8>(64)?, 1)?);
        Ok::<_, Error>(())
    });
    assert!(matches!(ended, Err(RunError::Teardown { .. })), "{ended:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    control::fail(Plan::new()).unwrap();
    drop(alone);
}

/// Panics when its allocator is dropped.
struct Loud;

impl Drop for Loud {
    fn drop(&mut self) {
        panic!("an allocator that is dropped");
    }
}

#[proves(DEV_08, STREAM_17)]
#[test]
fn an_allocator_that_panics_while_its_device_is_recovered_leaves_a_device_that_can_be_taken_anew() {
    for refused in [&[][..], &["aclrtStreamAbort"]] {
        let alone = alone();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
        let ended = device.with_current(&mut thread, |current| {
            let plan = |plan: Plan, name: &&str| plan.at(Calls::of(*name), Fault::Fails(207_000));
            let plan = refused.iter().fold(Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs), plan);
            control::fail(plan).unwrap();
            let stream = current.stream().unwrap().register(current, Empty(Loud)).unwrap();
            mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
        });
        assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
        let recovered = catch_unwind(AssertUnwindSafe(|| device.recover(&mut thread, BRIEFLY).map(drop)));
        assert_eq!(*recovered.unwrap_err().downcast::<&str>().unwrap(), "an allocator that is dropped");
        control::fail(Plan::new()).unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        works(&device, &mut thread);
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

#[proves(DEV_09)]
#[test]
fn a_default_context_without_objects_loses_nothing_when_its_device_is_reset() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.default_context(&mut thread, |context, thread| {
        let entered = context.enter(thread, |current| {
            current.upload(&[1_u8; 64]).unwrap().free(current).unwrap();
            // The end of the scope and the first steps of the recovery do not get into the context.
            control::fail("aclrtSetCurrentContext=507899".parse().unwrap()).unwrap();
        });
        entered.unwrap();
    });
    assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
    let Recovered::Reset { lost } = device.recover(&mut thread, BRIEFLY).unwrap() else { panic!("it was not reset") };
    control::fail(Plan::new()).unwrap();
    assert_eq!(lost, [""; 0]);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Loses a context in which a stream of other code hangs: nobody but that code can end its work. Returns what was lost.
fn lose_a_context_to_a_stream_of_other_code(acl: &Acl, thread: &mut Thread) -> Vec<String> {
    let device = acl.device(thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.context(thread, |context, thread| {
        let entered = context.enter(thread, |current| {
            let mut theirs = aclrtStream::NULL;
            // SAFETY: there is a place for the handle.
            assert_eq!(unsafe { current.library().as_raw().aclrtCreateStream(&mut theirs) }, Ok(0));
            // SAFETY: it is a stream of this context, which nobody destroys.
            let stream = unsafe { current.adopt_stream(NonNull::new(theirs.0).unwrap()) }.unwrap();
            let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
            let refused = ["aclrtDeviceTaskAbort", "aclrtDestroyStreamForce"];
            let plan = refused.into_iter().fold(hangs, |plan, call| plan.at(Calls::of(call), Fault::Fails(207_000)));
            // The reset ends the hang, but nothing confirms that the work on this stream is over.
            let waits = ["aclrtSynchronizeStreamWithTimeout", "aclrtStreamQuery"];
            let plan = waits.into_iter().fold(plan, |plan, call| plan.at(Calls::of(call), Fault::Fails(507_046)));
            control::fail(plan).unwrap();
            mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
        });
        entered.unwrap();
    });
    assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
    let Recovered::Reset { lost } = device.recover(thread, BRIEFLY).unwrap() else { panic!("it was not reset") };
    let refused: Vec<_> = control::injected().iter().map(|injected| injected.call).collect();
    assert!(!refused.contains(&"aclrtDestroyStreamForce"), "{refused:?}");
    control::fail(Plan::new()).unwrap();
    lost
}

/// Other code destroys its stream itself, whatever becomes of the context.
#[proves(STREAM_01, STREAM_17)]
#[test]
fn a_stream_of_other_code_is_not_destroyed_when_its_device_is_reset() {
    let _alone = alone_and_only_watched();
    let acl = acl();
    let lost = lose_a_context_to_a_stream_of_other_code(&acl, &mut Thread::new().unwrap());
    assert_eq!(lost, ["1 stream(s), 1 block(s) of memory"], "nobody but the other code can end its work");
    acl.close().unwrap();
    assert_lives!(streams, 1);
    assert_eq!(control::take_findings().len(), 1, "the library is finalised over it");
}

/// The thread that lost the first context could not leave it. That is nothing to the next context, which has its address.
#[proves(CTX_11)]
#[test]
fn a_context_with_the_address_of_a_lost_one_is_destroyed() {
    let reuses = || control::configure(Config::new().checks(Checks::Report).reuse_handles(true)).unwrap();
    let lost = alone_and_only_watched();
    reuses();
    let loses = || {
        let acl = acl();
        lose_a_context_to_a_stream_of_other_code(&acl, &mut Thread::new().unwrap());
        let address = current_handle(&acl.library());
        acl.close().unwrap();
        address
    };
    let address = std::thread::spawn(loses).join().unwrap();
    assert_eq!(control::take_findings().len(), 1, "the library is finalised over it");
    drop(lost);
    let alone = alone();
    reuses();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    assert_eq!(device.with_current(&mut thread, |current| current_handle(&current.library())).unwrap(), address);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

fn current_handle(library: &ascendcl::library::Loaded) -> usize {
    let mut current = aclrtContext::NULL;
    // SAFETY: there is a place for the handle.
    assert_eq!(unsafe { library.as_raw().aclrtGetCurrentContext(&mut current) }, Ok(0));
    current.0.addr()
}
