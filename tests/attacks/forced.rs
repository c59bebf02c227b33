//! Forced teardown, with allocators whose drop runs code of the program.

use super::common::allocators::{Empty, Watch, Watched};
use super::common::{acl, alone, assert_lives};
use super::leaving::{current_handle, sets_device};
use super::{fail, nothing_fails, undisturbed};
use ascendcl::capture::CaptureMode;
use ascendcl::{Acl, Device, Error, Recovered, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Calls, Fault, Plan, control};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const BRIEFLY: Duration = Duration::from_millis(20);

/// Notes, when its allocator ends, how many streams there are.
struct NotesStreams(Arc<Mutex<Vec<usize>>>);

impl Watch for NotesStreams {}

impl Drop for NotesStreams {
    fn drop(&mut self) {
        self.0.lock().unwrap().push(control::live().streams);
    }
}

#[proves(STREAM_17)]
#[test]
fn an_allocator_whose_stream_cannot_be_destroyed_by_force_ends_after_all_streams_were_aborted() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let ended = device.with_current(&mut thread, |current| {
        for _ in 0..2 {
            let own = Watched::new(current, 1 << 16, NotesStreams(Arc::clone(&seen)));
            let stream = current.stream().unwrap().register(current, own).unwrap();
            mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
        }
        // The end of the scope and the first step of the recovery cannot wait for either of two streams. The one that
        // is not destroyed by force first is left to the last step.
        let waits = |call| (Calls::of("aclrtSynchronizeStreamWithTimeout").nth(call), Fault::Fails(507_899));
        let plan = (1..=4).map(waits).fold(Plan::new(), |plan, (calls, fault)| plan.at(calls, fault));
        let plan = plan.at(Calls::of("aclrtDestroyStream"), Fault::Fails(207_000));
        control::fail(plan.at(Calls::of("aclrtDestroyStreamForce").nth(1), Fault::Fails(207_000))).unwrap();
    });
    ended.unwrap_err();
    let streams = control::live().streams;
    let Recovered::Reset { lost } = device.recover(&mut thread, BRIEFLY).unwrap() else { panic!("it was not reset") };
    assert_eq!(lost, [""; 0]);
    assert_eq!(*seen.lock().unwrap(), [streams - 1; 2], "one stream was destroyed, and the other one was tried");
    control::fail(Plan::new()).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// A device on which work hangs, in a scope that has ended. Each call in `refused` is refused with this code from then on.
fn hanging<'a>(acl: &'a Acl, thread: &mut Thread, refused: &[(&str, i32)]) -> Device<'a> {
    let device = acl.device(thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.with_current(thread, |current| {
        let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
        let plan = refused.iter().fold(hangs, |plan, (call, code)| plan.at(Calls::of(*call), Fault::Fails(*code)));
        control::fail(plan).unwrap();
        let stream = current.stream().unwrap();
        mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
    });
    assert!(ended.is_err(), "it hangs");
    device
}

#[proves(STREAM_17)]
#[test]
fn a_stream_that_was_aborted_and_is_not_destroyed_otherwise_is_destroyed_by_force() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let refused = [("aclrtDestroyStream", 207_000), ("aclrtDeviceTaskAbort", 207_000)];
    let device = hanging(&acl, &mut thread, &refused);
    let Recovered::Usable(device) = device.recover(&mut thread, BRIEFLY).unwrap() else { panic!("it was reset") };
    control::fail(Plan::new()).unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// On a thread that this crate has never used, other code has made the device's default context current. After the forced reset
/// the thread has no context, also if the library does not say to which device the context belonged.
#[proves(CTX_06, DEV_08)]
#[test]
fn a_default_context_that_other_code_chose_is_not_made_current_after_a_forced_reset() {
    for unknown in [false, true] {
        let (alone, _others) = undisturbed();
        let acl = acl();
        let mut refused = vec![("aclrtStreamAbort", 207_000), ("aclrtDeviceTaskAbort", 207_000)];
        refused.extend(unknown.then_some(("aclrtGetDevice", 507_899)));
        let device = hanging(&acl, &mut Thread::new().unwrap(), &refused);
        let recovers = || {
            sets_device(0);
            assert_ne!(current_handle(), 0);
            let recovered = device.recover(&mut Thread::new().unwrap(), BRIEFLY).unwrap();
            assert!(matches!(recovered, Recovered::Reset { .. }), "it was not reset");
            assert_eq!(current_handle(), 0);
        };
        std::thread::scope(|threads| threads.spawn(recovers).join().unwrap());
        control::fail(Plan::new()).unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// A descriptor that the library kept once ends with its stream.
#[proves(STREAM_17, ALLOC_08)]
#[test]
fn a_descriptor_that_could_not_be_destroyed_at_once_is_destroyed_with_the_aborted_stream() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.with_current(&mut thread, |current| {
        let stream = current.stream().unwrap().register(current, Empty(())).unwrap();
        let memory = current.device_buffer::<u8>(64).unwrap();
        fail("aclrtMemsetAsync=hang,aclrtAllocatorDestroyDesc#1=207000,aclrtDeviceTaskAbort=207000");
        mem::forget(stream.set_bytes(current, memory, 1).unwrap());
    });
    ended.unwrap_err();
    let Recovered::Usable(device) = device.recover(&mut thread, BRIEFLY).unwrap() else { panic!("it was reset") };
    nothing_fails();
    assert_lives!(allocator_descriptors, 0);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Panics where the allocator ends.
struct Panics;

impl Watch for Panics {}

impl Drop for Panics {
    fn drop(&mut self) {
        panic!("the allocator ends");
    }
}

/// The stream with the allocator is destroyed when it was aborted, or after the reset.
#[proves(STREAM_17, DEV_08)]
#[test]
fn an_allocator_that_panics_when_it_ends_does_not_keep_a_device_from_its_recovery() {
    for abort in ["", ",aclrtStreamAbort=207000"] {
        let alone = alone();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
        let ended = device.with_current(&mut thread, |current| {
            let stream = current.stream().unwrap();
            let stream = stream.register(current, Watched::new(current, 1 << 16, Panics)).unwrap();
            let memory = current.device_buffer::<u8>(64).unwrap();
            fail(&format!("aclrtMemsetAsync=hang,aclrtDeviceTaskAbort=207000{abort}"));
            mem::forget(stream.set_bytes(current, memory, 1).unwrap());
        });
        ended.unwrap_err();
        let recovers = AssertUnwindSafe(|| drop(device.recover(&mut thread, BRIEFLY)));
        let panic = catch_unwind(recovers).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"the allocator ends"));
        assert_lives!(contexts, 0);
        nothing_fails();
        let device = acl.device(&mut thread, 0).unwrap();
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// A forced reset ends no capture in a context that was created. The library ends it afterwards.
#[proves(GRAPH_01, DEV_08)]
#[test]
fn a_capture_that_could_not_be_ended_is_ended_after_a_forced_reset() {
    // So often the library is asked before the reset.
    let refused: String = (1..=6).map(|call| format!("aclmdlRICaptureEnd#{call}=507899,")).collect();
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(BRIEFLY);
    let ended = device.with_current(&mut thread, |current| {
        let mut captured = current.stream().unwrap().without_allocator();
        let (stream, memory) = (current.stream().unwrap(), current.device_buffer::<u8>(64).unwrap());
        fail(&format!("{refused}aclrtMemsetAsync=hang,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000"));
        let none = captured.capture(current, CaptureMode::Relaxed, (), |_, ()| Err::<(), _>(Error::NotExecuted));
        drop(none.unwrap_err());
        mem::forget(stream.set_bytes(current, memory, 1).unwrap());
    });
    ended.unwrap_err();
    let recovered = device.recover(&mut thread, BRIEFLY).unwrap();
    let refusals = control::injected().iter().filter(|fault| fault.call == "aclmdlRICaptureEnd").count();
    nothing_fails();
    assert_eq!(refusals, 6, "it was not ended before the reset");
    let Recovered::Reset { lost } = recovered else { panic!("it was not reset") };
    assert_eq!(lost, [""; 0]);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
