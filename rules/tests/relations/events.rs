//! Events.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn what_is_waited_for_was_recorded() {
    let wait = |p: &mut Program, recorded: bool| {
        let (stream, other, event) = (p.stream(), p.stream(), p.mark());
        if recorded {
            p.record(event, stream);
        }
        p.wait(other, event);
    };
    breaks(EVENT_05, |p| wait(p, false), |p| wait(p, true));
    let thread = |p: &mut Program, recorded: bool| {
        let (stream, event) = (p.stream(), p.mark());
        if recorded {
            p.record(event, stream);
        }
        p.call("aclrtSynchronizeEvent", event, Op::Synchronize);
    };
    breaks(EVENT_05, |p| thread(p, false), |p| thread(p, true));
}

#[test]
fn an_event_does_what_it_was_created_for() {
    let wait = |p: &mut Program, flags: &[Flag]| {
        let (stream, other, event) = (p.stream(), p.stream(), p.new_event(flags));
        p.record(event, stream);
        p.wait(other, event);
    };
    breaks(EVENT_02, |p| wait(p, &[Flag::Timed]), |p| wait(p, &[Flag::Waitable]));
    let reset = |p: &mut Program, flags: &[Flag]| {
        let (stream, event) = (p.stream(), p.new_event(flags));
        p.record(event, stream);
        p.reset_event(event, stream);
    };
    breaks(EVENT_01, |p| reset(p, &[Flag::Waitable, Flag::Plain]), |p| reset(p, &[Flag::Waitable]));
    breaks(EVENT_02, |p| reset(p, &[Flag::Timed]), |p| reset(p, &[Flag::Waitable]));
    breaks(EVENT_03, |p| reset(p, &[Flag::Waitable, Flag::Ex]), |p| reset(p, &[Flag::Waitable]));
}

#[test]
fn a_reset_leaves_nobody_waiting() {
    let run = |p: &mut Program, synced: bool| {
        let (a, b, event) = (p.stream(), p.stream(), p.mark());
        p.record(event, a);
        p.wait(b, event);
        if synced {
            p.sync(b);
        }
        p.reset_event(event, a);
    };
    breaks(EVENT_10, |p| run(p, false), |p| run(p, true));
}

#[test]
fn time_is_told_between_two_records_of_one_stream() {
    let run = |p: &mut Program, streams: usize, swapped: bool, synced: bool, flags: &[Flag]| {
        let all = [p.stream(), p.stream()];
        let marks = [p.new_event(flags), p.new_event(flags)];
        p.record(marks[0], all[0]);
        p.record(marks[1], all[streams - 1]);
        if synced {
            p.sync_device();
        }
        let [first, last] = if swapped { [marks[1], marks[0]] } else { marks };
        p.elapsed(first, last);
    };
    let timed = &[Flag::Timed];
    let good = |p: &mut Program| run(p, 1, false, true, timed);
    breaks(EVENT_04, |p| run(p, 2, false, true, timed), good);
    breaks(EVENT_04, |p| run(p, 1, true, true, timed), good);
    breaks(EVENT_04, |p| run(p, 1, false, false, timed), good);
    breaks(EVENT_04, |p| run(p, 1, false, true, &[]), good);
}

#[test]
fn time_is_told_when_the_stream_has_gone_since() {
    let run = |synced: bool, destroy: Op| {
        broken(|p| {
            let (stream, first, last) = (p.stream(), p.mark(), p.mark());
            p.record(first, stream);
            p.record(last, stream);
            if synced {
                p.sync(stream);
            }
            p.call("aclrtDestroyStream", stream, destroy);
            p.elapsed(first, last);
        })
    };
    assert_eq!(run(true, Op::Destroy), []);
    // The destroy waits for the work, or discards it.
    assert_eq!(run(false, Op::Destroy), [STREAM_05]);
    assert_eq!(run(false, Op::DestroyForce), []);
}

#[test]
fn an_event_is_destroyed_once_and_unused() {
    breaks(
        EVENT_06,
        |p| {
            let e = p.mark();
            p.destroy(e);
            p.destroy(e);
        },
        |p| {
            let e = p.mark();
            p.destroy(e);
        },
    );
    let run = |p: &mut Program, joined: bool| {
        let (event, stream) = (p.mark(), p.stream());
        p.record(event, stream);
        p.on(1).set(0);
        let wait = p.event("aclrtSynchronizeEvent", event, Op::Synchronize);
        p.begin(&wait);
        if joined {
            p.checker.commit(&wait, Outcome::Success);
        }
        p.on(0).destroy(event);
    };
    breaks(EVENT_06, |p| run(p, false), |p| run(p, true));
    // A waiting stream keeps waiting for the recorded point.
    let awaited = broken(|p| {
        let (a, b, event) = (p.stream(), p.stream(), p.mark());
        p.record(event, a);
        p.wait(b, event);
        p.destroy(event);
    });
    assert_eq!(awaited, []);
}

#[test]
fn a_thread_waits_for_an_event_that_no_stream_may_wait_for() {
    let found = broken(|p| {
        let (stream, event) = (p.stream(), p.new_event(&[Flag::Timed]));
        p.record(event, stream);
        p.call("aclrtSynchronizeEvent", event, Op::Synchronize);
    });
    assert_eq!(found, []);
}

#[test]
fn time_is_told_of_two_events_with_time_stamps_and_a_finding_names_the_last_record() {
    let run = |p: &mut Program, flags: [Flag; 2], synced: bool| {
        let stream = p.stream();
        let [first, last] = flags.map(|flag| p.new_event(&[flag]));
        p.record(first, stream);
        let record = p.event("the last record", last, Op::Record).using(Use::Queue(stream));
        p.see(&record, Outcome::Success);
        if synced {
            p.sync(stream);
        }
        p.elapsed(first, last);
    };
    for flags in [[Flag::Timed, Flag::Waitable], [Flag::Waitable, Flag::Timed]] {
        breaks(EVENT_04, |p| run(p, flags, true), |p| run(p, [Flag::Timed; 2], true));
    }
    let found = findings(|p| run(p, [Flag::Timed; 2], false));
    let named: Vec<_> = found.iter().map(|finding| finding.contradicts.as_ref().unwrap().0.name).collect();
    assert_eq!(named, ["the last record"]);
}

#[test]
fn a_reset_behind_the_waits_for_the_event_leaves_nobody_waiting() {
    let run = |p: &mut Program, back: bool| {
        let (a, b, there, back_again) = (p.stream(), p.stream(), p.mark(), p.mark());
        p.record(there, a);
        p.wait(b, there);
        p.work(b);
        p.record(back_again, b);
        if back {
            p.wait(a, back_again);
        }
        p.reset_event(there, a);
    };
    breaks(EVENT_10, |p| run(p, false), |p| run(p, true));
}

#[test]
fn a_query_for_the_waits_of_streams_shows_that_they_are_over() {
    let run = |p: &mut Program, outcome: Outcome| {
        let (a, b, event) = (p.stream(), p.stream(), p.mark());
        p.record(event, a);
        p.wait(b, event);
        let query = p.event("aclrtQueryEventWaitStatus", event, Op::Query).flag(Flag::OfWaits);
        p.see(&query, outcome);
        p.reset_event(event, a);
    };
    breaks(EVENT_10, |p| run(p, Outcome::NotReady), |p| run(p, Outcome::Success));
    // With them the recorded work is over, and what the waiting stream did before. The query of the event tells nothing of
    // the waits.
    let freed = |waits: bool, queued_before: bool| {
        broken(|p| {
            let (m, host, a, b, event) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream(), p.mark());
            let queue = |p: &mut Program| p.copy(m, host, b);
            if queued_before {
                queue(p);
            }
            p.record(event, a);
            p.wait(b, event);
            if !queued_before {
                queue(p);
            }
            let query = p.event("aclrtQueryEventWaitStatus", event, Op::Query);
            p.see(&if waits { query.flag(Flag::OfWaits) } else { query }, Outcome::Success);
            p.free(m);
        })
    };
    assert_eq!(freed(true, true), []);
    assert_eq!(freed(true, false), [MEM_02]);
    assert_eq!(freed(false, true), [MEM_02]);
}

#[test]
fn a_thread_waits_for_an_event_that_another_process_may_have_recorded() {
    let run = |p: &mut Program, shared: bool| {
        let (m, host, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        let event = p.new_event(if shared { &[Flag::Waitable, Flag::Shared] } else { &[Flag::Waitable] });
        p.copy(m, host, stream);
        p.call("aclrtSynchronizeEvent", event, Op::Synchronize);
        // The other process may have recorded it after this work.
        if shared {
            p.free(m);
        }
    };
    breaks(EVENT_05, |p| run(p, false), |p| run(p, true));
}

/// A wait for such an event does not stop the stream, so nothing that comes later makes it right.
#[test]
fn a_wait_that_has_no_effect_is_found_at_once() {
    for kind in [Flag::Plain, Flag::Ex] {
        let run = |recorded: bool| {
            move |p: &mut Program| {
                let (stream, event) = (p.stream(), p.new_event(&[Flag::Waitable, kind]));
                if recorded {
                    p.record(event, stream);
                }
                p.wait(stream, event);
                assert_eq!(p.findings.len(), usize::from(!recorded));
            }
        };
        breaks(EVENT_05, run(false), run(true));
    }
}

#[test]
fn a_reset_by_a_stream_that_does_not_wait_takes_no_later_record_back() {
    let found = broken(|p| {
        let ([waiting, other], mark) = ([0; 2].map(|_| p.stream()), p.mark());
        p.wait(waiting, mark);
        p.reset_event(mark, other);
        p.record(mark, other);
        p.wait(other, mark);
    });
    assert_eq!(found.iter().filter(|rule| **rule == EVENT_05).count(), 1, "{found:?}");
}

#[test]
fn what_a_wait_for_an_event_without_a_record_is_shows_the_next_call() {
    let mut p = Program::new();
    p.init();
    p.set(0);
    let ([stream, other], mark) = ([0; 2].map(|_| p.stream()), p.mark());
    p.wait(stream, mark);
    let undecided = p.checker.undecided(Thread(0));
    p.work(other);
    let waits: Vec<_> = p.findings.iter().map(|finding| (finding.rule, Some(finding.call.number))).collect();
    assert_eq!(waits, [(EVENT_05, undecided)]);
    assert_eq!(p.checker.undecided(Thread(0)), None);
}
