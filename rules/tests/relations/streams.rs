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
    let unsubscribe = |p: &mut Program, synced: bool| {
        let stream = p.stream();
        p.subscribe(stream);
        p.launch(stream, Op::LaunchCallback);
        if synced {
            p.sync(stream);
        }
        p.call("aclrtUnSubscribeReport", stream, Op::Unsubscribe);
    };
    breaks(CB_06, |p| unsubscribe(p, false), |p| unsubscribe(p, true));
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
