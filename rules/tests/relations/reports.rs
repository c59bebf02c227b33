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
    // What the rule does not ask for, or what ends with something that is named.
    let silent = [Kind::Graph, Kind::Channel, Kind::Description];
    for object in &made {
        assert_eq!(named(object), !silent.contains(&object.kind), "{object}");
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
