//! The failures of a stream's work on one thread. `tests/stamps/` has several threads.

use super::timeline::Timeline;

const FAILED: i32 = 507_015;

/// A stream with so many submissions more.
fn submit(timeline: &Timeline, count: usize) {
    for _ in 0..count {
        timeline.clock().count_submission();
    }
}

#[test]
fn a_failure_concerns_the_work_that_its_wait_was_for() {
    let timeline = Timeline::new(1);
    submit(&timeline, 3);
    timeline.succeeded(timeline.covers());
    submit(&timeline, 3);
    assert_eq!(timeline.failure_among(1, 6), None);
    timeline.failed(timeline.covers(), None, FAILED);
    submit(&timeline, 3);
    let among = |since, number| timeline.failure_among(since, number);
    assert_eq!([among(1, 3), among(7, 9)], [None; 2], "a wait before it has succeeded, and later work is not over");
    assert_eq!([among(1, 4), among(4, 4), among(6, 6), among(6, 9)], [Some(FAILED); 4]);
    assert_eq!(among(5, 4), None, "the waiter was told of all up to there");
}

#[test]
fn a_wait_that_fails_is_over_for_the_waits_that_begin_later() {
    let timeline = Timeline::new(1);
    submit(&timeline, 1);
    for code in [None, Some(FAILED)] {
        let mut is_over = false;
        let end = || {
            is_over = true;
            true
        };
        let waited = timeline.wait(None, || Err(()), |_| code, end, || || panic!("nothing was waited for"));
        assert_eq!((waited, is_over), (Err(()), true));
    }
}
