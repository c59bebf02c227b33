//! What a call was meant to do that was refused for a reported mistake: what follows from that is the same mistake, and what
//! does not is told.

use super::support::*;
use ascendcl_rules::*;

/// Two streams fill one block, and the second one waits for an event that ended early, or in time.
fn in_order(p: &mut Program, early: fn(&mut Program, Object, Object), other: bool) {
    let (a, h, first, second) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream());
    let (b, third) = (p.malloc(64), p.stream());
    let mark = p.mark();
    p.copy(b, h, third);
    p.copy(a, h, first);
    early(p, mark, first);
    let wait = p.event("aclrtStreamWaitEvent", mark, Op::Await).using(Use::Queue(second));
    p.see(&wait, Outcome::Refused);
    p.copy(a, h, second);
    if other {
        // This is in the order of no event.
        p.copy(b, h, second);
    }
    p.sync(second);
    p.sync(first);
    p.sync(third);
}

#[test]
fn a_wait_for_an_event_that_has_ended_is_one_mistake() {
    let run = |early: fn(&mut Program, Object, Object), other: bool| broken(|p| in_order(p, early, other));
    let destroyed = |p: &mut Program, mark: Object, first: Object| {
        p.record(mark, first);
        p.destroy(mark);
    };
    assert_eq!(run(destroyed, false), [EVENT_06]);
    assert_eq!(run(destroyed, true), [EVENT_06, STREAM_04]);
    let recorded_late = |p: &mut Program, mark: Object, first: Object| {
        p.destroy(mark);
        let record = p.event("aclrtRecordEvent", mark, Op::Record).using(Use::Queue(first));
        p.see(&record, Outcome::Refused);
    };
    assert_eq!(run(recorded_late, false), [EVENT_06]);
    assert_eq!(run(recorded_late, true), [EVENT_06, STREAM_04]);
    // What was recorded before the first stream's work orders nothing of that.
    let recorded_early = broken(|p| {
        let (a, h, first, second, mark) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream(), p.mark());
        p.record(mark, first);
        p.copy(a, h, first);
        p.destroy(mark);
        let wait = p.event("aclrtStreamWaitEvent", mark, Op::Await).using(Use::Queue(second));
        p.see(&wait, Outcome::Refused);
        p.copy(a, h, second);
    });
    assert_eq!(recorded_early, [EVENT_06, STREAM_04]);
}

#[test]
fn a_callback_that_the_stream_waits_for_ends_with_the_missing_wait_that_was_told() {
    let run = |op: Op, waits: bool, begins: bool| {
        broken(move |p| {
            let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            p.subscribe(stream);
            p.copy(a, h, stream);
            let launch = p.event("aclrtLaunchCallback", stream, Op::LaunchCallback);
            let callback = Object::callback(p.fresh());
            let launch = launch.using(Use::Queue(stream)).using(Use::With(callback));
            p.see(&if op == Op::Begin { launch.flag(Flag::StreamGoesOn) } else { launch }, Outcome::Success);
            if waits {
                p.sync(stream);
            }
            if begins {
                p.callback_begins(callback);
            }
            p.free_host(h);
            p.call("aclrtUnSubscribeReport", stream, Op::Unsubscribe);
        })
    };
    let (blocks, goes_on) = (Op::LaunchCallback, Op::Begin);
    assert_eq!(run(blocks, false, false), [MEM_02]);
    assert_eq!(run(blocks, true, true), []);
    // No wait tells that such a callback has run.
    assert_eq!(run(goes_on, false, false), [MEM_02, CB_06]);
    assert_eq!(run(goes_on, true, false), [CB_06]);
    assert_eq!(run(goes_on, true, true), []);
}

#[test]
fn a_reset_of_another_device_was_meant_for_the_one_that_is_set() {
    let run = |resets: &'static [u64], sets: &'static [u64]| {
        broken(move |p| {
            sets.iter().for_each(|id| p.set(*id));
            resets.iter().for_each(|id| p.reset(*id));
            p.finalise();
        })
    };
    assert_eq!(run(&[0], &[]), []);
    assert_eq!(run(&[1], &[]), [DEV_07]);
    assert_eq!(run(&[], &[]), [INIT_02]);
    // Two devices are set, and one of them has no reset.
    assert_eq!(run(&[2], &[1]), [DEV_07, INIT_02]);
    assert_eq!(run(&[2, 0], &[1]), [DEV_07]);
    // A second reset of the same device is no other device's.
    assert_eq!(run(&[1, 1], &[1]), [DEV_07, INIT_02]);
    // What is left on the device is told.
    let left = broken(|p| {
        p.malloc_host(64);
        p.reset(1);
        p.finalise();
    });
    assert_eq!(left, [DEV_07, INIT_02]);
}
