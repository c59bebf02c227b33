//! What a call changes for the calls after it.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn a_reset_event_is_not_recorded() {
    let run = |reset: bool| {
        move |p: &mut Program| {
            let (stream, other, event) = (p.stream(), p.stream(), p.mark());
            p.record(event, stream);
            if reset {
                p.reset_event(event, stream);
            }
            p.wait(other, event);
        }
    };
    breaks(EVENT_05, run(true), run(false));
}

#[test]
fn a_device_that_was_reset_by_force_is_set_by_nobody() {
    let run = |op: Op| {
        move |p: &mut Program| {
            p.set(0);
            p.call("aclrtResetDevice", Object::device(0), op);
            p.call("aclrtResetDevice", Object::device(0), Op::Reset);
        }
    };
    breaks(DEV_09, run(Op::ResetForce), run(Op::Reset));
}

#[test]
fn a_device_that_is_reached_no_more_is_not_copied_from() {
    let run = |op: Op| {
        move |p: &mut Program| {
            let a = p.malloc(64);
            p.set(1);
            let b = p.malloc(64);
            p.call("aclrtDeviceEnablePeerAccess", Object::device(0), Op::EnablePeer);
            p.call("aclrtDeviceDisablePeerAccess", Object::device(0), op);
            p.copy(b, a, None);
        }
    };
    breaks(COPY_08, run(Op::DisablePeer), run(Op::EnablePeer));
}

#[test]
fn a_wait_for_a_stream_is_none_for_a_device() {
    let found = broken(|p| {
        let (a, b, stream) = (p.malloc(64), p.malloc(64), p.stream());
        p.copy(a, b, stream);
        p.new_context(0);
        let other = p.stream();
        p.sync(other);
        p.free(a);
    });
    assert_eq!(found, [MEM_02]);
}

#[test]
fn a_data_buffer_that_was_changed_has_its_new_memory() {
    let run = |freed: usize| {
        move |p: &mut Program| {
            let (old, new, stream) = (p.malloc(64), p.malloc(64), p.stream());
            let (input, buffer) = p.dataset(old);
            let block = p.malloc(64);
            let (output, _) = p.dataset(block);
            let change = p.event("aclUpdateDataBuffer", buffer, Op::Change);
            p.see(&change.using(memory(new, 64, Access::Read, Role::Contents, None)), Outcome::Success);
            let model = p.load(None, None);
            p.run(model, input, output, stream);
            p.free([old, new][freed]);
        }
    };
    breaks(MODEL_17, run(1), run(0));
}

#[test]
fn a_stream_without_subscription_or_callbacks_has_none() {
    let subscribed = |again: bool| {
        move |p: &mut Program| {
            let stream = p.stream();
            p.subscribe(stream);
            p.work(stream);
            p.call("aclrtUnSubscribeReport", stream, Op::Unsubscribe);
            if again {
                p.subscribe(stream);
            }
            p.launch(stream, Op::LaunchHostFunction);
        }
    };
    breaks(CB_03, subscribed(true), subscribed(false));
}

#[test]
fn a_run_of_open_shapes_decides_for_no_allocator() {
    let run = |operator: bool| {
        move |p: &mut Program| {
            let (block, stream, descriptor) = (p.malloc(64), p.stream(), p.descriptor(&Member::ALL, 1));
            let ((input, _), (output, _)) = (p.dataset(block), p.dataset(block));
            let load = p.event("aclmdlLoadFromFile", Object::model(0), Op::Load).flag(Flag::Dynamic);
            let model = p.create(&load);
            if operator {
                p.allocating_work(stream);
            } else {
                p.run(model, input, output, stream);
            }
            p.sync(stream);
            p.register(stream, descriptor);
        }
    };
    breaks(ALLOC_15, run(true), run(false));
}

#[test]
fn a_persistent_stream_proves_nothing_and_its_work_counts_elsewhere() {
    let stream = |p: &mut Program| {
        let create = p.event("aclrtCreateStreamWithConfig", Object::stream(0), Op::Create).flag(Flag::Persistent);
        p.create(&create)
    };
    let found = broken(|p| {
        let (a, b, persistent) = (p.malloc(64), p.malloc(64), stream(p));
        p.copy(a, b, persistent);
        p.free(a);
    });
    assert_eq!(found, []);
    let found = broken(|p| {
        let (a, b, first, persistent, event) = (p.malloc(64), p.malloc(64), p.stream(), stream(p), p.mark());
        p.copy(a, b, first);
        p.record(event, first);
        p.wait(persistent, event);
        p.sync(persistent);
        p.free(a);
    });
    assert_eq!(found, [STREAM_13, MEM_02]);
}

#[test]
fn references_of_the_library_are_counted_until_the_last() {
    let run = |initialised: usize| {
        move |p: &mut Program| {
            p.reset(0);
            (1..initialised).for_each(|_| p.init());
            for _ in 0..2 {
                p.call("aclFinalizeReference", Object::PROCESS, Op::Release);
            }
        }
    };
    breaks(INIT_08, run(1), run(2));
    // The last one ends it, and only the last one.
    let then = |released: usize| {
        findings(|p| {
            p.reset(0);
            p.init();
            (0..released).for_each(|_| p.call("aclFinalizeReference", Object::PROCESS, Op::Release));
            p.set(0);
        })
    };
    assert_eq!(then(1).len(), 0);
    let ended: Vec<_> = then(2).iter().map(|finding| finding.contradicts.as_ref().unwrap().0.name).collect();
    assert_eq!(ended, ["aclFinalizeReference"]);
}

#[test]
fn an_allocation_at_an_address_that_was_freed_is_told_by_its_own_calls() {
    let found = findings(|p| {
        let old = p.malloc_host(64);
        p.free_host(old);
        let again = p.event("the second allocation", Object::memory(0), Op::Allocate);
        let again = again.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, HOST));
        p.see(&again, Outcome::Created(old.number));
        let unregister = p.event("aclrtHostUnregister", old, Op::FreeHost).flag(Flag::Registered);
        p.see(&unregister, Outcome::Success);
    });
    let told: Vec<_> =
        found.iter().map(|finding| (finding.rule, finding.contradicts.as_ref().unwrap().0.name)).collect();
    assert_eq!(told, [(MEM_14, "the second allocation")]);
}

/// What a device has: an event, memory, a pool and physical memory.
fn of_device(p: &mut Program, device: u64) -> [Object; 4] {
    let pool = p.event("aclrtMemPoolCreate", Object::pool(0), Op::Create).using(Use::With(Object::device(device)));
    let physical = p.event("aclrtMallocPhysical", Object::physical(0), Op::Allocate);
    let physical = physical.using(Use::With(Object::device(device)));
    [p.mark(), p.malloc(64), p.create(&pool), p.create(&physical)]
}

fn end(p: &mut Program, object: Object) {
    let op = match object.kind {
        Kind::Event | Kind::Pool => Op::Destroy,
        _ => Op::Free,
    };
    p.call("the end", object, op);
}

#[test]
fn what_a_device_has_ends_with_its_last_context() {
    for kind in 0..4 {
        // Device 0 is reset by force. Is what is left of either device still there?
        let run = |of: usize, other_context: bool| {
            let mut program = Program::new();
            let p = &mut program;
            p.init();
            p.set(1);
            let of_one = of_device(p, 1);
            p.set(0);
            let of_zero = of_device(p, 0);
            if other_context {
                p.new_context(0);
                p.choose(Object::context(1000));
            }
            p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
            assert_eq!(p.findings, []);
            p.set(1);
            end(p, [of_zero, of_one][of][kind]);
            program.findings.len()
        };
        assert_eq!(run(1, false), 0, "{kind}: what another device has");
        assert_eq!(run(0, false), 1, "{kind}: it has ended with the device");
        assert_eq!(run(0, true), if kind == 1 { run(0, true) } else { 0 }, "{kind}: another context is left");
    }
}

#[test]
fn what_a_context_has_ends_with_it() {
    let run = |of: usize, then: &dyn Fn(&mut Program, [Object; 4])| {
        let mut program = Program::new();
        let p = &mut program;
        p.init();
        p.set(0);
        let make = |p: &mut Program| {
            let (input, output) = (p.malloc(64), p.malloc(64));
            let graph = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create);
            [p.load(None, None), p.dataset(input).0, p.dataset(output).0, p.create(&graph)]
        };
        let ended = make(p);
        let context = p.new_context(0);
        let kept = make(p);
        p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
        assert_eq!(p.findings, []);
        p.choose(context);
        then(p, [kept, ended][of]);
        program.findings.iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    let runs = |p: &mut Program, [model, input, output, _]: [Object; 4]| p.run(model, input, output, None);
    assert_eq!(run(0, &runs), []);
    assert_eq!(run(1, &runs).len(), 1);
    let replays = |p: &mut Program, [.., graph]: [Object; 4]| {
        let stream = p.stream();
        let event = p.event("aclmdlRIExecuteAsync", graph, Op::Replay).using(Use::Queue(stream));
        p.see(&event, Outcome::Success);
    };
    assert_eq!(run(0, &replays), []);
}

#[test]
fn a_device_is_reset_when_its_own_objects_have_ended() {
    let run = |then: &dyn Fn(&mut Program)| {
        let found = findings(|p| {
            p.set(1);
            p.choose(Object::context(1000));
            then(p);
            p.reset(0);
        });
        found.iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    let elsewhere = |p: &mut Program, make: &dyn Fn(&mut Program)| {
        p.choose(Object::context(1001));
        make(p);
        p.choose(Object::context(1000));
    };
    let makes: [(RuleId, &dyn Fn(&mut Program)); 4] = [
        (DEV_02, &|p| {
            p.stream();
        }),
        (DEV_10, &|p| {
            p.mark();
        }),
        (MODEL_14, &|p| {
            p.load(None, None);
        }),
        (MEM_12, &|p| {
            p.malloc(64);
        }),
    ];
    for (rule, make) in makes {
        assert_eq!(run(make), [rule]);
        assert_eq!(run(&|p| elsewhere(p, make)), []);
    }
    let context = |device: u64| {
        run(&|p| {
            p.new_context(device);
            p.choose(Object::context(1000));
            p.malloc(64);
        })
    };
    assert_eq!(context(0), [DEV_10], "memory lives as long as any context of the device");
    assert_eq!(context(1), [MEM_12]);
}

#[test]
fn a_context_is_destroyed_when_its_default_stream_is_idle() {
    let run = |then: &dyn Fn(&mut Program, Object)| {
        findings(|p| {
            p.load(None, None);
            let context = p.new_context(0);
            then(p, context);
            p.destroy_context(context);
        })
    };
    let rules = |found: &[Finding]| found.iter().map(|finding| finding.rule).collect::<Vec<_>>();
    let stream = |context: Object| Object::default_stream(context.number);
    assert_eq!(
        run(&|p, context| p.work(stream(context))).iter().map(|found| found.rule).collect::<Vec<_>>(),
        [STREAM_05]
    );
    let waits = |p: &mut Program, context: Object| {
        p.work(stream(context));
        p.sync(stream(context));
    };
    assert_eq!(run(&waits), []);
    assert_eq!(run(&|_, _| ()), [], "the model is of another context");
    let one = run(&|p, _| {
        p.stream();
    });
    assert_eq!(rules(&one), [CTX_10]);
    assert!(one[0].found.contains("1 of its objects (stream) is alive"), "{}", one[0]);
    let two = run(&|p, _| {
        let _ = [p.stream(), p.stream()];
    });
    assert!(two[0].found.contains("2 of its objects (stream) are alive"), "{}", two[0]);
}

#[test]
fn work_may_write_memory_whose_address_it_finds_on_the_device() {
    let run = |p: &mut Program, elsewhere: bool| {
        let (block, host, addresses, stream) = (p.malloc(64), p.malloc_host(64), p.malloc(64), p.stream());
        let find = p.event("aclrtMemcpyAsyncWithDesc", stream, Op::Use).using(Use::Queue(stream));
        let find = find.using(memory(addresses, 64, Access::Read, Role::Source, DEVICE));
        p.see(&if elsewhere { find.flag(Flag::Elsewhere) } else { find }, Outcome::Success);
        let copy = p.event("aclrtMemcpyAsync", stream, Op::Use).flag(Flag::Untouched).using(Use::Queue(stream));
        let copy = copy.using(memory(host, 64, Access::Write, Role::Target, HOST));
        p.see(&copy.using(memory(block, 64, Access::Read, Role::Source, DEVICE)), Outcome::Success);
    };
    breaks(MEM_07, |p| run(p, false), |p| run(p, true));
}

#[test]
fn a_value_that_streams_wait_for_needs_no_order_and_lives_until_they_have_waited() {
    let run = |p: &mut Program, synced: bool, role: Role| {
        let (value, host, a, b) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream());
        let write = p.event("aclrtValueWrite", a, Op::Use).using(Use::Queue(a));
        p.see(&write.using(memory(value, 8, Access::Write, role, DEVICE)), Outcome::Success);
        let wait = p.event("aclrtValueWait", b, Op::Fence).using(Use::Queue(b));
        p.see(&wait.using(memory(value, 8, Access::Read, Role::Signal, DEVICE)), Outcome::Success);
        // The host looks at it meanwhile.
        let copy = p.event("aclrtMemcpy", host, Op::Use).flag(Flag::Untouched);
        let copy = copy.using(memory(host, 8, Access::Write, Role::Target, HOST));
        p.see(&copy.using(memory(value, 8, Access::Read, Role::Source, DEVICE)), Outcome::Success);
        if synced {
            p.sync(a);
            p.sync(b);
        }
        p.free(value);
    };
    breaks(MEM_02, |p| run(p, false, Role::Signal), |p| run(p, true, Role::Signal));
    breaks(COPY_07, |p| run(p, true, Role::Target), |p| run(p, true, Role::Signal));
}
