//! What a reset by force loses is told once, and does not keep the library initialised.

use super::forcing::may_leave_a_context;
use super::*;
use crate::common::allocators::{Watch, Watched};
use crate::common::{Alone, acl};
use crate::leaving::{current_handle, resets_device, sets_device};
use ascendcl::{Recovered, Thread};
use ascendcl_sim::{Calls, Fault, Plan};

const BRIEFLY: Duration = Duration::from_millis(20);

/// A device that no other test takes, as in `forcing.rs`.
const DEVICE: i32 = 2;

/// A runtime whose stream hangs. Each call in `refused` is refused from then on.
fn hanging(refused: &[&str], program: impl FnOnce(&mut Current<Worker>)) -> Runtime<Worker> {
    let setup = Setup::builder().library(library()).device(DEVICE).build();
    let runtime = Runtime::<Worker>::open(setup).unwrap();
    let plan = |plan: Plan, name: &&str| plan.at(Calls::of(*name), Fault::Fails(207_000));
    let hangs = |current: &mut Current<Worker>| {
        program(current);
        let (stream, memory) = (current.stream().unwrap(), current.device_buffer::<u8>(64).unwrap());
        let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
        crate::begin(["aclrtStreamAbort", "aclrtDeviceTaskAbort"].iter().chain(refused).fold(hangs, plan));
        mem::forget(stream.set_bytes(current, memory, 1).unwrap());
    };
    runtime.with(hangs).unwrap();
    runtime
}

fn in_default_context() -> Runtime<Worker> {
    let setup = Setup::builder().library(library()).device(DEVICE).default_context(true).build();
    Runtime::open(setup).unwrap()
}

/// The runtime goes, and the simulator forgets what it has lost.
fn end(alone: Alone, runtime: Runtime<Worker>) {
    drop(runtime);
    sweep();
    control::reset();
    alone.assert_nothing_but_the_end_was_found();
}

struct Panics;

impl Watch for Panics {}

impl Drop for Panics {
    fn drop(&mut self) {
        panic!("an allocator is dropped");
    }
}

#[proves(DEV_09)]
#[test]
fn what_was_lost_is_told_after_a_call_that_an_allocator_ended_with_a_panic() {
    let alone = alone();
    if !may_leave_a_context() {
        return;
    }
    let runtime = hanging(&["aclrtDestroyContext"], |current| {
        let pool = Watched::new(current, 1 << 16, Panics);
        mem::forget(current.stream().unwrap().register(current, pool).unwrap());
    });
    let panicked = catch_unwind(AssertUnwindSafe(|| runtime.close_by_force(BRIEFLY)));
    assert!(panicked.is_err(), "{panicked:?}");
    let lost = runtime.close_by_force(BRIEFLY).unwrap();
    nothing_fails();
    assert!(!lost.is_empty(), "the context is lost");
    assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    end(alone, runtime);
}

/// The context cannot be destroyed, also not after the reset, and the library is not finalised at once. Nobody closes the
/// runtime again.
#[proves(DEV_09, INIT_07)]
#[test]
fn a_runtime_with_losses_that_is_dropped_does_not_keep_the_library_initialised() {
    let alone = alone();
    if !may_leave_a_context() {
        return;
    }
    let runtime = hanging(&["aclrtDestroyContext", "aclFinalizeReference"], |_| ());
    let Err(CloseError::Teardown { errors }) = runtime.close_by_force(BRIEFLY) else { panic!("it was finalised") };
    assert!(matches!(errors.last(), Some(Error::Vendor(error)) if error.call == "aclFinalizeReference"), "{errors:?}");
    crate::fail("aclrtDestroyContext=207000");
    drop(runtime);
    let errors = runtime::sweep(Some(BRIEFLY));
    assert!(!errors.is_empty(), "the context cannot be destroyed");
    assert_eq!(runtime::sweep(Some(BRIEFLY)).len(), 0, "there is nothing left to do");
    nothing_fails();
    control::reset();
    alone.assert_nothing_but_the_end_was_found();
}

/// The context could not be destroyed at the reset by force, so it counts as lost. A later call destroys it, before the
/// program was told.
#[proves(DEV_09, INIT_07)]
#[test]
fn a_context_that_a_later_close_destroys_is_not_told_as_lost() {
    let alone = alone();
    if !may_leave_a_context() {
        return;
    }
    let runtime = hanging(&["aclrtDestroyContext", "aclFinalizeReference"], |_| ());
    let Err(CloseError::Teardown { .. }) = runtime.close_by_force(BRIEFLY) else { panic!("it was finalised") };
    // From now on the library refuses only to be finalised.
    crate::begin(Plan::new().at(Calls::of("aclFinalizeReference").from(1), Fault::Fails(207_000)));
    let Err(CloseError::Teardown { errors }) = runtime.close() else { panic!("it was finalised") };
    assert!(matches!(&*errors, [Error::Vendor(error)] if error.call == "aclFinalizeReference"), "{errors:?}");
    nothing_fails();
    assert_eq!(control::live().contexts, 0);
    assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), [""; 0], "nothing was lost");
    end(alone, runtime);
}

/// Code of another library that has set the device must not reset it after a reset by force.
#[proves(DEV_07, DEV_09)]
#[test]
fn a_reset_by_force_is_counted_for_its_device_and_a_refused_one_is_not() {
    let alone = alone();
    if !may_leave_a_context() {
        return;
    }
    let library = library().load().unwrap();
    let counts = || [0, DEVICE].map(|device| library.forced_resets(device));
    let [other, own] = counts();
    let runtime = hanging(&["aclrtResetDeviceForce"], |_| ());
    let Err(CloseError::Teardown { .. }) = runtime.close_by_force(BRIEFLY) else { panic!("the device was reset") };
    assert_eq!(counts(), [other, own]);
    nothing_fails();
    runtime.close().unwrap();
    let runtime = hanging(&[], |_| ());
    runtime.close_by_force(BRIEFLY).unwrap();
    nothing_fails();
    assert_eq!(counts(), [other, own + 1]);
    end(alone, runtime);
}

/// Nobody knows in which context a call for its streams would act.
#[proves(STREAM_17, CTX_08)]
#[test]
fn streams_of_a_context_that_cannot_be_made_current_are_neither_aborted_nor_destroyed_by_force() {
    let alone = alone();
    if !may_leave_a_context() {
        return;
    }
    let runtime = hanging(&["aclrtSetCurrentContext", "aclrtDestroyStreamForce"], |_| ());
    let lost = runtime.close_by_force(BRIEFLY).unwrap();
    assert!(!lost.is_empty(), "the context is lost");
    let tried = |call: &str| control::injected().iter().any(|injected| injected.call == call);
    let calls = ["aclrtSetCurrentContext", "aclrtStreamAbort", "aclrtDestroyStreamForce"];
    assert_eq!(calls.map(tried), [true, false, false], "of {calls:?}");
    nothing_fails();
    end(alone, runtime);
}

/// Two streams hang in a default context. The work of one is discarded, and this stream is destroyed. The reset by
/// force ends the other one.
#[proves(DEV_09, STREAM_17)]
#[test]
fn a_stream_that_was_destroyed_by_force_is_not_told_as_lost() {
    let alone = alone();
    if !may_leave_a_context() {
        return;
    }
    let runtime = in_default_context();
    let hangs = |current: &mut Current<Worker>| {
        let streams = [current.stream().unwrap(), current.stream().unwrap()];
        let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
        let refused = hangs.at(Calls::of("aclrtStreamAbort").nth(2), Fault::Fails(207_000));
        crate::begin(refused.at(Calls::of("aclrtDeviceTaskAbort"), Fault::Fails(207_000)));
        for stream in streams {
            mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap());
            mem::forget(stream);
        }
    };
    runtime.with(hangs).unwrap();
    let lost = runtime.close_by_force(BRIEFLY).unwrap();
    nothing_fails();
    assert!(matches!(&lost[..], [lost] if lost.contains("1 stream(s)") && !lost.contains("destroyed")), "{lost:?}");
    end(alone, runtime);
}

/// The crate had left the default context current on this thread. The next one has its handle.
#[proves(CTX_08, DEV_09)]
#[test]
fn a_default_context_that_other_code_chose_after_a_reset_by_force_is_its_choice() {
    let alone = alone();
    if !may_leave_a_context() {
        return;
    }
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, DEVICE).unwrap().with_teardown_timeout(BRIEFLY);
    let hangs = device.default_context(&mut thread, |context, thread| {
        let hangs = context.enter(thread, |current| {
            let (stream, memory) = (current.stream().unwrap(), current.device_buffer::<u8>(64).unwrap());
            let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
            let refused = hangs.at(Calls::of("aclrtStreamAbort"), Fault::Fails(207_000));
            crate::begin(refused.at(Calls::of("aclrtDeviceTaskAbort"), Fault::Fails(207_000)));
            mem::forget(stream.set_bytes(current, memory, 1).unwrap());
        });
        hangs.unwrap();
    });
    assert!(hangs.is_err());
    let recovered = device.recover(&mut thread, BRIEFLY).unwrap();
    assert!(matches!(recovered, Recovered::Reset { .. }), "{recovered:?}");
    nothing_fails();
    drop(thread);
    sets_device(DEVICE);
    let chosen = current_handle();
    let ran = ascendcl::run(library(), |current| {
        assert_eq!(current.device_id(), DEVICE);
        Ok::<_, Error>(())
    });
    ran.unwrap();
    assert_eq!(current_handle(), chosen);
    resets_device(DEVICE);
    acl.close().unwrap();
    control::reset();
    alone.assert_nothing_but_the_end_was_found();
}

/// The library has destroyed the stream, and not the descriptor of its allocator. So the stream has gone, and its row
/// is there.
#[proves(STREAM_07, STREAM_17)]
#[test]
fn a_stream_that_has_gone_is_not_destroyed_by_force() {
    let alone = alone();
    if !may_leave_a_context() {
        return;
    }
    let runtime = in_default_context();
    let hangs = |current: &mut Current<Worker>| {
        let pool = PoolAllocator::new(current, 1 << 16).unwrap();
        let (stream, hung) = (current.stream().unwrap().register(current, pool).unwrap(), current.stream().unwrap());
        let memory = current.device_buffer::<u8>(64).unwrap();
        let refused =
            ["aclrtStreamAbort", "aclrtDeviceTaskAbort", "aclrtDestroyStreamForce", "aclrtAllocatorDestroyDesc"];
        let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
        crate::begin(refused.iter().fold(hangs, |plan, name| plan.at(Calls::of(*name), Fault::Fails(207_000))));
        stream.destroy(current).unwrap();
        mem::forget((hung.set_bytes(current, memory, 1).unwrap(), hung));
    };
    runtime.with(hangs).unwrap();
    assert!(!runtime.close_by_force(BRIEFLY).unwrap().is_empty());
    assert!(control::injected().iter().all(|injected| injected.call != "aclrtDestroyStreamForce"));
    nothing_fails();
    end(alone, runtime);
}
