//! Memory that queued work may still use, and what puts uses in order.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn memory_is_freed_when_a_wait_has_told_that_its_work_is_over() {
    let waits: [fn(&mut Program, Object); 5] = [
        |p, stream| p.sync(stream),
        |p, _| p.sync_device(),
        |p, stream| {
            let e = p.mark();
            p.record(e, stream);
            p.call("aclrtSynchronizeEvent", e, Op::Synchronize);
        },
        |p, stream| p.call("aclrtStreamQuery", stream, Op::Query),
        |p, stream| {
            p.on(1).set(0);
            p.sync(stream);
            p.on(0);
        },
    ];
    for wait in waits {
        let run = |p: &mut Program, wait: &dyn Fn(&mut Program, Object)| {
            let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            p.copy(a, h, stream);
            wait(p, stream);
            p.free(a);
            p.free_host(h);
        };
        assert_eq!(broken(|p| run(p, &|_, _| ())), [MEM_02], "the wait is missing once");
        assert_eq!(broken(|p| run(p, &wait)), []);
    }
}

#[test]
fn a_wait_that_tells_nothing_puts_nothing_in_order() {
    let run = |p: &mut Program, op: Op, outcome: Outcome| {
        let (a, b, stream) = (p.malloc(64), p.malloc(64), p.stream());
        p.copy(a, b, stream);
        let wait = p.event("aclrtStreamQuery", stream, op);
        p.see(&wait, outcome);
        p.free(a);
    };
    breaks(MEM_02, |p| run(p, Op::Query, Outcome::NotReady), |p| run(p, Op::Query, Outcome::Success));
    breaks(STREAM_16, |p| run(p, Op::Synchronize, Outcome::TimedOut), |p| run(p, Op::Synchronize, Outcome::Success));
    breaks(MEM_02, |p| run(p, Op::Synchronize, Outcome::Refused), |p| run(p, Op::Synchronize, Outcome::WorkFailed));
}

#[test]
fn a_wait_for_a_device_is_for_the_current_contexts_streams() {
    let run = |p: &mut Program, back: bool| {
        let (a, b, stream) = (p.malloc(64), p.malloc(64), p.stream());
        p.copy(a, b, stream);
        p.new_context(0);
        if back {
            p.choose(Object::context(1000));
        }
        p.sync_device();
        p.free(a);
    };
    breaks(DEV_17, |p| run(p, false), |p| run(p, true));
    let synced = |p: &mut Program, back: bool| {
        let (a, b, stream) = (p.malloc(64), p.malloc(64), p.stream());
        p.copy(a, b, stream);
        p.new_context(0);
        if back {
            p.choose(Object::context(1000));
        }
        p.call("aclrtFreeWithDevSync", a, Op::FreeSynced);
    };
    breaks(DEV_17, |p| synced(p, false), |p| synced(p, true));
}

#[test]
fn a_refused_call_queues_nothing() {
    let found = broken(|p| {
        let (a, b, stream) = (p.malloc(64), p.malloc(64), p.stream());
        let event = p.event("aclrtMemcpyAsync", stream, Op::Use).using(Use::Queue(stream));
        p.see(&event.using(memory(a, 64, Access::Write, Role::Target, None)), Outcome::Refused);
        p.free(a);
        p.free(b);
    });
    assert_eq!(found, []);
}

#[test]
fn a_wait_covers_what_was_queued_before_it_began() {
    let found = broken(|p| {
        let (a, b, stream) = (p.malloc(64), p.malloc(64), p.stream());
        p.on(1).set(0);
        let wait = p.event("aclrtSynchronizeStream", stream, Op::Synchronize);
        p.begin(&wait);
        p.on(0).copy(a, b, stream);
        p.checker.commit(&wait, Outcome::Success);
        p.free(a);
    });
    assert_eq!(found, [MEM_02]);
}

#[test]
fn a_thread_reads_and_writes_what_is_not_in_flight() {
    let own = Object::memory(0x10);
    let run = |p: &mut Program, synced: bool, then: &dyn Fn(&mut Program, Object, Object)| {
        let (m, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        p.copy(m, h, stream);
        if synced {
            p.sync(stream);
        }
        then(p, m, h);
    };
    let cases: [(RuleId, &dyn Fn(&mut Program, Object, Object)); 3] = [
        (COPY_07, &|p, m, _| p.copy(own, m, None)),
        (COPY_04, &|p, m, _| p.copy(m, own, None)),
        (COPY_04, &|p, _, h| p.copy(h, own, None)),
    ];
    for (rule, then) in cases {
        breaks(rule, |p| run(p, false, then), |p| run(p, true, then));
    }
    // Two may read.
    assert_eq!(broken(|p| run(p, false, &|p, _, h| p.copy(own, h, None))), []);
    breaks(
        COPY_03,
        |p| {
            let (m, h, s) = (p.malloc(64), p.malloc_host(64), p.stream());
            p.copy(h, m, s);
            p.copy(own, h, None);
        },
        |p| {
            let (m, h, s) = (p.malloc(64), p.malloc_host(64), p.stream());
            p.copy(h, m, s);
            p.sync(s);
            p.copy(own, h, None);
        },
    );
}

#[test]
fn streams_are_ordered_by_events() {
    let run = |p: &mut Program, wait: bool| {
        let (m, h, a, b) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream());
        let event = p.mark();
        p.copy(m, h, a);
        p.record(event, a);
        if wait {
            p.wait(b, event);
        }
        p.copy(h, m, b);
    };
    breaks(STREAM_04, |p| run(p, false), |p| run(p, true));
    let default = |p: &mut Program, wait: bool| {
        let (m, h, a) = (p.malloc(64), p.malloc_host(64), p.stream());
        p.copy(m, h, a);
        if wait {
            p.sync(a);
        }
        p.copy(h, m, Object::stream(0));
    };
    breaks(STREAM_12, |p| default(p, false), |p| default(p, true));
}

#[test]
fn an_event_stands_for_what_came_before_its_record() {
    let run = |p: &mut Program, late: bool| {
        let (m, h, a, b) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream());
        let event = p.mark();
        if late {
            p.record(event, a);
            p.copy(m, h, a);
        } else {
            p.copy(m, h, a);
            p.record(event, a);
        }
        p.wait(b, event);
        p.copy(h, m, b);
    };
    breaks(STREAM_04, |p| run(p, true), |p| run(p, false));
}

#[test]
fn order_goes_through_streams() {
    let found = broken(|p| {
        let (m, h) = (p.malloc(64), p.malloc_host(64));
        let streams = [p.stream(), p.stream(), p.stream()];
        let marks = [p.mark(), p.mark()];
        p.copy(m, h, streams[0]);
        for (index, mark) in marks.into_iter().enumerate() {
            p.record(mark, streams[index]);
            p.wait(streams[index + 1], mark);
        }
        p.copy(h, m, streams[2]);
        // A wait for the last stream has waited for the first stream's copy.
        p.sync(streams[2]);
        p.free(m);
    });
    assert_eq!(found, []);
}

#[test]
fn parts_of_a_block_are_apart() {
    let run = |p: &mut Program, gap: u64| {
        let (m, h, a, b) = (p.malloc(4096), p.malloc_host(4096), p.stream(), p.stream());
        p.copy(m, h, a);
        p.copy(Object::memory(m.number + gap), h, b);
    };
    breaks(STREAM_04, |p| run(p, 63), |p| run(p, 64));
}

#[test]
fn memory_of_a_destroyed_stream_is_not_in_flight() {
    let found = broken(|p| {
        let (a, b, stream) = (p.malloc(64), p.malloc(64), p.stream());
        p.copy(a, b, stream);
        p.destroy(stream);
        p.free(a);
    });
    assert_eq!(found, [STREAM_05], "destroying waits");
}

/// One wait of a stream for another is missing, whatever follows from that. Work that is queued later needs another wait.
#[test]
fn a_wait_that_lacks_between_two_streams_lacks_once() {
    let run = |first: bool, more: bool, second: bool| {
        broken(|p| {
            let (m, n, last, h) = (p.malloc(64), p.malloc(64), p.malloc(64), p.malloc_host(64));
            let (a, b, e, out) = (p.stream(), p.stream(), p.mark(), p.malloc_host(64));
            let order = |p: &mut Program| {
                p.record(e, a);
                p.wait(b, e);
            };
            p.copy(m, h, a);
            p.copy(n, h, a);
            if first {
                order(p);
            }
            p.copy(out, m, b);
            p.copy(out, n, b);
            if more {
                p.copy(last, h, a);
                if second {
                    order(p);
                }
                p.copy(out, last, b);
            }
        })
    };
    assert_eq!(run(true, true, true), []);
    assert_eq!(run(false, false, false), [STREAM_04]);
    assert_eq!(run(false, true, true), [STREAM_04]);
    assert_eq!(run(true, true, false), [STREAM_04]);
    assert_eq!(run(false, true, false), [STREAM_04, STREAM_04]);
}

/// One wait is missing. Then the memory may be freed and the stream destroyed; but not with work that came since.
#[test]
fn a_wait_that_lacks_before_a_read_lacks_once() {
    let run = |synced: bool, more: bool| {
        broken(|p| {
            let (m, h, other, stream) = (p.malloc(64), p.malloc_host(64), p.malloc(64), p.stream());
            p.copy(m, h, stream);
            if synced {
                p.sync(stream);
            }
            p.copy(other, m, None);
            if more {
                p.copy(m, h, stream);
            }
            p.free(m);
            p.destroy(stream);
        })
    };
    assert_eq!(run(true, false), []);
    assert_eq!(run(false, false), [COPY_07]);
    assert_eq!(run(false, true), [COPY_07, MEM_02]);
    assert_eq!(run(true, true), [MEM_02]);
}

#[test]
fn a_copy_of_pageable_memory_is_over_when_the_call_returns() {
    let run = |p: &mut Program, blocks: bool| {
        let (m, stream) = (p.malloc(64), p.stream());
        let mut event = p.event("aclrtMemcpyAsync", stream, Op::Use).using(Use::Queue(stream));
        if blocks {
            event = event.flag(Flag::Blocks);
        }
        p.see(&event.using(memory(m, 64, Access::Write, Role::Target, None)), Outcome::Success);
        p.free(m);
    };
    breaks(MEM_02, |p| run(p, false), |p| run(p, true));
}

#[test]
fn memory_is_not_freed_while_another_thread_runs_a_model_on_it() {
    let run = |p: &mut Program, joined: bool| {
        let (model, m) = (p.load(None, None), p.malloc(64));
        let (data, _) = p.dataset(m);
        p.on(1).set(0);
        let execute = p.running(model, data, data, None);
        p.begin(&execute);
        if joined {
            p.checker.commit(&execute, Outcome::Success);
        }
        p.on(0).free(m);
    };
    breaks(MODEL_17, |p| run(p, false), |p| run(p, true));
}

#[test]
fn after_a_wait_for_something_unknown_no_order_is_missed() {
    let run = |p: &mut Program, fenced: bool, first: bool| {
        let (m, h, a, b) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream());
        let consume = |p: &mut Program| {
            if fenced {
                p.fence(b);
            }
            p.copy(h, m, b);
        };
        if first {
            consume(p);
            p.copy(m, h, a);
        } else {
            p.copy(m, h, a);
            consume(p);
        }
        p.sync(b);
        p.sync(a);
        p.free(m);
    };
    for first in [false, true] {
        breaks(STREAM_04, |p| run(p, false, first), |p| run(p, true, first));
    }
    // Who waits for the waiting stream alone may know that all is over.
    let freed = |p: &mut Program, fenced: bool| {
        let (m, h, a, b) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream());
        p.copy(m, h, a);
        if fenced {
            p.fence(b);
        }
        p.sync(b);
        p.free(m);
    };
    breaks(MEM_02, |p| freed(p, false), |p| freed(p, true));
    // What stands before the wait is ordered as ever.
    let before = |p: &mut Program, ordered: bool| {
        let (m, h, a, b) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream());
        p.copy(h, m, b);
        p.fence(b);
        if ordered {
            p.sync(b);
        }
        p.copy(m, h, a);
    };
    breaks(STREAM_04, |p| before(p, false), |p| before(p, true));
}
