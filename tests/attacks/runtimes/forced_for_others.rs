//! A runtime whose own end needs no force is closed by force, and others have given the device up before.

use super::several_by_force::{
    BRIEFLY, DEVICE, HANGS, alone_on_three, hang, hang_and_fail, is_refused, open, works_anew,
};
use super::*;
use ascendcl::{Acl, Recovered};

/// What of the runtime that hangs is lost with the reset: a default context ends with all that it has.
fn lost_with(default: bool) -> usize {
    usize::from(default)
}

/// Closed by force again, closed, or dropped, while the plan still holds: the runtime has nothing left.
fn end_each_way(hangs: Runtime<Worker>, way: usize) {
    match way {
        0 => assert_eq!(hangs.close_by_force(BRIEFLY).unwrap(), [""; 0]),
        1 => hangs.close().unwrap(),
        _ => drop(hangs),
    }
    sweep();
}

#[proves(DEV_08, DEV_09, DEV_10)]
#[test]
fn an_idle_runtime_that_is_closed_by_force_last_recovers_the_device_for_the_one_that_hangs() {
    for (way, defaults) in [[false, false], [true, false], [false, true], [true, true]].into_iter().enumerate() {
        let alone = alone_on_three();
        let [hangs, idle] = defaults.map(open);
        let work = hang([&hangs]);
        is_refused(hangs.close_by_force(BRIEFLY));
        let lost = idle.close_by_force(BRIEFLY).unwrap();
        assert_eq!(lost.len(), lost_with(defaults[0]), "{lost:?}");
        assert_eq!(idle.close_by_force(BRIEFLY).unwrap(), [""; 0], "it was told");
        end_each_way(hangs, way);
        nothing_fails();
        works_anew();
        drop((work, idle));
        alone.assert_nothing_lives();
    }
}

/// The one that hangs is the last one on the device, so it does not wait for anybody.
#[proves(DEV_08, DEV_09)]
#[test]
fn an_idle_runtime_that_is_closed_by_force_first_leaves_the_recovery_to_the_one_that_hangs() {
    for defaults in [[false, false], [true, false], [false, true], [true, true]] {
        let alone = alone_on_three();
        let [hangs, idle] = defaults.map(open);
        let work = hang([&hangs]);
        assert_eq!(idle.close_by_force(BRIEFLY).unwrap(), [""; 0]);
        assert_eq!(hangs.close_by_force(BRIEFLY).unwrap().len(), lost_with(defaults[0]));
        nothing_fails();
        works_anew();
        drop((work, hangs, idle));
        sweep();
        alone.assert_nothing_lives();
    }
}

/// Its work can be discarded, so the device is not reset.
#[proves(DEV_08, STREAM_17)]
#[test]
fn work_that_can_be_discarded_is_discarded_by_the_idle_runtime_without_a_reset() {
    for way in 0..3 {
        let alone = alone_on_three();
        let [hangs, idle] = [false, false].map(open);
        let operands =
            hangs.with(|current| (current.stream().unwrap(), current.device_buffer::<u8>(8).unwrap())).unwrap();
        fail("aclrtMemsetAsync=hang");
        let work = hangs.with(|current| operands.0.set_bytes(current, operands.1, 1).unwrap()).unwrap();
        is_refused(hangs.close_by_force(BRIEFLY));
        assert_eq!(idle.close_by_force(BRIEFLY).unwrap(), [""; 0]);
        end_each_way(hangs, way);
        nothing_fails();
        works_anew();
        drop((work, idle));
        alone.assert_nothing_lives();
    }
}

/// Of three, in each order: only the last one recovers the device, and none is disturbed before.
#[proves(DEV_08, DEV_09, DEV_10)]
#[test]
fn the_last_of_three_runtimes_recovers_the_device_whichever_of_them_hangs() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for hanging in 1..=2 {
            let alone = alone_on_three();
            let runtimes = [false, true, false].map(open);
            let work: Vec<_> = match (&runtimes, hanging) {
                ([first, ..], 1) => hang([first]).into(),
                ([first, second, _], _) => hang([first, second]).into(),
            };
            for (nth, at) in order.into_iter().enumerate() {
                let closed = runtimes[at].close_by_force(BRIEFLY);
                match at < hanging && nth < 2 {
                    true => is_refused(closed),
                    false => drop(closed.unwrap()),
                }
                // Those that are open have their device.
                for open in &order[nth + 1..] {
                    runtimes[*open].with(|current| drop(current.event().unwrap())).unwrap();
                }
            }
            for runtime in &runtimes {
                runtime.close().unwrap();
            }
            nothing_fails();
            works_anew();
            drop((work, runtimes));
            sweep();
            alone.assert_nothing_lives();
        }
    }
}

/// Each of them can try again, also the one that has nothing left itself.
#[proves(DEV_08, DEV_09)]
#[test]
fn a_reset_for_others_that_is_refused_is_tried_again_by_any_of_them() {
    for again in 0..2 {
        let alone = alone_on_three();
        let runtimes = [false, true].map(open);
        let refused = ",aclrtResetDeviceForce#1=507899,aclrtResetDeviceForce#2=507899";
        let work = hang_and_fail([&runtimes[0]], refused);
        is_refused(runtimes[0].close_by_force(BRIEFLY));
        for _ in 0..2 {
            let Err(CloseError::Teardown { errors }) = runtimes[1].close_by_force(BRIEFLY) else { panic!("not reset") };
            let [Error::Vendor(error)] = &*errors else { panic!("{errors:?}") };
            assert_eq!(error.call, "aclrtResetDeviceForce");
            // What it had itself is released.
            runtimes[1].close().unwrap();
        }
        assert_eq!(runtimes[again].close_by_force(BRIEFLY).unwrap(), [""; 0]);
        runtimes.iter().for_each(|runtime| runtime.close().unwrap());
        nothing_fails();
        works_anew();
        drop((work, runtimes));
        sweep();
        alone.assert_nothing_lives();
    }
}

/// Nobody has closed it by force who could try again; the next one on the device does.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_runtime_that_is_opened_later_recovers_the_device_for_one_or_an_actor_that_was_given_up() {
    for is_actor in [false, true] {
        let alone = alone_on_three();
        let idle = open(false);
        if is_actor {
            let setup = Setup::builder().library(library()).device(DEVICE).build();
            let actor = Actor::<Worker, _>::open(setup, |current| current.stream()).unwrap();
            fail(HANGS);
            let queues = actor.call(|current, stream| {
                mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap());
            });
            queues.unwrap();
            is_refused(actor.close_by_force(BRIEFLY));
        } else {
            let hangs = open(false);
            let _work = hang([&hangs]);
            is_refused(hangs.close_by_force(BRIEFLY));
        }
        // Without force, nothing is done for others.
        idle.close().unwrap();
        assert_ne!(runtime::sweep(Some(BRIEFLY)).len(), 0);
        let next = open(false);
        assert_eq!(next.close_by_force(BRIEFLY).unwrap(), [""; 0]);
        sweep();
        nothing_fails();
        works_anew();
        drop((idle, next));
        alone.assert_nothing_lives();
    }
}

/// It is idle, but nobody has noticed that it was dropped.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_dropped_runtime_that_is_idle_does_not_keep_the_last_one_from_recovering_the_device() {
    let alone = alone_on_three();
    let [hangs, dropped, idle] = [false, false, true].map(open);
    let work = hang([&hangs]);
    is_refused(hangs.close_by_force(BRIEFLY));
    drop(dropped);
    assert_eq!(idle.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    hangs.close().unwrap();
    nothing_fails();
    works_anew();
    drop((work, hangs, idle));
    sweep();
    alone.assert_nothing_lives();
}

/// The one that hangs waits for the other one meanwhile, on another thread.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_runtime_that_hangs_and_idle_ones_are_closed_by_force_at_a_time() {
    let alone = alone_on_three();
    for _ in 0..8 {
        let runtimes = [false, true, false].map(open);
        let work = hang([&runtimes[0]]);
        let together = Barrier::new(runtimes.len());
        thread::scope(|scope| {
            for runtime in &runtimes {
                scope.spawn(|| {
                    together.wait();
                    drop(runtime.close_by_force(Duration::from_secs(1)).map_err(|error| {
                        assert!(matches!(error, CloseError::Closing | CloseError::Teardown { .. }), "{error}")
                    }));
                });
            }
        });
        runtimes.iter().for_each(|runtime| assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), [""; 0]));
        nothing_fails();
        drop((runtimes, work));
        sweep();
        works_anew();
        alone.assert_nothing_lives();
    }
}

/// A `Device` is another user like a runtime: in use it is not disturbed, and after its recovery was refused it is
/// given up.
#[proves(DEV_08)]
#[test]
fn a_device_in_use_is_not_reset_by_an_idle_runtime_and_one_that_is_given_up_is_no_reason_to_refuse() {
    let alone = alone_on_three();
    let [hangs, idle, later] = [false, false, false].map(open);
    let work = hang([&hangs]);
    is_refused(hangs.close_by_force(BRIEFLY));
    let acl = Acl::init(library()).unwrap();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, DEVICE).unwrap();
    drop(thread);
    assert_eq!(idle.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    is_refused(hangs.close_by_force(BRIEFLY));
    let mut thread = Thread::new().unwrap();
    let refused = device.recover(&mut thread, BRIEFLY).unwrap_err();
    assert!(matches!(refused.error, Error::DeviceShared { .. }), "{}", refused.error);
    drop(thread);
    assert_eq!(later.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    hangs.close().unwrap();
    let mut thread = Thread::new().unwrap();
    assert!(matches!(refused.value.recover(&mut thread, BRIEFLY), Ok(Recovered::Reset { lost }) if lost.is_empty()));
    drop(thread);
    acl.close().unwrap();
    nothing_fails();
    works_anew();
    drop((work, hangs, idle, later));
    sweep();
    alone.assert_nothing_lives();
}

/// The reset ends what all of them have, and the others are not yet closed: one is dropped, and one still has its name.
#[proves(DEV_08, DEV_09)]
#[test]
fn what_is_lost_is_returned_also_while_others_that_gave_the_device_up_are_left() {
    let alone = alone_on_three();
    let [first, second, dropped] = [true, true, false].map(open);
    let work = hang([&first, &second, &dropped]);
    is_refused(first.close_by_force(BRIEFLY));
    drop(dropped);
    // It is tried, and stays given up.
    assert_ne!(runtime::sweep(Some(BRIEFLY)).len(), 0);
    let lost = second.close_by_force(BRIEFLY).unwrap();
    assert_eq!(lost.len(), 2 * lost_with(true), "{lost:?}");
    nothing_fails();
    assert_eq!(first.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    sweep();
    works_anew();
    drop((work, first, second));
    sweep();
    alone.assert_nothing_lives();
}
