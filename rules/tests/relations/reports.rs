//! What a finding says.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn a_report_names_rule_objects_threads_and_the_earlier_call() {
    let found = findings(|p| {
        let (block, pinned, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        p.copy(block, pinned, stream);
        p.on(1).free(block);
    });
    let rule = MEM_02.rule().text;
    let expected = format!(
        "\
MEM-02 is broken by aclrtFree (call 7, thread 1)
  rule:     {rule}
  found:    memory 0x20000 is freed while stream 0x40000 may still use it as the destination of a copy or fill
  expected: the work is complete: a thread has waited for it
  object:   memory 0x20000, made by aclrtMalloc (call 3, thread 0), last used by aclrtMemcpyAsync (call 6, thread 0)
  object:   stream 0x40000, made by aclrtCreateStream (call 5, thread 0), last used by aclrtMemcpyAsync (call 6, thread 0)
  earlier:  aclrtMemcpyAsync (call 6, thread 0) queued work that uses the memory
  fix:      synchronise stream 0x40000 before the memory is freed"
    );
    assert_eq!(found[0].to_string(), expected);
}

#[test]
fn a_long_list_of_objects_is_cut() {
    let found = findings(|p| {
        for _ in 0..20 {
            p.stream();
        }
        p.reset(0);
    });
    assert_eq!(found[0].objects.len(), 20);
    assert!(found[0].to_string().contains("and 12 more"), "{}", found[0]);
}

/// An object of each kind that a call creates, by a call that needs nothing else.
fn one_of_each(p: &mut Program) -> Vec<Object> {
    let kinds = [
        Kind::Event,
        Kind::Notify,
        Kind::Graph,
        Kind::Channel,
        Kind::Dataset,
        Kind::DataBuffer,
        Kind::Descriptor,
        Kind::Description,
        Kind::Pool,
        Kind::Range,
        Kind::Physical,
        Kind::Model,
        Kind::Context,
    ];
    let mut make = |kind: &Kind| {
        let object = Object { kind: *kind, number: 0 };
        let event = p.event("the creation", object, if *kind == Kind::Model { Op::Load } else { Op::Create });
        p.create(&event.using(Use::With(Object::device(0))))
    };
    kinds.iter().map(&mut make).collect()
}

#[test]
fn a_report_about_what_has_ended_names_its_last_use() {
    /// Kinds of which a change and a second end do not say that they have ended.
    const SILENT: [Kind; 4] = [Kind::Graph, Kind::Channel, Kind::Description, Kind::Context];
    let mut p = Program::new();
    p.init();
    p.set(0);
    for object in one_of_each(&mut p) {
        let use_of_it = p.event("the use", object, Op::Change);
        p.see(&use_of_it, Outcome::Success);
        p.choose(Object::context(1000));
        let end = if object.kind == Kind::Model { Op::Unload } else { Op::Destroy };
        let ends = p.event("the end", object, end);
        let found = p.checker.judge(&ends);
        assert!(found.is_empty(), "{found:?}");
        p.checker.commit(&ends, Outcome::Success);
        let found = [&use_of_it, &ends].into_iter().flat_map(|event| p.checker.look_for(event)).collect::<Vec<_>>();
        let about = found.iter().flat_map(|finding| &finding.objects).find(|about| about.object == object);
        let Some(about) = about else {
            assert!(SILENT.contains(&object.kind), "nothing is said about {object}: {found:?}");
            continue;
        };
        assert_eq!(about.made.map(|call| call.name), Some("the creation"), "{object}");
        assert!(about.used.is_some(), "{object}");
    }
}

#[test]
fn what_is_left_at_the_exit_is_named() {
    let mut p = Program::new();
    p.init();
    p.set(0);
    let mut made = one_of_each(&mut p);
    made.extend([p.malloc(64), p.malloc_host(64), p.stream()]);
    let exit = p.event("the exit", Object::PROCESS, Op::Finalise);
    let found = p.checker.exit(&exit);
    assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [INIT_03]);
    let named = |object: &Object| found[0].objects.iter().any(|about| about.object == *object);
    for object in &made {
        // The rule does not ask for descriptions.
        assert_eq!(named(object), object.kind != Kind::Description, "{object}");
    }
    assert!(!named(&Object::context(1000)), "the library's own context is not left by the program");
}

#[test]
fn each_question_to_the_checker_has_a_number_of_its_own() {
    let mut p = Program::new();
    p.init();
    p.set(0);
    let lost = p.event("aclrtSynchronizeStream", Object::stream(0x5), Op::Synchronize);
    let mut asked = || p.checker.look_for(&lost)[0].call.number;
    let first = asked();
    assert_eq!(asked(), first + 1);
    let refusal = |rule: RuleId, object: Object| Refusal {
        rule,
        found: "it".into(),
        expected: "that",
        fix: "do",
        objects: vec![object],
    };
    let (a, b) = (p.stream(), p.stream());
    let event = p.event("aclrtSynchronizeStream", a, Op::Synchronize);
    let mut told = |object| p.checker.explain(&event, &refusal(STREAM_01, object))[0].call.number;
    let first = told(a);
    assert_eq!(told(b), first + 1);
}

#[test]
fn a_call_breaks_the_first_of_several_rules_only() {
    // Each has memory in flight besides, and that is not told.
    let run = |then: &dyn Fn(&mut Program, Object, Object, Object)| {
        broken(|p| {
            let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            p.copy(a, h, stream);
            then(p, a, h, stream);
        })
    };
    assert_eq!(run(&|p, a, h, _| p.on(1).copy(a, h, Object::stream(0x5))), [THREAD_01]);
    assert_eq!(run(&|p, a, h, _| p.copy(a, h, Object::stream(0x5))), [STREAM_08]);
    let elsewhere = |p: &mut Program, a: Object, h: Object, _: Object| {
        p.new_context(0);
        let other = p.stream();
        p.choose(Object::context(1000));
        p.copy(a, h, other);
    };
    assert_eq!(run(&elsewhere), [STREAM_09]);
    assert_eq!(run(&|p, a, h, _| p.copy_as((a, HOST), (h, HOST), None)), [COPY_02]);
}

#[test]
fn flags_that_a_call_gets_while_it_runs_count() {
    let run = |flag: Option<Flag>| {
        broken(|p| {
            let stream = p.stream();
            let creates = p.event("aclrtCreateEventWithFlag", Object::event(0), Op::Create);
            p.begin(&creates);
            let ended = flag.into_iter().fold(creates, Event::flag);
            p.checker.commit(&ended, Outcome::Created(0x77));
            p.record(Object::event(0x77), stream);
            p.wait(stream, Object::event(0x77));
        })
    };
    assert_eq!(run(Some(Flag::Waitable)), []);
    assert_eq!(run(None), [EVENT_02]);
}

/// The rule, what was found, and the fix, of the one finding of the last call.
fn last(run: impl FnOnce(&mut Program)) -> (RuleId, String, String) {
    let mut found = findings(run);
    assert_eq!(found.len(), 1, "{found:?}");
    let found = found.remove(0);
    (found.rule, found.found.to_string(), found.fix.to_string())
}

#[test]
fn a_report_says_whether_an_object_has_ended_or_never_was() {
    let is = |said: (RuleId, String, String), rule: RuleId, found: &str, fix: &str| {
        assert!(said.0 == rule && said.1.contains(found) && said.2.contains(fix), "{rule:?}, {found}, {fix}: {said:?}");
    };
    let again = last(|p| {
        let event = p.mark();
        p.destroy(event);
        p.destroy(event);
    });
    is(again, EVENT_06, "is ended again after it ended", "destroy each event once");
    let used = last(|p| {
        let (event, stream) = (p.mark(), p.stream());
        p.destroy(event);
        p.record(event, stream);
    });
    is(used, EVENT_06, "is used after it ended", "destroy each event once");
    let unknown = "use the handle that its creation returned";
    is(last(|p| p.destroy(Object::event(5))), EVENT_06, "but no such event was ever created", unknown);
    is(last(|p| p.destroy(Object::event(0))), EVENT_06, "the event is null", unknown);
    let on_dead_stream = last(|p| {
        let (event, stream) = (p.mark(), p.stream());
        p.destroy(stream);
        p.record(event, stream);
    });
    is(on_dead_stream, STREAM_08, "is used after it ended", "destroy each stream once");
    let ends_with_dead = last(|p| {
        let block = p.malloc(64);
        let (dataset, buffer) = p.dataset(block);
        p.destroy(buffer);
        let event = p.event("aclmdlDestroyDataset", dataset, Op::Destroy).using(Use::With(buffer));
        p.see(&event, Outcome::Success);
    });
    is(ends_with_dead, DATA_05, "is used after it ended", "destroy each object once");
    let null = Object::stream(0);
    is(last(|p| p.destroy(null)), STREAM_02, "a default stream is destroyed", "do not destroy it");
    is(last(|p| p.sync(Object::stream(5))), STREAM_08, "no such stream", "destroy each stream once");
    let registers = last(|p| {
        let descriptor = p.descriptor(&Member::ALL, 0x5);
        p.register(null, descriptor);
    });
    is(registers, ALLOC_01, "the stream is null", "register on a stream");
    is(last(|p| p.unregister(null)), ALLOC_20, "the stream is null", "unregister the stream that was registered");
    let forced = |then: &dyn Fn(&mut Program, Object, Object)| {
        last(|p| {
            let (stream, model) = (p.stream(), p.load(None, None));
            p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
            p.set(0);
            then(p, stream, model);
        })
    };
    is(forced(&|p, stream, _| p.destroy(stream)), DEV_05, "is ended again", "before its device is reset");
    is(forced(&|p, _, model| p.unload(model)), CTX_10, "is ended again", "unload the model before");
    let unloaded = last(|p| {
        let model = p.load(None, None);
        p.unload(model);
        p.unload(model);
    });
    is(unloaded, MODEL_14, "is ended again", "unload each model once");
}

#[test]
fn a_report_says_which_call_frees_a_block() {
    let is = |said: (RuleId, String, String), rule: RuleId, found: &str, fix: &str| {
        assert!(said.0 == rule && said.1.contains(found) && said.2.contains(fix), "{rule:?}, {found}, {fix}: {said:?}");
    };
    let pinned = last(|p| {
        let h = p.malloc_host(64);
        p.free(h);
    });
    is(pinned, MEM_03, "is pinned host memory", "free it with aclrtFreeHost");
    let device = last(|p| {
        let a = p.malloc(64);
        p.free_host(a);
    });
    assert!(device.1.contains("is device memory") && device.2 == "free it with aclrtFree", "{device:?}");
    let unregister = |p: &mut Program, block: Object| {
        let event = p.event("aclrtHostUnregister", block, Op::FreeHost).flag(Flag::Registered);
        p.see(&event, Outcome::Success);
    };
    let allocated = last(|p| {
        let h = p.malloc_host(64);
        unregister(p, h);
    });
    is(allocated, MEM_14, "is unregistered, but an allocation returned it", "");
    is(last(|p| unregister(p, Object::memory(0x40))), MEM_14, "but it is not registered", "");
    let registered = last(|p| {
        let event = p.event("aclrtHostRegister", Object::memory(0), Op::Allocate).flag(Flag::Registered);
        let block = p.create(&event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, HOST)));
        p.free_host(block);
    });
    is(registered, MEM_14, "it is memory of the program that is registered", "");
    let fix = |to: Role, place| {
        last(|p| {
            let h = p.malloc_host(64);
            let event = p.event("a call", h, Op::Use).using(memory(h, 64, Access::Write, to, place));
            p.see(&event, Outcome::Success);
        })
    };
    let (copies, other) = (fix(Role::Target, DEVICE), fix(Role::Workspace, DEVICE));
    assert_eq!((copies.0, other.0), (COPY_02, MEM_10));
    assert_ne!(copies.2, other.2, "the direction of a copy is its own mistake");
}

#[test]
fn one_finding_is_enough_for_an_event_and_a_stream_of_other_places() {
    let found = broken(|p| {
        let event = p.mark();
        p.set(1);
        let stream = p.stream();
        p.choose(Object::context(1000));
        p.record(event, stream);
    });
    assert_eq!(found, [STREAM_10]);
    // A question about a model works from every context.
    let asked = broken(|p| {
        let model = p.load(None, None);
        p.new_context(0);
        p.call("aclmdlGetDesc", model, Op::Ask);
    });
    assert_eq!(asked, []);
}

#[test]
fn two_threads_do_not_use_one_channel_at_once() {
    let run = |own: usize, queued: bool| {
        broken(|p| {
            p.on(1).set(0);
            p.on(0);
            let channels = [0; 2].map(|_| {
                let event = p.event("acldvppCreateChannel", Object { kind: Kind::Channel, number: 0 }, Op::Create);
                p.create(&event)
            });
            let (a, b) = (p.stream(), p.stream());
            let uses = |p: &mut Program, stream: Object, channel: Object| {
                let object = if queued { stream } else { Object::PROCESS };
                let mut event = p.event("acldvppVpcResizeAsync", object, Op::Use).using(Use::With(channel));
                event.uses.extend(queued.then_some(Use::Queue(stream)));
                event
            };
            let other = uses(p.on(1), a, channels[0]);
            p.begin(&other);
            let own = uses(p.on(0), b, channels[own]);
            p.see(&own, Outcome::Success);
            p.checker.commit(&other, Outcome::Success);
        })
    };
    for queued in [true, false] {
        assert_eq!(run(0, queued), [DVPP_01]);
        assert_eq!(run(1, queued), []);
    }
}
