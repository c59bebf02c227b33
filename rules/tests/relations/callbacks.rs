//! Callbacks of several streams at a time.

use super::support::*;
use ascendcl_rules::*;

/// A stream with a reporting thread, and a callback that is queued on it.
fn reporting(p: &mut Program) -> (Object, Object) {
    let stream = p.stream();
    p.subscribe(stream);
    (stream, p.launch(stream, Op::LaunchCallback))
}

#[test]
fn a_thread_is_unsubscribed_while_callbacks_of_another_stream_wait() {
    let run = |begins: bool| {
        move |p: &mut Program| {
            let [(stream, callback), _] = [0; 2].map(|_| reporting(p));
            p.sync(stream);
            if begins {
                p.callback_begins(callback);
            }
            p.call("aclrtUnSubscribeReport", stream, Op::Unsubscribe);
        }
    };
    breaks(CB_06, run(false), run(true));
}

#[test]
fn a_stream_that_ends_takes_its_own_callbacks_alone() {
    let run = |before: bool, op: Op| {
        move |p: &mut Program| {
            let (stream, other, block, host) = (p.stream(), p.stream(), p.malloc(64), p.malloc_host(64));
            let copy = |p: &mut Program| p.copy(block, host, stream);
            if before {
                copy(p);
            }
            let callback = p.launch(stream, Op::LaunchHostFunction);
            if !before {
                copy(p);
            }
            p.call("the end", other, op);
            p.callback_begins(callback);
            p.free(block);
        }
    };
    for op in [Op::Destroy, Op::Abort] {
        breaks(MEM_02, run(false, op), run(true, op));
    }
}

#[test]
fn a_stream_with_host_functions_has_no_callbacks_for_a_reporting_thread() {
    let run = |launches: bool| {
        move |p: &mut Program| {
            let stream = p.stream();
            p.launch(stream, Op::LaunchHostFunction);
            if launches {
                p.launch(stream, Op::LaunchCallback);
            }
        }
    };
    breaks(CB_03, run(true), run(false));
}

#[test]
fn a_call_in_a_callback_is_one_finding_beside_those_of_other_mistakes() {
    // The thread of the callback has no context either.
    let without_context = broken(|p| {
        let stream = p.stream();
        p.on(1).inside(stream, |p| p.sync(stream));
    });
    assert_eq!(without_context, [CB_01]);
    let finalised = broken(|p| {
        p.reset(0);
        p.finalise();
        p.on(1).inside(Object::default_stream(1000), |p| {
            p.malloc(64);
        });
    });
    assert_eq!(finalised, [INIT_02, CB_01]);
}

#[test]
fn a_callback_without_a_context_that_calls_the_library_is_one_mistake() {
    let without = broken(|p| {
        let stream = p.stream();
        p.on(1).inside(stream, |p| p.sync(stream));
        p.malloc(64);
    });
    assert_eq!(without, [CB_01]);
    // A thread that has one may lose it later, by another thread.
    let with = broken(|p| {
        p.on(1).choose(Object::context(1000));
        p.inside(Object::default_stream(1000), |p| p.sync(Object::default_stream(1000)));
        p.on(0).reset(0);
        p.on(1).malloc(64);
    });
    assert_eq!(with, [CB_01, DEV_08]);
}

#[test]
fn a_callback_that_chooses_a_context_between_its_calls_is_one_mistake() {
    let chooses = |p: &mut Program| {
        let (stream, context) = (Object::default_stream(1000), Object::context(1000));
        p.on(1).choose(context);
        p.inside(stream, |p| {
            p.sync(stream);
            p.choose(context);
            p.malloc(64);
        });
    };
    assert_eq!(broken(chooses), [CB_01]);
    // Two callbacks are two of them.
    let twice = broken(|p| {
        chooses(p);
        let callback = p.on(0).launch(Object::default_stream(1000), Op::LaunchHostFunction);
        p.on(1).callback_begins(callback);
        p.inside(Object::default_stream(1000), |p| p.sync(Object::default_stream(1000)));
    });
    assert_eq!(twice, [CB_01, CB_01]);
}

#[test]
fn a_callback_that_takes_a_device_and_gives_it_back_is_one_mistake() {
    let found = broken(|p| {
        p.on(1).inside(Object::default_stream(1000), |p| {
            p.set(1);
            let block = p.malloc(64);
            p.free(block);
            p.reset(1);
            p.sync(Object::default_stream(1000));
        });
    });
    assert_eq!(found, [CB_01]);
}
