//! To which set of a device a reset belongs.

use super::support::*;
use ascendcl_rules::*;

/// Threads 1, 3 and 2 set device 1, in this order. Two of them end, and thread 0 resets the device once.
fn two_end(ends: [u64; 2]) -> Vec<RuleId> {
    broken(|p| {
        [1, 3, 2].iter().for_each(|thread| p.on(*thread).set(1));
        ends.iter().for_each(|thread| p.on(*thread).end_thread());
        p.on(0).call("aclrtResetDevice", Object::device(1), Op::Reset);
        p.reset(0);
        p.finalise();
    })
}

#[test]
fn a_reset_by_a_thread_without_a_set_belongs_to_the_oldest_one_also_of_threads_that_have_ended() {
    // The set of thread 1 is the oldest, so thread 3 still has its own.
    assert_eq!(two_end([1, 2]), [DEV_06]);
    assert_eq!(two_end([2, 1]), [DEV_06], "whichever ends first");
    // The set of thread 3 is older than that of thread 2, which has ended.
    let older = broken(|p| {
        [3, 2].iter().for_each(|thread| p.on(*thread).set(1));
        p.on(2).end_thread();
        p.on(0).call("aclrtResetDevice", Object::device(1), Op::Reset);
        p.reset(0);
        p.finalise();
    });
    assert_eq!(older, []);
}

#[test]
fn a_reset_belongs_to_a_set_of_its_own_thread_first() {
    let run = |resets: u64| {
        move |p: &mut Program| {
            p.on(1).set(0);
            p.on(resets).reset(0);
            p.on(1).end_thread();
            p.on(0).finalise();
        }
    };
    // Thread 1 takes back its own set, and that of thread 0 is left.
    breaks(DEV_06, run(1), run(0));
}
