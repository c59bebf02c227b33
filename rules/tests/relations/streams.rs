//! The life of streams, and callbacks on them.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn a_stream_ends_once_and_idle() {
    breaks(
        STREAM_08,
        |p| {
            let s = p.stream();
            p.destroy(s);
            p.destroy(s);
        },
        |p| {
            let s = p.stream();
            p.destroy(s);
        },
    );
    breaks(
        STREAM_08,
        |p| {
            let s = p.stream();
            p.destroy(s);
            p.work(s);
        },
        |p| {
            let s = p.stream();
            p.work(s);
        },
    );
    breaks(
        STREAM_05,
        |p| {
            let s = p.stream();
            p.work(s);
            p.destroy(s);
        },
        |p| {
            let s = p.stream();
            p.work(s);
            p.sync(s);
            p.destroy(s);
        },
    );
    breaks(STREAM_02, |p| p.destroy(Object::stream(0)), |p| p.sync(Object::stream(0)));
}

#[test]
fn the_handle_of_a_default_stream_is_the_default_stream() {
    let ask = |p: &mut Program| {
        let event = p.event("aclrtCtxGetCurrentDefaultStream", Object::stream(0), Op::AskDefaultStream);
        p.see(&event, Outcome::Created(0x77));
    };
    breaks(
        STREAM_02,
        |p| {
            ask(p);
            p.destroy(Object::stream(0x77));
        },
        |p| {
            ask(p);
            p.work(Object::stream(0x77));
        },
    );
    // What is queued by the one name is awaited by the other.
    breaks(
        MEM_02,
        |p| {
            ask(p);
            let (a, b) = (p.malloc(64), p.malloc(64));
            p.copy(a, b, Object::stream(0));
            p.free(a);
        },
        |p| {
            ask(p);
            let (a, b) = (p.malloc(64), p.malloc(64));
            p.copy(a, b, Object::stream(0));
            p.sync(Object::stream(0x77));
            p.free(a);
        },
    );
}

#[test]
fn nobody_uses_a_stream_while_it_is_destroyed() {
    let misuse = |p: &mut Program| {
        let stream = p.stream();
        p.on(1).set(0);
        let wait = p.event("aclrtSynchronizeStream", stream, Op::Synchronize);
        p.begin(&wait);
        p.on(0).destroy(stream);
        p.checker.commit(&wait, Outcome::Success);
    };
    let repaired = |p: &mut Program| {
        let stream = p.stream();
        p.on(1).set(0);
        p.sync(stream);
        p.on(0).destroy(stream);
    };
    breaks(STREAM_07, misuse, repaired);
}

#[test]
fn discarded_work_is_awaited_by_nobody() {
    let run = |p: &mut Program, synced: bool| {
        let (a, b, event) = (p.stream(), p.stream(), p.mark());
        p.work(a);
        p.record(event, a);
        p.wait(b, event);
        if synced {
            p.sync(b);
        }
        p.call("aclrtStreamAbort", a, Op::Abort);
    };
    breaks(STREAM_17, |p| run(p, false), |p| run(p, true));
}

#[test]
fn waiting_for_a_persistent_stream_waits_for_nothing() {
    let persistent = |p: &mut Program, yes: bool| {
        let mut event = p.event("aclrtCreateStreamWithConfig", Object::stream(0), Op::Create);
        if yes {
            event = event.flag(Flag::Persistent);
        }
        p.see(&event, Outcome::Created(0x99));
        p.sync(Object::stream(0x99));
    };
    breaks(STREAM_13, |p| persistent(p, true), |p| persistent(p, false));
}

#[test]
fn callbacks_have_a_thread_and_one_mechanism() {
    breaks(
        CB_02,
        |p| {
            let s = p.stream();
            p.launch(s, Op::LaunchCallback);
        },
        |p| {
            let s = p.stream();
            p.subscribe(s);
            p.launch(s, Op::LaunchCallback);
        },
    );
    breaks(
        CB_03,
        |p| {
            let s = p.stream();
            p.subscribe(s);
            p.launch(s, Op::LaunchHostFunction);
        },
        |p| {
            let s = p.stream();
            p.launch(s, Op::LaunchHostFunction);
        },
    );
    breaks(
        CB_04,
        |p| {
            let s = p.stream();
            p.subscribe(s);
            p.subscribe(s);
        },
        |p| {
            let s = p.stream();
            p.subscribe(s);
        },
    );
    let unsubscribe = |p: &mut Program, synced: bool, run: bool| {
        let stream = p.stream();
        p.subscribe(stream);
        let callback = p.launch(stream, Op::LaunchCallback);
        if synced {
            p.sync(stream);
        }
        if run {
            p.callback_begins(callback);
        }
        p.call("aclrtUnSubscribeReport", stream, Op::Unsubscribe);
    };
    breaks(CB_06, |p| unsubscribe(p, false, true), |p| unsubscribe(p, true, true));
    breaks(CB_06, |p| unsubscribe(p, true, false), |p| unsubscribe(p, true, true));
}

#[test]
fn a_callback_calls_nothing() {
    let calls: [fn(&mut Program, Object); 4] = [
        |p, s| p.sync(s),
        |p, s| p.work(s),
        |p, _| {
            p.malloc(64);
        },
        |p, _| p.sync_device(),
    ];
    for call in calls {
        breaks(
            CB_01,
            |p| {
                let s = p.stream();
                p.inside(s, |p| call(p, s));
            },
            |p| {
                let s = p.stream();
                call(p, s);
            },
        );
    }
}

#[test]
fn a_callback_runs_no_model_and_ends_nothing_that_has_work() {
    let load = |p: &mut Program, inside: bool| {
        let s = p.stream();
        let load = |p: &mut Program| {
            p.load(None, None);
        };
        if inside { p.inside(s, load) } else { load(p) }
    };
    breaks(CB_01, |p| load(p, true), |p| load(p, false));
    let destroy = |p: &mut Program, inside: bool| {
        let (s, other) = (p.stream(), p.stream());
        if inside { p.inside(s, |p| p.destroy(other)) } else { p.destroy(other) }
    };
    breaks(CB_01, |p| destroy(p, true), |p| destroy(p, false));
    // An event has no work of its own.
    let event = |p: &mut Program| {
        let (s, mark) = (p.stream(), p.mark());
        p.inside(s, |p| p.destroy(mark));
    };
    assert_eq!(broken(event), []);
}

#[test]
fn a_callback_tells_that_the_work_before_it_is_over() {
    let run = |p: &mut Program, after: bool| {
        let (stream, a, b) = (p.stream(), p.malloc(64), p.malloc(64));
        let first = p.launch(stream, Op::LaunchHostFunction);
        p.copy(a, b, stream);
        let second = p.launch(stream, Op::LaunchHostFunction);
        p.callback_begins(if after { second } else { first });
        p.free(a);
    };
    breaks(MEM_02, |p| run(p, false), |p| run(p, true));
}

/// A service makes a stream for each request, and one stream waits for all of them.
#[test]
fn the_work_of_streams_that_ended_is_forgotten() {
    let mut program = Program::new();
    program.init();
    program.set(0);
    let (waits, event) = (program.stream(), program.mark());
    for _ in 0..20 {
        let stream = program.stream();
        program.work(stream);
        program.record(event, stream);
        program.wait(waits, event);
        program.sync(stream);
        program.destroy(stream);
    }
    program.sync(waits);
    assert!(program.findings.is_empty(), "{}", program.findings[0]);
    let state = format!("{:?}", program.checker);
    let clocks = state.split("Clock({").skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.matches(':').count()));
    let longest = clocks.max().unwrap();
    assert!(longest <= 2, "a clock knows {longest} streams, and there is one");
}

#[test]
fn a_wait_is_for_the_record_that_was_there_when_it_was_queued() {
    let run = |then: &dyn Fn(&mut Program, [Object; 3], Object)| {
        broken(|p| {
            let (streams, event) = ([p.stream(), p.stream(), p.stream()], p.mark());
            let [a, b, _] = streams;
            p.record(event, a);
            p.wait(b, event);
            then(p, streams, event);
            p.call("aclrtStreamAbort", a, Op::Abort);
        })
    };
    assert_eq!(run(&|_, _, _| ()), [STREAM_17]);
    let recorded_again = |p: &mut Program, [a, _, _]: [Object; 3], event: Object| {
        p.sync(a);
        p.work(a);
        p.record(event, a);
    };
    assert_eq!(run(&recorded_again), [], "the other stream waited for the first record");
    assert_eq!(run(&|p, [_, _, c], event| p.record(event, c)), [STREAM_17]);
    assert_eq!(run(&|p, _, event| p.destroy(event)), [STREAM_17]);
    let refused = broken(|p| {
        let (a, b, event) = (p.stream(), p.stream(), p.mark());
        p.record(event, a);
        let wait = p.event("aclrtStreamWaitEvent", event, Op::Await).using(Use::Queue(b));
        p.see(&wait, Outcome::Refused);
        p.call("aclrtStreamAbort", a, Op::Abort);
    });
    assert_eq!(refused, []);
}

#[test]
fn the_end_of_a_stream_that_waits_tells_nothing_of_what_it_waits_for() {
    let run = |ends: &dyn Fn(&mut Program, Object)| {
        broken(|p| {
            let (m, host, a, b, event) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream(), p.mark());
            p.copy(m, host, a);
            p.record(event, a);
            p.wait(b, event);
            ends(p, b);
            p.free(m);
        })
    };
    assert_eq!(run(&|p, b| p.call("aclrtStreamAbort", b, Op::Abort)), [MEM_02]);
    assert_eq!(run(&|p, b| p.call("aclrtDestroyStreamForce", b, Op::DestroyForce)), [MEM_02]);
    assert_eq!(run(&|p, b| p.sync(b)), []);
}

#[test]
fn a_stream_whose_work_two_threads_could_not_queue_is_idle() {
    let run = |outcomes: [Outcome; 2]| {
        broken(|p| {
            let stream = p.stream();
            p.on(1).choose(Object::context(1000));
            let [first, last] = [0, 1].map(|thread| {
                let work = p.on(thread).event("aclrtMemsetAsync", stream, Op::Use).using(Use::Queue(stream));
                p.begin(&work);
                work
            });
            p.checker.commit(&first, outcomes[0]);
            p.checker.commit(&last, outcomes[1]);
            p.on(0).destroy(stream);
        })
    };
    assert_eq!(run([Outcome::Refused; 2]), []);
    assert_eq!(run([Outcome::Success, Outcome::Refused]), [STREAM_05]);
    assert_eq!(run([Outcome::Refused, Outcome::Success]), [STREAM_05]);
}

#[test]
fn the_handle_of_a_default_stream_ends_with_its_context() {
    let found = findings(|p| {
        let context = p.new_context(0);
        let event = p.event("aclrtCtxGetCurrentDefaultStream", Object::stream(0), Op::AskDefaultStream);
        p.see(&event, Outcome::Created(0x77));
        p.destroy_context(context);
        p.choose(Object::context(1000));
        p.work(Object::stream(0x77));
    });
    let told: Vec<_> = found.iter().map(|finding| (finding.rule, finding.found.contains("after it ended"))).collect();
    assert_eq!(told, [(CTX_10, true)], "{found:?}");
    assert!(!found[0].fix.contains("destroy"), "{}", found[0]);
}
