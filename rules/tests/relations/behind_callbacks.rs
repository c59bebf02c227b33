//! Callbacks that a stream waits for, and what is queued behind them when they run.

use super::support::*;
use ascendcl_rules::*;

/// What the callback does to the memory.
#[derive(Clone, Copy, Debug)]
enum Does {
    Reads,
    Writes,
    /// By an instruction, and not by a call.
    Touches,
}

/// A program: how it queues work that the callback may be beside, with the callback's stream and the memory on the device
/// and of the host.
type Later<'a> = &'a dyn Fn(&mut Program, Object, [Object; 2]);

fn launch(p: &mut Program, stream: Object, op: Op, flags: &[Flag]) -> Object {
    let callback = Object::callback(p.fresh());
    let mut event = p.event("aclrtLaunchCallback", stream, op);
    event.flags = flags.to_vec();
    p.see(&event.using(Use::Queue(stream)).using(Use::With(callback)), Outcome::Success);
    callback
}

/// The callback begins on a thread of its own, and uses the memory.
fn runs(p: &mut Program, callback: Object, stream: Object, does: Does, [on_device, of_host]: [Object; 2]) {
    let elsewhere = Object::memory(0x10);
    p.on(1).inside(stream, |p| {
        p.callback_begins(callback);
        p.choose(Object::context(1000));
        match does {
            Does::Reads => p.copy(elsewhere, on_device, None),
            Does::Writes => p.copy(on_device, elsewhere, None),
            Does::Touches => {
                let event = p.event("an instruction", Object::PROCESS, Op::Touch);
                let event = event.using(memory(of_host, 64, Access::Read, Role::Instruction, None));
                p.see(&event, Outcome::Success);
            }
        }
    });
    p.on(0);
}

fn found(flags: &[Flag], does: Does, later: Later<'_>) -> Vec<RuleId> {
    broken(|p| {
        let (stream, memory) = (p.stream(), [p.malloc(64), p.malloc_host(64)]);
        // Stream and host count from different numbers on.
        p.work(stream);
        let op = if flags.is_empty() { Op::LaunchHostFunction } else { Op::LaunchCallback };
        if op == Op::LaunchCallback {
            p.subscribe(stream);
        }
        let callback = launch(p, stream, op, flags);
        later(p, stream, memory);
        runs(p, callback, stream, does, memory);
        p.sync_device();
    })
}

/// Work that writes both.
fn fill(p: &mut Program, stream: Object, memory: [Object; 2]) {
    for block in memory {
        let event = p.event("aclrtMemsetAsync", stream, Op::Fill).using(Use::Queue(stream));
        let span = Span::new(block.number, 64);
        p.see(
            &event.using(Use::Memory { span, access: Access::Write, role: Role::Target, claimed: None }),
            Outcome::Success,
        );
    }
}

const ALL: [(Does, RuleId); 3] = [(Does::Reads, COPY_07), (Does::Writes, COPY_04), (Does::Touches, COPY_03)];

#[test]
fn work_behind_a_callback_does_not_run_beside_it() {
    let own: Later<'_> = &|p, stream, memory| fill(p, stream, memory);
    let behind_an_event: Later<'_> = &|p, stream, memory| {
        let (other, mark) = (p.stream(), p.mark());
        p.record(mark, stream);
        p.wait(other, mark);
        fill(p, other, memory);
    };
    let behind_two: Later<'_> = &|p, stream, memory| {
        let (first, second, marks) = (p.stream(), p.stream(), [p.mark(), p.mark()]);
        p.record(marks[0], stream);
        p.wait(first, marks[0]);
        p.record(marks[1], first);
        p.wait(second, marks[1]);
        fill(p, second, memory);
    };
    let unknown: Later<'_> = &|p, _, memory| {
        let other = p.stream();
        p.fence(other);
        fill(p, other, memory);
    };
    for (does, rule) in ALL {
        for later in [own, behind_an_event, behind_two, unknown] {
            assert_eq!(found(&[], does, later), [], "{does:?}");
        }
        assert_eq!(found(&[Flag::StreamGoesOn], does, own), [rule], "{does:?}: the stream does not wait for it");
        assert_eq!(found(&[Flag::StreamGoesOn], does, behind_an_event), [rule], "{does:?}");
    }
}

#[test]
fn work_without_an_order_may_run_beside_a_callback() {
    let anywhere: Later<'_> = &|p, _, memory| {
        let other = p.stream();
        fill(p, other, memory);
    };
    let before_its_wait: Later<'_> = &|p, stream, memory| {
        let (other, mark) = (p.stream(), p.mark());
        p.record(mark, stream);
        fill(p, other, memory);
        p.wait(other, mark);
    };
    let before_its_wait_and_again: Later<'_> = &|p, stream, memory| {
        let (other, mark) = (p.stream(), p.mark());
        p.record(mark, stream);
        fill(p, other, memory);
        p.wait(other, mark);
        fill(p, other, memory);
    };
    let behind_another: Later<'_> = &|p, _, memory| {
        let (first, second, mark) = (p.stream(), p.stream(), p.mark());
        p.launch(first, Op::LaunchHostFunction);
        p.record(mark, first);
        p.wait(second, mark);
        fill(p, second, memory);
    };
    for (does, rule) in ALL {
        for later in [anywhere, before_its_wait, before_its_wait_and_again, behind_another] {
            assert_eq!(found(&[], does, later), [rule], "{does:?}");
        }
    }
}

#[test]
fn an_event_that_was_recorded_before_the_callback_orders_nothing_behind_it() {
    let run = |before: bool| {
        broken(|p| {
            let (stream, other, mark, memory) = (p.stream(), p.stream(), p.mark(), [p.malloc(64), p.malloc_host(64)]);
            let mut callback = None;
            for record in [before, !before] {
                if record {
                    p.record(mark, stream);
                } else {
                    callback = Some(p.launch(stream, Op::LaunchHostFunction));
                }
            }
            p.wait(other, mark);
            fill(p, other, memory);
            runs(p, callback.unwrap(), stream, Does::Reads, memory);
            p.sync_device();
        })
    };
    assert_eq!(run(true), [COPY_07]);
    assert_eq!(run(false), []);
}

#[test]
fn only_the_callback_that_runs_is_before_what_is_queued() {
    // The stream has waited for the first callback. The second one holds up nothing.
    let run = |flags: &[Flag]| {
        broken(|p| {
            let (stream, memory) = (p.stream(), [p.malloc(64), p.malloc_host(64)]);
            p.subscribe(stream);
            let first = launch(p, stream, Op::LaunchCallback, &[]);
            let second = launch(p, stream, Op::LaunchCallback, flags);
            fill(p, stream, memory);
            runs(p, first, stream, Does::Reads, memory);
            runs(p, second, stream, Does::Reads, memory);
            p.sync_device();
        })
    };
    assert_eq!(run(&[]), []);
    assert_eq!(run(&[Flag::StreamGoesOn]), [COPY_07]);
    // What another thread does has no order with the callback.
    let beside = |waits: bool| {
        broken(|p| {
            let (stream, memory) = (p.stream(), [p.malloc(64), p.malloc_host(64)]);
            let callback = p.launch(stream, Op::LaunchHostFunction);
            fill(p, stream, memory);
            runs(p, callback, stream, Does::Reads, memory);
            if waits {
                p.sync(stream);
            }
            p.copy(Object::memory(0x10), memory[0], None);
            p.sync(stream);
        })
    };
    assert_eq!(beside(false), [COPY_07]);
    assert_eq!(beside(true), []);
}

#[test]
fn memory_that_work_behind_a_callback_uses_is_not_freed_in_it() {
    let run = |used: bool| {
        broken(|p| {
            let (stream, memory) = (p.stream(), [p.malloc(64), p.malloc_host(64)]);
            let callback = p.launch(stream, Op::LaunchHostFunction);
            if used {
                fill(p, stream, memory);
            }
            p.on(1).inside(stream, |p| {
                p.callback_begins(callback);
                p.choose(Object::context(1000));
                p.free(memory[0]);
            });
            p.on(0).sync_device();
        })
    };
    assert_eq!(run(true), [CB_01, MEM_02]);
    assert_eq!(run(false), [CB_01]);
}

#[test]
fn work_behind_an_abort_does_not_wait_for_the_callback_before_it() {
    let run = |aborts: bool| {
        broken(|p| {
            let (stream, memory) = (p.stream(), [p.malloc(64), p.malloc_host(64)]);
            let callback = p.launch(stream, Op::LaunchHostFunction);
            p.on(1).inside(stream, |p| {
                p.callback_begins(callback);
                p.choose(Object::context(1000));
            });
            if aborts {
                p.on(0).call("aclrtStreamAbort", stream, Op::Abort);
            }
            fill(p.on(0), stream, memory);
            p.on(1).inside(stream, |p| p.copy(Object::memory(0x10), memory[0], None));
            p.on(0).sync(stream);
        })
    };
    assert_eq!(run(true), [COPY_07]);
    assert_eq!(run(false), []);
}

#[test]
fn a_callback_of_a_default_stream_knows_it_by_another_name() {
    let run = |behind: bool| {
        broken(|p| {
            let (default, other, memory) = (Object::stream(0), p.stream(), [p.malloc(64), p.malloc_host(64)]);
            let callback = p.launch(default, Op::LaunchHostFunction);
            fill(p, if behind { default } else { other }, memory);
            runs(p, callback, Object::stream(0x77), Does::Touches, memory);
            p.sync_device();
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [COPY_03]);
}
