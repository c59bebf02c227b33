//! Threads whose current context ended, and who is told.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn a_thread_without_a_context_waits_for_no_device() {
    let run = |sets: bool| {
        move |p: &mut Program| {
            p.on(1);
            if sets {
                p.set(0);
            }
            p.sync_device();
        }
    };
    breaks(THREAD_01, run(false), run(true));
}

#[test]
fn a_call_after_the_end_of_its_context_names_what_ended_it() {
    let after = |ends: &dyn Fn(&mut Program)| {
        broken(|p| {
            ends(p);
            p.stream();
        })
    };
    assert_eq!(after(&|p| p.reset(0)), [DEV_04]);
    let destroyed = |p: &mut Program| {
        let context = p.new_context(0);
        p.destroy_context(context);
    };
    assert_eq!(after(&destroyed), [CTX_09]);
}

#[test]
fn one_thread_resets_a_device_by_force_for_all_threads_that_have_set_it() {
    let force = |p: &mut Program| p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
    let run = |again: bool| {
        move |p: &mut Program| {
            p.on(1).set(0);
            force(p.on(0));
            if again {
                force(p.on(1));
            }
        }
    };
    breaks(DEV_08, run(true), run(false));
    // Thread 0 has set it, and thread 1 ends it in its place.
    assert_eq!(broken(|p| force(p.on(1))), []);
    let twice = |p: &mut Program| {
        force(p.on(0));
        force(p.on(0));
    };
    assert_eq!(broken(twice), [DEV_07]);
}

#[test]
fn threads_whose_context_another_one_destroyed_are_told_once() {
    let found = findings(|p| {
        let context = p.new_context(0);
        p.on(1).choose(context);
        p.on(2).choose(context);
        p.on(0).destroy_context(context);
        p.on(1).stream();
        p.on(2).stream();
    });
    let told: Vec<_> = found.iter().map(|finding| (finding.rule, finding.call.thread)).collect();
    // The finding about the end of the context is about every thread that has it.
    assert_eq!(told, [(CTX_11, Thread(0))]);
}

#[test]
fn a_context_that_ended_is_neither_chosen_nor_destroyed() {
    let after_reset = |p: &mut Program| {
        p.reset(0);
        Object::context(1000)
    };
    let after_destroy = |p: &mut Program| {
        let context = p.new_context(0);
        p.destroy_context(context);
        context
    };
    let then = |ends: &dyn Fn(&mut Program) -> Object, op: Op| {
        let found = findings(|p| {
            let context = ends(p);
            p.call("aclrtSetCurrentContext", context, op);
        });
        let what = if op == Op::Destroy { "a context is destroyed after" } else { "a context is made current after" };
        found
            .into_iter()
            .filter(|finding| finding.found.starts_with(what))
            .map(|finding| finding.rule)
            .collect::<Vec<_>>()
    };
    assert_eq!(then(&after_reset, Op::MakeCurrent), [CTX_06]);
    assert_eq!(then(&after_reset, Op::Destroy), [CTX_03]);
    assert_eq!(then(&after_destroy, Op::MakeCurrent), [CTX_03]);
    assert_eq!(then(&after_destroy, Op::Destroy), [CTX_03]);
}

#[test]
fn a_thread_does_not_wait_for_callbacks_that_only_it_runs() {
    let run = |own: bool| {
        move |p: &mut Program| {
            let stream = p.stream();
            p.subscribe(stream);
            p.launch(stream, Op::LaunchCallback);
            let wait = p.event("aclrtSynchronizeStream", stream, Op::GiveUp);
            p.see(&if own { wait.flag(Flag::OwnCallback) } else { wait }, Outcome::Success);
        }
    };
    breaks(CB_05, run(true), run(false));
}

#[test]
fn a_default_context_that_is_destroyed_is_one_finding_whatever_other_threads_have() {
    let found = broken(|p| {
        p.on(1).set(0);
        p.on(0).call("aclrtDestroyContext", Object::context(1000), Op::Destroy);
    });
    assert_eq!(found, [CTX_02]);
}

#[test]
fn a_thread_whose_context_another_one_ended_is_told_at_its_first_call() {
    let run = |reset: bool, chooses: bool| {
        broken(|p| {
            let context = if reset { Object::context(1000) } else { p.new_context(0) };
            let first = p.on(1);
            first.choose(context);
            p.on(2).choose(context);
            if reset {
                p.on(0).call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
            } else {
                p.on(0).destroy_context(context);
            }
            let stream = p.on(2).event("aclrtCreateStream", Object::stream(0), Op::Create);
            p.see(&stream, Outcome::Refused);
            if chooses {
                p.choose(context);
            }
            let malloc = p.event("aclrtMalloc", Object::memory(0), Op::Allocate);
            p.see(&malloc, Outcome::Refused);
        })
    };
    assert_eq!(run(false, false), [CTX_11]);
    assert_eq!(run(true, false), [DEV_08]);
    // What the thread tries then is the same mistake.
    assert_eq!(run(true, true), [DEV_08]);
}
