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
                p.sync(stream);
            } else {
                p.destroy(stream);
            }
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
            let stream = p.stream();
            p.reset(0);
            if uses {
                p.sync(stream);
            }
            p.destroy(stream);
            p.reset(0);
            p.finalise();
        })
    };
    assert_eq!(run(true), [DEV_02]);
    assert_eq!(run(false), [DEV_02, DEV_07]);
}
