//! Programs, and threads of them, that go on behind an end that came too early: one mistake, and others beside it.

use super::support::*;
use ascendcl_rules::*;

fn empty_dataset(p: &mut Program) -> Object {
    let event = p.event("aclmdlCreateDataset", Object::dataset(0), Op::Create);
    p.create(&event)
}

/// Thread 1 makes a context of thread 0 current and something there. Then thread 0 ends all.
fn around_a_worker(p: &mut Program, joins: bool, own: fn(&mut Program)) {
    let context = p.new_context(0);
    own(p);
    p.on(1).choose(context);
    let (block, stream, dataset) = (p.malloc(64), p.stream(), empty_dataset(p));
    if joins {
        p.destroy(stream);
        p.free(block);
        p.destroy(dataset);
        p.set(0);
        p.reset(0);
        p.end_thread();
    }
    p.on(0).destroy_context(context);
    p.reset(0);
    p.finalise();
    if !joins {
        p.on(1);
        p.copy(block, Object::memory(1), stream);
        p.destroy(stream);
        p.free(block);
        p.destroy(dataset);
        p.end_thread();
    }
}

#[test]
fn what_a_thread_has_whose_context_was_destroyed_is_left_over_for_that() {
    let run = |joins: bool, own: fn(&mut Program)| broken(|p| around_a_worker(p, joins, own));
    assert_eq!(run(false, |_| {}), [CTX_11]);
    assert_eq!(run(true, |_| {}), []);
    // What the thread that ends all has made is its own mistake.
    let own = |p: &mut Program| {
        p.malloc(64);
    };
    assert_eq!(run(false, own), [CTX_11, MEM_12]);
    assert_eq!(run(true, own), [MEM_12]);
    let own = |p: &mut Program| {
        empty_dataset(p);
    };
    assert_eq!(run(false, own), [CTX_11, INIT_02]);
}

#[test]
fn what_a_thread_has_whose_context_it_destroyed_itself_is_told() {
    let found = broken(|p| {
        p.on(1).new_context(0);
        p.stream();
        p.malloc(64);
        let context = Object::context(p.context().unwrap());
        p.destroy_context(context);
        p.on(0).reset(0);
        p.finalise();
    });
    assert_eq!(found, [CTX_10, MEM_12]);
}

#[test]
fn what_a_thread_has_left_that_has_ended_or_chosen_another_context_is_told() {
    let run = |ends: fn(&mut Program)| {
        broken(|p| {
            let context = p.new_context(0);
            p.on(1).choose(context);
            p.malloc(64);
            p.on(0).destroy_context(context);
            ends(p);
            p.on(0).reset(0);
            p.finalise();
        })
    };
    assert_eq!(run(|_| {}), [CTX_11]);
    assert_eq!(run(|p| p.on(1).end_thread()), [CTX_11, MEM_12]);
    let chooses = |p: &mut Program| {
        p.on(1).set(0);
        p.reset(0);
    };
    assert_eq!(run(chooses), [CTX_11, MEM_12]);
}

#[test]
fn a_program_that_uses_what_a_finalisation_has_left_over_was_finalised_too_early() {
    let run = |uses: bool| {
        broken(move |p| {
            let (block, host, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            p.finalise();
            if uses {
                p.copy(block, host, stream);
            }
            p.sync(stream);
            p.destroy(stream);
            let another = p.malloc(64);
            p.free(another);
            p.reset(0);
            p.finalise();
        })
    };
    assert_eq!(run(true), [INIT_02]);
    // What ends what was left over may be one more mistake: nothing shows that the program meant to go on.
    assert_eq!(run(false), [INIT_02, INIT_02]);
    // Another mistake in what goes on.
    let freed = broken(|p| {
        let (block, host, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        p.finalise();
        p.copy(block, host, stream);
        p.sync(stream);
        let another = p.malloc(64);
        p.free(another);
        p.free(another);
    });
    assert_eq!(freed, [INIT_02, MEM_01]);
}

#[test]
fn a_device_that_is_used_behind_its_last_reset_was_reset_too_early() {
    let run = |resets: usize, uses: fn(&mut Program)| {
        broken(move |p| {
            p.reset(0);
            uses(p);
            (0..resets).for_each(|_| p.reset(0));
            p.finalise();
        })
    };
    let creates = |p: &mut Program| {
        p.stream();
    };
    assert_eq!(run(0, |_| {}), []);
    assert_eq!(run(1, |_| {}), [DEV_07]);
    assert_eq!(run(1, creates)[0], DEV_04);
    assert!(!run(1, creates).contains(&DEV_07));
    assert_eq!(run(2, creates).iter().filter(|rule| **rule == DEV_07).count(), 1, "one reset belongs to the set");
    // The program sets the device anew.
    let anew = broken(|p| {
        p.reset(0);
        p.stream();
        p.set(0);
        p.reset(0);
        p.reset(0);
    });
    assert_eq!(anew, [DEV_04, DEV_07]);
}

#[test]
fn a_reset_that_leaves_a_stream_over_came_too_early_if_the_stream_is_used() {
    let run = |uses: bool| {
        broken(move |p| {
            let (stream, host) = (p.stream(), p.malloc_host(64));
            p.reset(0);
            if uses {
                p.copy(host, host, stream);
            }
            p.sync(stream);
            p.destroy(stream);
            p.free_host(host);
            p.reset(0);
            p.finalise();
        })
    };
    assert_eq!(run(true), [DEV_02]);
    assert_eq!(run(false), [DEV_02, DEV_07]);
}

#[test]
fn a_device_that_was_reset_under_a_stream_is_no_longer_there_for_the_same_reason() {
    let run = |uses: bool, again: bool| {
        broken(move |p| {
            let (stream, host) = (p.stream(), p.malloc_host(64));
            p.reset(0);
            if uses {
                p.copy(host, host, stream);
            }
            if again {
                p.reset(0);
            }
            p.malloc(64);
        })
    };
    assert_eq!(run(true, false), [DEV_02]);
    assert_eq!(run(false, false), [DEV_02, DEV_04]);
    // This reset belongs to the set, and memory is taken behind it.
    assert_eq!(run(true, true), [DEV_02, DEV_04]);
}

#[test]
fn a_device_that_is_used_behind_its_reset_by_force_was_reset_too_early() {
    let run = |looked_for: bool, resets: usize| {
        broken(move |p| {
            let stream = p.stream();
            p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
            let event = p.event("aclrtMemsetAsync", Object::PROCESS, Op::Fill).using(Use::Queue(stream));
            if looked_for {
                let found = {
                    let event = p.event("aclrtMemsetAsync", stream, Op::Fill);
                    p.checker.look_for(&event)
                };
                p.findings.extend(found);
            } else {
                p.see(&event, Outcome::Refused);
            }
            (0..resets).for_each(|_| p.refused("aclrtResetDevice", Object::device(0), Op::Reset));
        })
    };
    for looked_for in [true, false] {
        let one = run(looked_for, 0);
        assert_eq!(one.len(), 1, "{one:?}");
        assert_eq!(run(looked_for, 1), one);
        assert_eq!(run(looked_for, 2)[1..], [DEV_09]);
    }
}

#[test]
fn a_program_that_initialises_behind_a_refused_finalisation_finalises_once() {
    let run = |more: usize| {
        let mut p = Program::new();
        p.init();
        p.set(0);
        let block = p.malloc(64);
        let finalise = p.event("aclFinalize", Object::PROCESS, Op::Finalise);
        p.see(&finalise, Outcome::Refused);
        (0..more).for_each(|_| p.init());
        p.free(block);
        p.reset(0);
        p.finalise();
        p.findings.iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    assert_eq!(run(1), [INIT_02]);
    assert_eq!(run(2), [INIT_02, INIT_07]);
}

#[test]
fn a_run_that_nobody_waited_for_is_told_of_once_whatever_of_it_is_destroyed() {
    let run = |runs: usize, waits: bool| {
        broken(move |p| {
            let (model, stream, x, y) = (p.load(None, None), p.stream(), p.malloc(64), p.malloc(64));
            let sets: Vec<_> = (0..2 * runs).map(|n| p.dataset(if n % 2 == 0 { x } else { y })).collect();
            for pair in sets.chunks(2) {
                p.run(model, pair[0].0, pair[1].0, stream);
            }
            if waits {
                p.sync(stream);
            }
            for (dataset, buffer) in sets {
                p.destroy(dataset);
                p.destroy(buffer);
            }
            p.sync(stream);
        })
    };
    assert_eq!(run(1, false), [DATA_10]);
    assert_eq!(run(2, false), [DATA_10, DATA_10]);
    assert_eq!(run(2, true), []);
}
