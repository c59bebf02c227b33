//! Runtimes in the default context of their device, which others have at the same time.

use super::*;
use crate::common::assert_lives;
use crate::forgets_work as leaves_work;
use ascendcl_sim::{Calls, Config, Fault, Plan};

const BRIEFLY: Duration = Duration::from_millis(20);

/// A device that no other test takes. Some of them leave one taken for good.
const DEVICE: i32 = 4;

fn alone_on_all_devices() -> crate::common::Alone {
    let alone = alone();
    control::configure(crate::common::under_watch(Config::new().devices(5))).unwrap();
    alone
}

fn setup(device: i32) -> Setup {
    Setup::builder().library(library()).device(device).default_context(true).build()
}

fn open_default() -> Runtime<Worker> {
    Runtime::open(setup(0)).unwrap()
}

/// Uses the default stream and the context, also of whoever has them beside this one.
fn fills(current: &Current<Worker>, value: u8) {
    let buffer = current.device_buffer::<u8>(64).unwrap();
    let filled = current.default_stream().set_bytes(current, buffer, value).unwrap();
    assert_eq!(filled.wait(current).unwrap().to_vec(current).unwrap(), [value; 64]);
}

#[proves(DEV_03, DEV_04, CTX_01)]
#[test]
fn a_runtime_has_the_default_context_of_its_device_and_leaves_it_there() {
    let alone = alone();
    let own = Runtime::<Worker>::open(Setup::builder().library(library()).device(0).build()).unwrap();
    let default = open_default();
    assert_lives!(contexts, 1);
    assert!(!own.with(|current| current.is_default_context()).unwrap());
    let raw = default
        .with(|current| {
            assert!(current.is_default_context());
            fills(current, 1);
            leaves_work(current);
            current.as_raw()
        })
        .unwrap();
    default.close().unwrap();
    // The context is the device's, and the other runtime has the device.
    let again = open_default();
    again
        .with(|current| {
            assert_eq!(current.as_raw(), raw);
            fills(current, 2);
        })
        .unwrap();
    own.close().unwrap();
    again.with(|current| fills(current, 3)).unwrap();
    again.close().unwrap();
    is_gone(default.with(|_| ()));
    alone.assert_nothing_lives();
}

#[proves(CTX_02, DEV_04, STREAM_09)]
#[test]
fn runtimes_of_one_name_on_one_default_context_keep_apart_what_each_has() {
    let alone = alone();
    let (first, second) = (open_default(), open_default());
    let (stream, kept) =
        first.with(|current| (current.stream().unwrap(), current.upload(&[5_u8; 64]).unwrap())).unwrap();
    second
        .with(|current| {
            leaves_work(current);
            let refused = stream.set_bytes(current, current.device_buffer::<u8>(4).unwrap(), 0).unwrap_err();
            assert!(matches!(refused.error, Error::WrongContext { .. }), "{}", refused.error);
            assert!(matches!(kept.to_vec(current), Err(Error::WrongContext { .. })));
            fills(current, 1);
        })
        .unwrap();
    second.close().unwrap();
    first
        .with(|current| {
            fills(current, 2);
            let filled = stream.set_bytes(current, kept, 6).unwrap();
            assert_eq!(filled.wait(current).unwrap().to_vec(current).unwrap(), [6; 64]);
        })
        .unwrap();
    first.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_02, CTX_05, DEV_04)]
#[test]
fn a_runtime_beside_a_scope_on_the_default_context_ends_without_it_and_before_it() {
    let alone = alone();
    let acl = crate::common::acl();
    let runtime = open_default();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let scope = device.default_context(&mut thread, |context, thread| {
        let kept = context.enter(thread, |outer| {
            let kept = outer.upload(&[5_u8; 64]).unwrap();
            runtime
                .enter(outer, |current| {
                    leaves_work(current);
                    fills(current, 1);
                })
                .unwrap();
            kept
        });
        // This thread has a token, so another one closes the runtime.
        thread::scope(|scope| scope.spawn(|| runtime.close().unwrap()).join().unwrap());
        context.enter(thread, |outer| assert_eq!(kept.unwrap().to_vec(outer).unwrap(), [5; 64])).unwrap();
    });
    scope.unwrap();
    let runtime = thread::scope(|scope| scope.spawn(open_default).join().unwrap());
    device.default_context(&mut thread, |context, thread| context.enter(thread, leaves_work).unwrap()).unwrap();
    device.reset(&mut thread).unwrap();
    drop(thread);
    acl.close().unwrap();
    runtime.with(|current| fills(current, 2)).unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_02, CTX_06)]
#[test]
fn one_that_is_dropped_in_the_default_context_of_another_is_swept_without_it() {
    let alone = alone();
    let (first, second) = (open_default(), open_default());
    first
        .with(|current| {
            second.enter(current, leaves_work).unwrap();
            drop(second);
            fills(current, 1);
        })
        .unwrap();
    sweep();
    first.with(|current| fills(current, 2)).unwrap();
    drop(first);
    sweep();
    alone.assert_nothing_lives();
}

#[proves(CTX_05, CTX_11, DEV_05)]
#[test]
fn threads_in_runtimes_on_one_default_context_that_close_and_open_do_not_meet() {
    let alone = alone();
    thread::scope(|scope| {
        for value in 1..5 {
            scope.spawn(move || {
                for round in 0..8 {
                    let runtime = open_default();
                    runtime
                        .with(|current| {
                            leaves_work(current);
                            fills(current, value);
                        })
                        .unwrap();
                    if round % 2 == 0 { runtime.close().unwrap() } else { drop(runtime) }
                }
            });
        }
    });
    sweep();
    alone.assert_nothing_lives();
}

/// The work of one hangs. It is not taken down, and the other one goes on in the same context.
#[proves(DEV_08, DEV_09)]
#[test]
fn a_default_context_that_another_runtime_has_is_not_reset_under_it() {
    let alone = alone_on_all_devices();
    let open = || Runtime::<Worker>::open(setup(DEVICE)).unwrap();
    let (hangs, other) = (open(), open());
    hang(&hangs);
    let Err(CloseError::Teardown { errors }) = hangs.close_by_force(BRIEFLY) else { panic!("it hangs") };
    assert!(matches!(errors.last(), Some(Error::DeviceShared { .. })), "{errors:?}");
    other.with(|current| drop(current.stream().unwrap())).unwrap();
    other.close().unwrap();
    drop(hangs.close_by_force(BRIEFLY).unwrap());
    nothing_fails();
    anew();
    alone.assert_nothing_lives();
}

/// A forced reset ends the default context with all its objects, while their handles are still stored.
#[proves(DEV_08, DEV_09, DEV_05)]
#[test]
fn a_runtime_whose_default_context_ends_by_force_names_nothing_any_more() {
    let alone = alone_on_all_devices();
    let runtime = Runtime::<Worker>::open(setup(DEVICE)).unwrap();
    let (stream, memory, event) = runtime
        .with(|current| {
            let stream = current.stream().unwrap();
            let event = stream.record(current, current.event().unwrap()).unwrap();
            (stream, current.upload(&[7_u8; 64]).unwrap(), event)
        })
        .unwrap();
    hang(&runtime);
    drop(runtime.close_by_force(BRIEFLY).unwrap());
    nothing_fails();
    is_gone(runtime.with(|_| ()));
    runtime.close().unwrap();
    let next = Runtime::<Worker>::open(setup(DEVICE)).unwrap();
    next.with(|current| {
        assert!(stream.synchronize(current).is_err() && memory.to_vec(current).is_err());
        assert!(event.is_complete(current).is_err() && memory.free(current).is_err());
        fills(current, 1);
    })
    .unwrap();
    next.close().unwrap();
    drop((stream, event, runtime));
    sweep();
    alone.assert_nothing_lives();
}

/// Whether the default context is given to another runtime in good order afterwards.
fn anew() {
    let next = Runtime::<Worker>::open(setup(DEVICE)).unwrap();
    next.with(|current| fills(current, 3)).unwrap();
    next.close().unwrap();
    sweep();
}

/// Work of this runtime does not end, and the library does not discard it.
fn hang(runtime: &Runtime<Worker>) {
    let refused = ["aclrtStreamAbort", "aclrtDeviceTaskAbort"];
    let hangs = Plan::new().at(Calls::of("aclrtMemsetAsync"), Fault::Hangs);
    let plan = refused.iter().fold(hangs, |plan, name| plan.at(Calls::of(*name), Fault::Fails(207_000)));
    runtime
        .with(|current| {
            let (stream, memory) = (current.stream().unwrap(), current.device_buffer::<u8>(64).unwrap());
            crate::begin(plan);
            mem::forget(stream.set_bytes(current, memory, 1).unwrap());
            mem::forget(stream);
        })
        .unwrap();
}

#[proves(DEV_03, DEV_12)]
#[test]
fn a_program_and_an_actor_run_in_the_default_context_that_a_runtime_has() {
    let alone = alone();
    let runtime = open_default();
    let raw = runtime.with(|current| current.as_raw() as usize).unwrap();
    let ran = ascendcl::run(setup(0), |current| {
        leaves_work(current);
        Ok::<_, Error>(current.as_raw() as usize)
    });
    assert_eq!(ran.unwrap(), raw);
    let actor = Actor::<Worker, ()>::open(setup(0), |current| {
        leaves_work(current);
        Ok(())
    });
    let actor = actor.unwrap();
    assert_eq!(actor.call(|current, ()| current.as_raw() as usize).unwrap(), raw);
    actor.close().unwrap();
    runtime.with(|current| fills(current, 1)).unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

const FAILED: i32 = 507_015;

/// The next wait for a stream, or for a context, is told that work failed.
const NEXT_WAIT_FAILS: &str = "aclrtSynchronizeStream#1=after:507015,aclrtSynchronizeStreamWithTimeout#1=after:507015,\
                               aclrtSynchronizeDeviceWithTimeout#1=after:507015";

/// The library tells one wait that work failed, and that may be a wait of a runtime beside the one whose work it was.
#[proves(ERR_02)]
#[test]
fn work_that_failed_in_a_default_context_is_told_whichever_runtime_there_waits_first() {
    type Waits = fn(&Runtime<Worker>) -> Vec<Error>;
    let of_the_stream: Waits = |other| {
        other.with(|current| current.default_stream().synchronize(current).err()).unwrap().into_iter().collect()
    };
    let of_the_context: Waits =
        |other| other.with(|current| current.synchronize().err()).unwrap().into_iter().collect();
    let at_its_end: Waits = |other| {
        nothing_fails();
        other.with(|current| fills(current, 1)).unwrap();
        fail(NEXT_WAIT_FAILS);
        match other.close() {
            Err(CloseError::Teardown { errors }) => errors,
            closed => panic!("{closed:?}"),
        }
    };
    for (waits, is_of_all) in [(of_the_stream, false), (of_the_context, true), (at_its_end, false)] {
        let alone = alone();
        let (first, second) = (open_default(), open_default());
        let works = |current: &mut Current<Worker>| {
            let set = |stream: &ascendcl::stream::StreamOps<Worker>| {
                stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap()
            };
            let own = current.stream().unwrap();
            [set(&current.default_stream()), set(&own)]
        };
        let [shared, own] = first.with(works).unwrap();
        // The one that waits at its end begins anew.
        crate::common::plans::try_next(NEXT_WAIT_FAILS);
        let told = waits(&second);
        nothing_fails();
        assert!(matches!(&*told, [error] if error.code().is_some_and(|code| code.number() == FAILED)), "{told:?}");
        let told = |current: &mut Current<Worker>, work: Pending<Worker, _>| match work.wait(current) {
            Ok(_) => false,
            Err(failed) => {
                assert!(
                    matches!(failed.error, Error::WorkFailed { code } if code.number() == FAILED),
                    "{}",
                    failed.error
                );
                drop(failed.value.wait(current).unwrap());
                true
            }
        };
        first
            .with(|current| {
                assert!(told(current, shared), "failed work counts as done");
                assert_eq!(told(current, own), is_of_all);
                fills(current, 2);
            })
            .unwrap();
        second.close().unwrap();
        first.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// The default stream of another device is another stream.
#[proves(ERR_02)]
#[test]
fn work_that_failed_in_one_default_context_is_not_told_in_that_of_another_device() {
    let alone = alone_on_all_devices();
    let (first, second) = (open_default(), Runtime::<Worker>::open(setup(1)).unwrap());
    let set = |current: &mut Current<Worker>| {
        current.default_stream().set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap()
    };
    let (failed, works) = (first.with(set).unwrap(), second.with(set).unwrap());
    fail(NEXT_WAIT_FAILS);
    let told = first.with(|current| current.synchronize().unwrap_err()).unwrap();
    nothing_fails();
    assert_eq!(told.code().unwrap().number(), FAILED);
    second.with(|current| assert_eq!(works.wait(current).unwrap().to_vec(current).unwrap(), [1; 8])).unwrap();
    let failed = first.with(|current| failed.wait(current).unwrap_err()).unwrap();
    assert!(matches!(failed.error, Error::WorkFailed { .. }), "{}", failed.error);
    drop(failed);
    second.close().unwrap();
    first.close().unwrap();
    alone.assert_nothing_lives();
}
