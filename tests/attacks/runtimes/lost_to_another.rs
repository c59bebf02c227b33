//! Runtimes whose device was reset by force, by themselves or by another one: what later calls do and tell.

use super::forcing::{are_of_no_use, hanging, may_leave_a_context};
use super::several_by_force::{BRIEFLY, DEVICE, HANGS, alone_on_three};
use super::*;
use crate::must_not_call;

fn open(default: bool) -> Runtime<Worker> {
    let setup = Setup::builder().library(library()).device(DEVICE).default_context(default).teardown_timeout(BRIEFLY);
    Runtime::open(setup.build()).unwrap()
}

/// The runtime has tried to close by force, and another one has then reset the device. `refused` is a part of the plan that
/// holds meanwhile. Also returns what the other one was told as lost.
fn reset_by_another(refused: &str) -> (Runtime<Worker>, Vec<String>) {
    let (own, other) = (open(false), open(false));
    let (stream, memory) =
        other.with(|current| (current.stream().unwrap(), current.device_buffer::<u8>(8).unwrap())).unwrap();
    let hung = own.with(|current| (current.stream().unwrap(), current.device_buffer::<u8>(8).unwrap())).unwrap();
    fail(&format!("{HANGS}{refused}"));
    mem::forget(own.with(|current| hung.0.set_bytes(current, hung.1, 1).unwrap()).unwrap());
    mem::forget(other.with(|current| stream.set_bytes(current, memory, 1).unwrap()).unwrap());
    own.close_by_force(BRIEFLY).unwrap_err();
    let lost = other.close_by_force(BRIEFLY).unwrap();
    nothing_fails();
    (own, lost)
}

#[track_caller]
fn is_not_finalised(errors: &[Error]) {
    assert!(
        matches!(errors, [Error::Vendor(error)] if error.call == "aclFinalizeReference"),
        "the library is asked once: {errors:?}"
    );
}

/// The other one has released what the runtime had. So only the library's own end can be refused, and one call asks for it
/// once.
#[proves(DEV_09, INIT_07)]
#[test]
fn a_runtime_that_another_one_has_reset_asks_for_the_end_of_the_library_once() {
    for is_dropped in [false, true] {
        let alone = alone_on_three();
        let (own, lost) = reset_by_another("");
        assert_eq!(lost, [""; 0]);
        fail("aclFinalizeReference=207000");
        if is_dropped {
            drop(own);
            is_not_finalised(&runtime::sweep(Some(BRIEFLY)));
        } else {
            let Err(CloseError::Teardown { errors }) = own.close_by_force(BRIEFLY) else { panic!("it was finalised") };
            is_not_finalised(&errors);
            drop(own);
        }
        nothing_fails();
        sweep();
        alone.assert_nothing_lives();
    }
}

/// The library does not destroy the context. The other one was told that it is lost, so nobody tries again.
#[proves(DEV_09)]
#[test]
fn a_runtime_that_another_one_has_reset_releases_nothing_itself() {
    let alone = alone_on_three();
    if !may_leave_a_context() {
        return;
    }
    let (own, lost) = reset_by_another(",aclrtDestroyContext=207000");
    assert_eq!(lost.len(), 2, "{lost:?}");
    must_not_call("aclrtDestroyContext=207000");
    assert_eq!(own.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    nothing_fails();
    drop(own);
    sweep();
    control::reset();
    alone.assert_nothing_but_the_end_was_found();
}

/// The runtime has reset the device of a default context, whose objects are lost. The library does not end before the third
/// try, and the list of what was lost is told then.
#[proves(DEV_09, INIT_07)]
#[test]
fn what_a_default_context_has_lost_is_told_after_the_library_was_refused_its_end() {
    let alone = alone_on_three();
    let own = open(true);
    let hung = own.with(|current| (current.stream().unwrap(), current.device_buffer::<u8>(8).unwrap())).unwrap();
    fail(&format!("{HANGS},aclFinalizeReference#1=207000,aclFinalizeReference#2=207000"));
    mem::forget(own.with(|current| hung.0.set_bytes(current, hung.1, 1).unwrap()).unwrap());
    own.close_by_force(BRIEFLY).unwrap_err();
    let lost = own.close_by_force(BRIEFLY).unwrap();
    nothing_fails();
    assert_eq!(lost.len(), 1, "{lost:?}");
    drop(own);
    sweep();
    alone.assert_nothing_lives();
}

/// The runtime has reset its device, and its event was not destroyed. It is dropped before the library has ended. From
/// then on nobody asks for the event.
#[proves(DEV_09, EVENT_06, INIT_07)]
#[test]
fn an_event_that_a_dropped_runtime_has_lost_is_not_asked_for_after_the_end_of_the_library() {
    let alone = alone();
    if !may_leave_a_context() {
        return;
    }
    let refused = ["aclrtStreamAbort", "aclrtDeviceTaskAbort", "aclrtDestroyEvent", "aclFinalizeReference"];
    let (runtime, values) = hanging(&refused);
    runtime.close_by_force(BRIEFLY).unwrap_err();
    fail("aclrtDestroyEvent=207000");
    drop(runtime);
    assert!(!runtime::sweep(Some(BRIEFLY)).is_empty(), "the event cannot be destroyed");
    nothing_fails();
    are_of_no_use(values);
    sweep();
    control::reset();
    alone.assert_nothing_but_the_end_was_found();
}
