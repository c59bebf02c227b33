//! What a teardown reports while a panic goes on: the next sweep tells it.

use super::super::{fail, nothing_fails};
use super::*;
use ascendcl::{Library, runtime::CloseError};
use ascendcl_macros::proves;

/// The state of a captured callback panics when the graph is destroyed, which is at the end of the context.
fn leave_state<C: Brand>(current: &mut Current<C>, message: &'static str) {
    let mut stream = current.stream().unwrap().without_allocator();
    let graph =
        stream.capture(current, CaptureMode::Relaxed, (), |capture, ()| capture.launch_host_fn(Says(message), |_| ()));
    mem::forget(graph.unwrap());
}

/// The calls that failed, as the sweep tells them.
#[track_caller]
fn assert_told(calls: &[&str]) {
    // This thread may have its `Thread`.
    let swept = std::thread::spawn(|| runtime::sweep(None)).join().unwrap();
    let told: Vec<_> = swept.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), calls.len(), "{told:#?}");
    for (told, call) in told.iter().zip(calls) {
        assert!(told.contains(call), "{told}: {call}");
    }
    let again = std::thread::spawn(|| runtime::sweep(None)).join().unwrap();
    assert_eq!(again.len(), 0, "each is told once");
}

#[proves(DEV_10)]
#[test]
fn errors_of_a_scope_are_told_by_the_next_sweep_whether_its_program_or_a_value_panics() {
    with_the_rest_taken_down(|device, thread| {
        for panics_itself in [true, false] {
            let message = panic_of(|| {
                let _ = device.with_current(thread, |current| {
                    mem::forget(current.upload(&[1_u8]).unwrap());
                    if panics_itself {
                        fail("aclrtFree=507899");
                        panic_any("the program's");
                    }
                    leave_state(current, "the value's");
                    fail("aclrtFree=507899");
                });
            });
            assert_eq!(message, if panics_itself { "the program's" } else { "the value's" });
            assert_told(&["aclrtFree"]);
            nothing_fails();
        }
    });
}

#[proves(DEV_10, INIT_02)]
#[test]
fn errors_of_the_short_form_are_told_by_the_next_sweep() {
    let alone = alone();
    for panics_itself in [true, false] {
        let message = panic_of(|| {
            let ran = ascendcl::run(Library::Simulator, |current| {
                if panics_itself {
                    fail("aclrtDestroyContext#1=507899");
                    panic_any("the program's");
                }
                leave_state(current, "the value's");
                fail("aclrtDestroyContext#1=507899");
                Ok::<_, Error>(())
            });
            drop(ran);
        });
        assert_eq!(message, if panics_itself { "the program's" } else { "the value's" });
        assert_told(&["aclrtDestroyContext"]);
        nothing_fails();
        alone.assert_nothing_lives();
    }
}

#[proves(DEV_10)]
#[test]
fn errors_of_a_device_are_told_by_the_next_sweep() {
    let alone = alone();
    let recovery = "aclrtDestroyContext=507899,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000,\
                    aclrtResetDeviceForce=507899";
    for plan in ["aclrtResetDevice=507899", recovery] {
        let (acl, mut thread) = (acl(), Thread::new().unwrap());
        let device = acl.device(&mut thread, 0).unwrap();
        let scope = device.with_current(&mut thread, |current| {
            leave_state(current, "the value's");
            fail("aclmdlRIDestroy=507899");
        });
        drop(scope.unwrap_err());
        fail(plan);
        let message = panic_of(|| match plan == recovery {
            true => drop(device.recover(&mut thread, LONG)),
            false => drop(device.reset(&mut thread)),
        });
        nothing_fails();
        assert_eq!(message, "the value's");
        assert_told(&[if plan == recovery { "aclrtResetDeviceForce" } else { "aclrtResetDevice" }]);
        acl.close().unwrap();
    }
    alone.assert_nothing_lives();
}

/// The library is closed with a device that was forgotten, and a value of the program panics on the way.
#[proves(DEV_10, INIT_02)]
#[test]
fn errors_of_a_library_that_is_closed_are_told_by_the_next_sweep() {
    let alone = alone();
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    let device = acl.device(&mut thread, 0).unwrap();
    let scope = device.with_current(&mut thread, |current| {
        leave_state(current, "the value's");
        fail("aclmdlRIDestroy=507899");
    });
    drop(scope.unwrap_err());
    std::mem::forget(device);
    fail("aclFinalizeReference#1=507899");
    assert_eq!(panic_of(|| drop(acl.close())), "the value's");
    nothing_fails();
    assert_told(&["aclFinalizeReference"]);
    // What the first one could not do, the next one does.
    crate::common::acl().close().unwrap();
    alone.assert_nothing_lives();
}

/// Errors of other code are told in their words: their values are gone.
#[proves(DEV_10)]
#[test]
fn errors_whose_values_panic_are_told_and_dropped_without_a_panic() {
    with_the_rest_taken_down(|device, thread| {
        let message = panic_of(|| {
            let _ = device.with_current(thread, |current| {
                leave_refusing(current, 1);
                panic_any("the program's");
            });
        });
        assert_eq!(message, "the program's");
        assert_told(&["a reason", "a reason", "a reason"]);
    });
}

/// Refuses to end once, with the errors of a close that it made itself. Each contains an error whose drop panics.
struct ClosesInside(AtomicU32);

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for ClosesInside {
    const NAME: &'static str = "closer";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Everything;

    fn take_down(&self, from: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if self.0.fetch_add(1, SeqCst) > 0 {
            return Ok(());
        }
        let inner = || Error::NotTakenDown { what: "inner", reason: Reason(panics_always).into() };
        from.also_failed(Error::from(CloseError::Refused(inner())));
        from.also_failed(Error::from(CloseError::Teardown { errors: vec![inner(), inner()] }));
        Err(Error::from(CloseError::Busy { inside: 7 }).into())
    }
}

/// However deep they are inside of others.
#[proves(DEV_10)]
#[test]
fn errors_of_a_close_inside_of_others_are_told_and_dropped_without_a_panic() {
    with_the_rest_taken_down(|device, thread| {
        let message = panic_of(|| {
            let _ = device.with_current(thread, |current| {
                mem::forget(current.attach(ClosesInside(AtomicU32::new(0)), ()).map_err(Error::from).unwrap());
                panic_any("the program's");
            });
        });
        assert_eq!(message, "the program's");
        assert_told(&["could not take down the inner: a reason", "could not take down the inner: a reason", "7 "]);
    });
}

/// An actor that is dropped closes its runtime on its thread, where nobody gets the errors.
#[proves(DEV_10)]
#[test]
fn errors_of_an_actor_that_was_dropped_or_that_panics_are_told_by_the_next_sweep() {
    use ascendcl::runtime::Actor;
    let alone = alone();
    for panics in [false, true] {
        let (told, ended) = channel();
        let state = (panics.then(|| Says("the state's")), Ends(told));
        let actor = Actor::<Worker, _>::open(library(), |_| Ok(state)).unwrap();
        fail("aclrtDestroyContext#1=507899");
        if panics {
            assert_eq!(panic_of(|| actor.close().unwrap()), "the state's");
        } else {
            drop(actor);
        }
        ended.recv_timeout(LONG).unwrap();
        let mut told = Vec::new();
        for _ in 0..1000 {
            told.extend(std::thread::spawn(|| runtime::sweep(None)).join().unwrap());
            if !told.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        nothing_fails();
        assert!(told.len() == 1 && told[0].to_string().contains("aclrtDestroyContext"), "{told:?}");
        while ascendcl_sim::control::live().contexts > 0 {
            drop(std::thread::spawn(|| runtime::sweep(None)).join().unwrap());
        }
        alone.assert_nothing_lives();
    }
}

struct Ends(std::sync::mpsc::Sender<()>);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}
