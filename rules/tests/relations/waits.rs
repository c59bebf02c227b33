//! What is over after a wait, an abort or the end of a stream, and what is not.

use super::graphs::replay;
use super::support::*;
use ascendcl_rules::*;

fn persistent(p: &mut Program) -> Object {
    let event = p.event("aclrtCreateStreamWithConfig", Object::stream(0), Op::Create).flag(Flag::Persistent);
    p.create(&event)
}

/// Asks whether the waits of streams for the event are over. They are.
fn waits_are_over(p: &mut Program, mark: Object) {
    let event = p.event("aclrtQueryEventWaitStatus", mark, Op::Query).flag(Flag::OfWaits);
    p.see(&event, Outcome::Success);
}

/// A stream that has copied to a block, and an event behind that.
fn copied(p: &mut Program) -> (Object, Object, Object) {
    let (a, h, stream, mark) = (p.malloc(64), p.malloc_host(64), p.stream(), p.mark());
    p.copy(a, h, stream);
    p.record(mark, stream);
    (a, stream, mark)
}

#[test]
fn a_persistent_stream_tells_nothing_of_what_it_waits_for() {
    let run = |then: &dyn Fn(&mut Program, Object)| {
        broken(|p| {
            let (a, _, mark) = copied(p);
            let stream = persistent(p);
            p.wait(stream, mark);
            then(p, stream);
            p.free(a);
        })
    };
    assert_eq!(run(&|p, stream| p.sync(stream)), [STREAM_13, MEM_02]);
    assert_eq!(run(&|p, stream| p.destroy(stream)), [MEM_02]);
    // Its waits are over only for the model that it belongs to, so nobody is left waiting.
    let aborted = broken(|p| {
        let (_, other, mark) = copied(p);
        let stream = persistent(p);
        p.wait(stream, mark);
        p.call("aclrtStreamAbort", other, Op::Abort);
    });
    assert_eq!(aborted, []);
}

#[test]
fn a_stream_that_ends_with_its_context_was_waited_for() {
    let run = broken(|p| {
        let stream = p.stream();
        p.new_context(0);
        let (a, _, mark) = copied(p);
        p.choose(Object::context(1000));
        p.wait(stream, mark);
        p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
        p.set(0);
        p.free(a);
    });
    assert_eq!(run, []);
}

#[test]
fn waits_that_are_over_are_those_for_the_event() {
    let run = |then: &dyn Fn(&mut Program, Object)| {
        broken(|p| {
            let (_, _, other) = copied(p);
            let (a, _, mark) = copied(p);
            let streams = [0; 2].map(|_| p.stream());
            p.wait(streams[0], other);
            p.wait(streams[1], mark);
            then(p, streams[1]);
            waits_are_over(p, other);
            p.free(a);
        })
    };
    assert_eq!(run(&|_, _| {}), [MEM_02], "the waits for another event");
    let discarded = |discards: bool| {
        broken(|p| {
            let (a, _, mark) = copied(p);
            let stream = p.stream();
            p.wait(stream, mark);
            if discards {
                p.call("aclrtDestroyStreamForce", stream, Op::DestroyForce);
            }
            waits_are_over(p, mark);
            p.free(a);
        })
    };
    assert_eq!(discarded(false), []);
    assert_eq!(discarded(true), [MEM_02], "its wait was discarded");
    // The record is over, which says nothing about the stream that waits for it behind other work.
    let behind = broken(|p| {
        let (_, recording, mark) = copied(p);
        let (b, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        p.copy(b, h, stream);
        p.wait(stream, mark);
        p.sync(recording);
        let (_, _, another) = copied(p);
        let third = p.stream();
        p.wait(third, another);
        waits_are_over(p, mark);
        p.free(b);
    });
    assert_eq!(behind, []);
}

/// The waits of a third stream are over, so is what the second one had waited for when it recorded the event.
#[test]
fn waits_that_are_over_come_after_what_the_recording_stream_had_waited_for() {
    let run = |second_waits: bool| {
        broken(|p| {
            let (a, _, first) = copied(p);
            let (streams, second) = ([0; 2].map(|_| p.stream()), p.mark());
            if second_waits {
                p.wait(streams[0], first);
            }
            p.record(second, streams[0]);
            if !second_waits {
                p.wait(streams[0], first);
            }
            p.wait(streams[1], second);
            waits_are_over(p, second);
            p.free(a);
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [MEM_02], "it has waited after the record");
    // A stream that waits for something unknown may come after any work.
    let unknown = |records: bool| {
        broken(|p| {
            let (a, _, _) = copied(p);
            let ([fenced, other], mark) = ([0; 2].map(|_| p.stream()), p.mark());
            if records {
                p.fence(fenced);
            }
            p.record(mark, fenced);
            p.wait(other, mark);
            waits_are_over(p, mark);
            p.free(a);
        })
    };
    assert_eq!(unknown(true), []);
    assert_eq!(unknown(false), [MEM_02]);
}

/// What is said when the work is discarded that events record.
fn aborted(waits: impl FnOnce(&mut Program, Object, [Object; 2], [Object; 2])) -> Vec<(String, Vec<Object>)> {
    let found = findings(|p| {
        let (recording, streams, marks) = (p.stream(), [0; 2].map(|_| p.stream()), [0; 2].map(|_| p.mark()));
        marks.iter().for_each(|mark| p.record(*mark, recording));
        waits(p, recording, streams, marks);
        p.call("aclrtStreamAbort", recording, Op::Abort);
    });
    let of = |finding: &Finding| {
        assert_eq!(finding.rule, STREAM_17, "{finding}");
        let call = finding.contradicts.as_ref().map(|(call, _)| call.number).unwrap_or_default();
        (call.to_string(), finding.objects.iter().map(|about| about.object).collect())
    };
    found.iter().map(of).collect()
}

#[test]
fn discarded_work_is_told_with_the_last_wait_of_a_stream_for_an_event() {
    /// Initialisation, set, three streams, two events and two records come before.
    const FIRST: u64 = 10;
    let run = |waits: &dyn Fn(&mut Program, Object, [Object; 2], [Object; 2])| {
        let said = aborted(waits);
        said.into_iter().map(|(call, objects)| (call.parse::<u64>().unwrap() - FIRST, objects)).collect::<Vec<_>>()
    };
    let calls = |said: Vec<(u64, Vec<Object>)>| said.into_iter().map(|(call, _)| call).collect::<Vec<_>>();
    // Twice for one event: the second wait stands for both.
    let twice = run(&|p, _, streams, marks| (0..2).for_each(|_| p.wait(streams[0], marks[0])));
    assert_eq!(calls(twice), [1]);
    // For two events: the query for the waits of each is answered by itself.
    let two = run(&|p, _, streams, marks| marks.iter().for_each(|mark| p.wait(streams[0], *mark)));
    assert_eq!(calls(two), [0]);
    // The first event is destroyed in between.
    let destroyed = run(&|p, _, streams, marks| {
        p.wait(streams[0], marks[0]);
        p.destroy(marks[0]);
        p.wait(streams[0], marks[1]);
    });
    assert_eq!(calls(destroyed), [2]);
    // Two streams wait for one event, and the first still does.
    let both = run(&|p, _, streams, marks| streams.iter().for_each(|stream| p.wait(*stream, marks[0])));
    assert_eq!(calls(both), [0]);
    // The event has another record by now, of another stream.
    let recorded = run(&|p, _, streams, marks| {
        p.wait(streams[0], marks[0]);
        p.record(marks[0], streams[1]);
        p.wait(streams[0], marks[0]);
    });
    assert_eq!(calls(recorded), [0]);
    // A stream that waits for its own record, one that waits for another stream, and one whose wait was discarded.
    assert_eq!(run(&|p, recording, _, marks| p.wait(recording, marks[0])), []);
    let other = run(&|p, _, streams, _| {
        let mark = p.mark();
        p.record(mark, streams[0]);
        p.wait(streams[1], mark);
    });
    assert_eq!(other, []);
    let gone = run(&|p, _, streams, marks| {
        p.wait(streams[0], marks[0]);
        p.call("aclrtStreamAbort", streams[0], Op::Abort);
    });
    assert_eq!(gone, []);
    // Another wait is added, and the first goes on.
    let later = run(&|p, _, streams, marks| {
        p.wait(streams[0], marks[0]);
        let mark = p.mark();
        p.record(mark, streams[0]);
        p.wait(streams[1], mark);
    });
    assert_eq!(calls(later), [0]);
}

/// A stream waits in vain; then an event is recorded, perhaps behind a wait for something unknown.
fn in_vain(fenced: bool, then: impl FnOnce(&mut Program, Object)) -> Vec<RuleId> {
    broken(|p| {
        let (stream, recording, mark) = (p.stream(), p.stream(), p.mark());
        p.wait(stream, mark);
        if fenced {
            p.fence(recording);
        }
        p.record(mark, recording);
        then(p, stream);
    })
}

#[test]
fn a_wait_in_vain_takes_over_what_the_next_record_stands_for() {
    let after = |p: &mut Program, stream: Object| {
        let (a, h, other) = (p.malloc(64), p.malloc_host(128), p.stream());
        p.copy(a, h, other);
        p.copy(a, Object::memory(h.number + 64), stream);
    };
    assert_eq!(in_vain(false, after), [EVENT_05, STREAM_04]);
    assert_eq!(in_vain(true, after), [EVENT_05], "the record may come after any work");
    // Two streams wait, and the work of one is discarded.
    let two = broken(|p| {
        let (streams, recording, mark) = ([0; 2].map(|_| p.stream()), p.stream(), p.mark());
        streams.iter().for_each(|stream| p.wait(*stream, mark));
        p.call("aclrtStreamAbort", streams[0], Op::Abort);
        let (a, h) = (p.malloc(64), p.malloc_host(128));
        p.copy(a, h, recording);
        p.record(mark, recording);
        p.copy(a, Object::memory(h.number + 64), streams[1]);
    });
    assert_eq!(two, [EVENT_05, EVENT_05]);
}

#[test]
fn work_that_is_queued_while_another_thread_discards_is_the_streams_own() {
    let run = broken(|p| {
        p.on(1).set(0);
        let (a, h, stream) = (p.on(0).malloc(64), p.malloc_host(64), p.stream());
        p.work(stream);
        let discards = p.event("aclrtStreamAbort", stream, Op::Abort);
        p.begin(&discards);
        p.on(1).copy(a, h, stream);
        p.checker.commit(&discards, Outcome::Success);
        p.copy(a, h, stream);
    });
    assert_eq!(run, []);
}

#[test]
fn a_stream_that_waits_for_something_unknown_is_behind_all_work_at_once() {
    let run = broken(|p| {
        let streams = [0; 2].map(|_| p.stream());
        p.work(streams[1]);
        p.fence(streams[0]);
        let event = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create);
        let graph = p.create(&event.using(memory(Object::memory(0), 0, Access::Read, Role::Instruction, None)));
        let replays = p.event("aclmdlRIExecuteAsync", graph, Op::Replay).using(Use::Queue(streams[0]));
        assert_eq!(p.checker.queues_own_code_behind(&replays, &[streams[1]]), [streams[1]]);
        replay(p, graph, streams[0]);
    });
    assert_eq!(run, []);
}

#[test]
fn a_wait_that_is_given_up_would_have_told_that_the_work_is_over() {
    let run = |refused: bool| {
        broken(|p| {
            let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            p.subscribe(stream);
            p.copy(a, h, stream);
            let wait = p.event("aclrtSynchronizeStream", stream, Op::GiveUp);
            if refused {
                p.see(&wait.flag(Flag::OwnCallback), Outcome::Refused);
            }
            p.free(a);
        })
    };
    assert_eq!(run(true), [CB_05]);
    assert_eq!(run(false), [MEM_02]);
}

/// What is waited for waits itself for something unknown, so it may come after work that is queued later.
#[test]
fn waits_that_are_over_may_come_after_work_that_was_queued_behind_them() {
    let run = |fenced: bool, records: bool| {
        broken(|p| {
            let ([recording, waiting], mark) = ([0; 2].map(|_| p.stream()), p.mark());
            if fenced {
                p.fence(if records { recording } else { waiting });
            }
            p.record(mark, recording);
            p.wait(waiting, mark);
            let (a, _, _) = copied(p);
            waits_are_over(p, mark);
            p.free(a);
        })
    };
    for records in [true, false] {
        assert_eq!(run(true, records), []);
        assert_eq!(run(false, records), [MEM_02]);
    }
}
