//! What the checker remembers of queued work, and until when.

use super::support::*;
use ascendcl_rules::*;

/// Work on a stream with a part of a block.
fn with_part(
    p: &mut Program,
    call: &'static str,
    stream: Object,
    part: (Object, u64, u64),
    how: (Access, Role),
) -> Event {
    let (block, from, bytes) = part;
    let place = Object::memory(block.number + from);
    let event = p.event(call, stream, Op::Use).using(Use::Queue(stream));
    event.using(memory(place, bytes, how.0, how.1, None))
}

const WRITES: (Access, Role) = (Access::Write, Role::Target);

/// Work that has been queued.
fn queue(p: &mut Program, call: &'static str, stream: Object, part: (Object, u64, u64), how: (Access, Role)) {
    let work = with_part(p, call, stream, part, how);
    p.see(&work, Outcome::Success);
}

#[test]
fn a_refused_call_leaves_the_work_before_it_in_flight() {
    let found = broken(|p| {
        let (a, stream) = (p.malloc(64), p.stream());
        queue(p, "first", stream, (a, 0, 64), WRITES);
        let second = with_part(p, "second", stream, (a, 0, 64), WRITES);
        p.see(&second, Outcome::Refused);
        p.free(a);
    });
    assert_eq!(found, [MEM_02]);
}

#[test]
fn a_call_that_is_refused_later_hides_no_work_meanwhile() {
    let found = broken(|p| {
        p.on(1).set(0);
        let (a, stream) = (p.on(0).malloc(64), p.stream());
        queue(p, "first", stream, (a, 0, 64), WRITES);
        let second = with_part(p, "second", stream, (a, 0, 64), WRITES);
        p.begin(&second);
        p.on(1).data_buffer(a, 64);
        p.checker.commit(&second, Outcome::Refused);
        p.on(0).free(a);
    });
    assert_eq!(found, [MEM_02]);
}

#[test]
fn a_finding_names_the_last_work_of_a_stream_that_covers_the_memory() {
    let found = findings(|p| {
        let (a, stream) = (p.malloc(64), p.stream());
        queue(p, "first", stream, (a, 0, 64), WRITES);
        queue(p, "second", stream, (a, 0, 64), WRITES);
        p.free(a);
    });
    let named: Vec<_> = found.iter().map(|finding| finding.contradicts.as_ref().unwrap().0.name).collect();
    assert_eq!(named, ["second"]);
}

#[test]
fn work_hides_no_other_work_of_another_stream_part_access_or_role() {
    // Another stream.
    let found = broken(|p| {
        let (a, first, second) = (p.malloc(64), p.stream(), p.stream());
        queue(p, "reads", first, (a, 0, 64), (Access::Read, Role::Source));
        p.work(second);
        queue(p, "reads", second, (a, 0, 64), (Access::Read, Role::Source));
        p.sync(second);
        p.free(a);
    });
    assert_eq!(found, [MEM_02]);
    // A part.
    let found = broken(|p| {
        let (a, first, second) = (p.malloc(128), p.stream(), p.stream());
        queue(p, "all", first, (a, 0, 128), WRITES);
        queue(p, "begin", first, (a, 0, 64), WRITES);
        queue(p, "end", second, (a, 64, 64), WRITES);
    });
    assert_eq!(found, [STREAM_04]);
    // A read after a write.
    let found = broken(|p| {
        let (a, first, second) = (p.malloc(64), p.stream(), p.stream());
        queue(p, "writes", first, (a, 0, 64), (Access::Write, Role::Workspace));
        queue(p, "reads", first, (a, 0, 64), (Access::Read, Role::Workspace));
        queue(p, "reads", second, (a, 0, 64), (Access::Read, Role::Source));
    });
    assert_eq!(found, [STREAM_04]);
    // A copy over what an operator has written.
    let found = broken(|p| {
        let (a, host, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        queue(p, "writes", stream, (a, 0, 64), (Access::Write, Role::Output));
        queue(p, "writes", stream, (a, 0, 64), WRITES);
        p.copy(host, a, None);
    });
    assert_eq!(found, [OP_03]);
}

#[test]
fn work_of_a_stream_that_ended_with_its_device_is_over_for_the_next_stream_of_its_handle() {
    let found = broken(|p| {
        let (host, stream) = (p.malloc_host(64), p.stream());
        queue(p, "reads", stream, (host, 0, 64), (Access::Read, Role::Source));
        p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
        *p.context() = None;
        p.set(0);
        let again = p.event("aclrtCreateStream", Object::stream(0), Op::Create);
        p.see(&again, Outcome::Created(stream.number));
        p.free_host(host);
    });
    assert_eq!(found, []);
}

#[test]
fn a_refused_run_or_work_with_an_allocator_uses_nothing() {
    let refused = broken(|p| {
        let (block, stream) = (p.malloc(64), p.stream());
        let ((input, buffer), (output, _)) = (p.dataset(block), p.dataset(block));
        let model = p.load(None, None);
        let run = p.running(model, input, output, Some(stream));
        p.see(&run, Outcome::Refused);
        p.destroy(input);
        p.destroy(buffer);
    });
    assert_eq!(refused, []);
    let refused = broken(|p| {
        let (stream, descriptor) = (p.stream(), p.descriptor(&Member::ALL, 1));
        p.register(stream, descriptor);
        let work = p.event("aclopExecuteV2", stream, Op::Use).using(Use::Queue(stream)).flag(Flag::Allocates);
        p.see(&work, Outcome::Refused);
        p.unregister(stream);
    });
    assert_eq!(refused, []);
    // What a refused run, replay or wait was to use ends at once.
    let ends = broken(|p| {
        let (block, stream, event) = (p.malloc(64), p.stream(), p.mark());
        let ((input, _), (output, _)) = (p.dataset(block), p.dataset(block));
        let model = p.load(None, None);
        let graph = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create);
        let graph = p.create(&graph);
        p.record(event, stream);
        let run = p.running(model, input, output, Some(stream));
        let replay = p.event("aclmdlRIExecuteAsync", graph, Op::Replay).using(Use::Queue(stream));
        let wait = p.event("aclrtStreamWaitEvent", event, Op::Await).using(Use::Queue(stream));
        for refused in [run, replay, wait] {
            p.see(&refused, Outcome::Refused);
        }
        let other = p.stream();
        p.reset_event(event, other);
        p.unload(model);
        p.call("aclmdlRIDestroy", graph, Op::Destroy);
    });
    assert_eq!(ends, []);
    // Work that takes no memory does not use the allocator.
    let others = broken(|p| {
        let (stream, descriptor) = (p.stream(), p.descriptor(&Member::ALL, 1));
        p.register(stream, descriptor);
        p.work(stream);
        p.unregister(stream);
    });
    assert_eq!(others, []);
}

#[test]
fn an_abort_and_an_unload_end_the_work_that_they_wait_for() {
    let run = |ends: &dyn Fn(&mut Program, Object, Object)| {
        broken(|p| {
            let (block, stream) = (p.malloc(64), p.stream());
            let ((input, _), (output, _)) = (p.dataset(block), p.dataset(block));
            let model = p.load(None, None);
            p.run(model, input, output, stream);
            ends(p, model, stream);
            p.free(block);
        })
    };
    assert_eq!(run(&|_, _, _| ()), [MODEL_17]);
    assert_eq!(run(&|p, _, stream| p.call("aclrtStreamAbort", stream, Op::Abort)), []);
    // What is unloaded under its run is found; then the run is over.
    let unloaded = run(&|p, model, _| p.unload(model));
    assert!(!unloaded.contains(&MODEL_17), "{unloaded:?}");
}

#[test]
fn an_object_whose_end_was_refused_is_used_by_other_threads() {
    let found = broken(|p| {
        p.on(1).set(0);
        let stream = p.on(0).stream();
        let destroy = p.event("aclrtDestroyStream", stream, Op::Destroy);
        p.see(&destroy, Outcome::Refused);
        p.on(1).work(stream);
    });
    assert_eq!(found, []);
    let found = broken(|p| {
        p.on(1).set(0);
        let stream = p.on(0).stream();
        let destroy = p.event("aclrtDestroyStream", stream, Op::Destroy);
        p.begin(&destroy);
        p.on(1).work(stream);
    });
    assert_eq!(found, [STREAM_07]);
}

#[test]
fn a_wait_for_a_device_that_ran_out_of_time_excuses_nothing() {
    let run = |outcome: Outcome| {
        broken(|p| {
            let (a, b, stream) = (p.malloc(64), p.malloc(64), p.stream());
            p.copy(a, b, stream);
            p.new_context(0);
            let wait = p.event("aclrtSynchronizeDevice", Object::PROCESS, Op::Synchronize);
            p.see(&wait, outcome);
            p.free(a);
        })
    };
    assert_eq!(run(Outcome::Success), [DEV_17]);
    assert_eq!(run(Outcome::TimedOut), [MEM_02]);
}

#[test]
fn memory_that_nobody_wrote_is_found_each_time_it_is_copied() {
    let found = broken(|p| {
        let (a, host) = (p.malloc(64), p.malloc_host(64));
        // A data buffer describes the memory, and writes nothing.
        let describes = p.event("aclCreateDataBuffer", Object::data_buffer(0), Op::Create);
        p.create(&describes.using(memory(a, 64, Access::Write, Role::Contents, None)));
        for _ in 0..2 {
            let copy = p.event("aclrtMemcpy", host, Op::Use).flag(Flag::Untouched);
            let copy = copy.using(memory(host, 64, Access::Write, Role::Target, HOST));
            let copy = copy.using(memory(a, 64, Access::Read, Role::Source, DEVICE));
            p.see(&copy, Outcome::Success);
        }
    });
    assert_eq!(found, [MEM_07, MEM_07]);
}

#[test]
fn a_copy_of_memory_that_an_allocator_has_lent_gives_it_not_back() {
    let found = broken(|p| {
        let (block, stream, descriptor) = (p.malloc(4096), p.stream(), p.descriptor(&Member::ALL, 1));
        p.register(stream, descriptor);
        let work = p.event("aclopExecuteV2", stream, Op::Use).using(Use::Queue(stream)).flag(Flag::Allocates);
        p.begin(&work);
        let take = p.event("aclopExecuteV2", Object::allocator(1), Op::Take).using(Use::With(stream));
        let take = take.using(memory(block, 64, Access::Write, Role::Workspace, None));
        p.see(&take, Outcome::Success);
        p.checker.commit(&work, Outcome::Success);
        p.sync(stream);
        p.data_buffer(block, 64);
        p.free(block);
    });
    assert_eq!(found, [ALLOC_11]);
}

/// A stream waits for a notify before another stream gets the work that comes before the record of the notify.
#[test]
fn work_may_come_after_what_is_queued_later_when_its_stream_waits_for_something_unknown() {
    let run = |fenced: bool, then: &dyn Fn(&mut Program, [Object; 2], Object)| {
        broken(|p| {
            let (m, host, streams, event) = (p.malloc(64), p.malloc_host(64), [p.stream(), p.stream()], p.mark());
            let [first, waits] = streams;
            if fenced {
                p.fence(waits);
            }
            p.record(event, waits);
            p.copy(m, host, first);
            let third = p.stream();
            then(p, [waits, third], event);
            p.free_host(host);
        })
    };
    // What the stream does next comes after it, as may what waits for the stream.
    let next = |p: &mut Program, [waits, _]: [Object; 2], _: Object| p.sync(waits);
    assert_eq!(run(false, &next), [MEM_02]);
    assert_eq!(run(true, &next), []);
    let event = |p: &mut Program, _: [Object; 2], event: Object| {
        p.call("aclrtSynchronizeEvent", event, Op::Synchronize);
    };
    assert_eq!(run(false, &event), [MEM_02]);
    assert_eq!(run(true, &event), []);
    let third = |p: &mut Program, [_, third]: [Object; 2], event: Object| {
        p.wait(third, event);
        p.sync(third);
    };
    assert_eq!(run(false, &third), [MEM_02]);
    assert_eq!(run(true, &third), []);
    let callback = |p: &mut Program, [waits, _]: [Object; 2], _: Object| {
        let callback = p.launch(waits, Op::LaunchHostFunction);
        p.callback_begins(callback);
    };
    assert_eq!(run(false, &callback), [MEM_02]);
    assert_eq!(run(true, &callback), []);
}

#[test]
fn streams_that_wait_for_something_unknown_use_what_others_have_written() {
    let run = |fenced: bool, third: bool| {
        broken(|p| {
            let (m, to, from) = (p.malloc(64), p.malloc_host(64), p.malloc_host(64));
            let (first, waits, event) = (p.stream(), p.stream(), p.mark());
            if fenced {
                p.fence(waits);
            }
            p.record(event, waits);
            let reads = if third { p.stream() } else { waits };
            if third {
                p.wait(reads, event);
            }
            p.copy(m, from, first);
            p.copy(to, m, reads);
        })
    };
    for third in [false, true] {
        assert_eq!(run(false, third), [STREAM_04], "{third}");
        assert_eq!(run(true, third), [], "{third}");
    }
}

#[test]
fn who_waits_for_a_stream_that_waits_knows_what_another_thread_has_queued_meanwhile() {
    let run = |fenced: bool| {
        broken(|p| {
            let (m, host, first, waits) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream());
            if fenced {
                p.fence(waits);
            }
            p.on(1).choose(Object::context(1000));
            let wait = p.event("aclrtSynchronizeStream", waits, Op::Synchronize);
            p.begin(&wait);
            p.on(0).copy(m, host, first);
            p.checker.commit(&wait, Outcome::Success);
            p.free_host(host);
        })
    };
    assert_eq!(run(false), [MEM_02]);
    assert_eq!(run(true), []);
}

#[test]
fn a_wait_that_lacks_for_two_streams_is_one_finding_that_names_both() {
    let run = |then: &dyn Fn(&mut Program, Object, [Object; 2], [Object; 2])| {
        findings(|p| {
            let (block, hosts) = (p.malloc(64), [p.malloc_host(64), p.malloc_host(64)]);
            let streams = [p.stream(), p.stream()];
            for (host, stream) in hosts.into_iter().zip(streams) {
                p.copy(host, block, stream);
                p.copy(host, block, stream);
            }
            then(p, block, hosts, streams);
        })
    };
    let named = |found: &[Finding]| -> Vec<(RuleId, Vec<Object>)> {
        let streams = |finding: &Finding| {
            let objects = finding.objects.iter().map(|concerned| concerned.object);
            objects.filter(|object| object.kind == Kind::Stream).collect()
        };
        found.iter().map(|finding| (finding.rule, streams(finding))).collect()
    };
    let mut both = Vec::new();
    let freed = run(&|p, block, hosts, _| {
        p.free(block);
        hosts.iter().for_each(|host| p.free_host(*host));
    });
    both.extend(freed[0].objects.iter().map(|concerned| concerned.object).filter(|object| object.kind == Kind::Stream));
    assert_eq!(named(&freed), [(MEM_02, both.clone())]);
    assert_eq!(both.len(), 2, "{}", freed[0]);
    assert!(freed[0].found.contains(&format!("; so may {}", both[1])), "{}", freed[0]);
    assert!(freed[0].fix.contains(&format!("{} and {}", both[0], both[1])), "{}", freed[0]);
    let one_is_over = run(&|p, block, hosts, streams| {
        p.sync(streams[0]);
        p.free(block);
        hosts.iter().for_each(|host| p.free_host(*host));
    });
    assert_eq!(named(&one_is_over), [(MEM_02, vec![both[1]])]);
    let written_at_once = run(&|p, block, hosts, _| {
        p.copy(block, hosts[0], None);
        p.copy(hosts[1], block, None);
    });
    assert_eq!(named(&written_at_once), [(COPY_04, both.clone())]);
    let third = run(&|p, block, hosts, _| {
        let third = p.stream();
        p.copy(block, hosts[0], third);
        p.copy(block, hosts[1], third);
        p.copy(hosts[1], block, third);
    });
    let [(rule, streams)] = &named(&third)[..] else { panic!("{third:?}") };
    assert!(*rule == STREAM_04 && both.iter().all(|stream| streams.contains(stream)), "{}", third[0]);
    assert!(third[0].fix.contains(&format!("record an event on {} and {}", both[0], both[1])), "{}", third[0]);
}
