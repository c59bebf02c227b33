//! Refusals that the feed explains, and what follows from earlier findings.

use super::support::*;
use ascendcl_rules::*;

fn refusal(rule: RuleId, object: Object) -> Refusal {
    Refusal { rule, found: "it".into(), expected: "that", fix: "do", objects: vec![object] }
}

/// Whether a refusal that the feed explains is told.
fn explained(p: &mut Program, call: &'static str, named: Object, op: Op, of: Object) -> bool {
    let event = p.event(call, named, op);
    !p.checker.explain(&event, &refusal(MODEL_20, of)).is_empty()
}

#[test]
fn a_refusal_is_told_again_when_a_run_has_used_its_own_object() {
    let run = |with_dataset: bool, runs_it: bool| {
        let mut again = false;
        let found = broken(|p| {
            let (a, models) = (p.malloc(64), [0; 2].map(|_| p.load(None, None)));
            let datasets = [0; 2].map(|_| p.dataset(a).0);
            let of = if with_dataset { datasets[0] } else { models[0] };
            let tell = |p: &mut Program| explained(p, "aclmdlSetInputDynamicDims", models[0], Op::Change, of);
            assert!(tell(p));
            assert!(!tell(p));
            let number = usize::from(!runs_it);
            p.run(models[usize::from(with_dataset || !runs_it)], datasets[number], datasets[1], None);
            again = tell(p);
        });
        assert_eq!(found, []);
        again
    };
    assert!(run(false, true) && run(true, true));
    assert!(!run(false, false) && !run(true, false));
}

#[test]
fn a_refusal_that_follows_from_what_was_told_is_not_told() {
    let ended = broken(|p| {
        let context = p.new_context(0);
        let (stream, model) = (p.stream(), Object::model(1));
        p.destroy_context(context);
        assert!(!explained(p, "aclmdlExecuteAsync", stream, Op::Use, model));
    });
    assert_eq!(ended, [CTX_10]);
    let never = without_library(|p| {
        p.refused("aclrtSetDevice", Object::device(0), Op::Set);
        assert!(!explained(p, "aclmdlExecute", Object::PROCESS, Op::Query, Object::model(1)));
    });
    assert_eq!(never, [INIT_01]);
    // A refused end of the library is not what a refusal about the process follows from.
    let process = broken(|p| {
        p.on(1).set(0);
        let other = p.event("aclrtSynchronizeDevice", Object::PROCESS, Op::Synchronize);
        p.begin(&other);
        p.on(0);
        p.refused("aclFinalize", Object::PROCESS, Op::Finalise);
        let event = p.event("aclprofInit", Object::PROCESS, Op::Query);
        let told = p.checker.explain(&event, &refusal(MODEL_20, Object::PROCESS));
        assert_eq!((told.len(), &*told[0].objects), (1, &[][..]), "there is one process, so nobody has to name it");
    });
    assert_eq!(process, [INIT_10, INIT_02]);
    // Only a load that was refused leaves something that does not exist.
    let other = broken(|p| {
        let model = p.load(None, None);
        assert!(explained(p, "aclmdlExecute", model, Op::Execute, model));
        p.unload(Object::model(0x5));
    });
    assert_eq!(other, [MODEL_12]);
    let told_before_run = broken(|p| {
        assert!(explained(p, "aclmdlSetInputAIPP", Object::PROCESS, Op::Query, Object::model(3)));
        p.call("aclmdlExecute", Object::model(3), Op::Execute);
    });
    assert_eq!(told_before_run, []);
}

#[test]
fn a_refusal_belongs_to_the_call_of_its_thread_and_name() {
    let run = |thread: u64, call: &'static str| {
        findings(|p| {
            p.on(1).set(0);
            let (model, other) = (p.on(0).load(None, None), p.load(None, None));
            let unload = p.event("aclmdlUnload", model, Op::Unload);
            p.begin(&unload);
            assert!(explained(p.on(thread), call, other, Op::Unload, other));
            p.checker.commit(&unload, Outcome::Refused);
            p.on(0).reset(0);
            p.on(1).reset(0);
        })
    };
    for (thread, call, count) in [(0, "aclmdlUnload", 0), (1, "aclmdlUnload", 1), (0, "aclmdlGetDesc", 1)] {
        let found = run(thread, call);
        let left = found.iter().map(|finding| finding.objects.len()).sum::<usize>();
        assert_eq!(left, count + 1, "{thread}, {call}: {found:?}");
    }
}

#[test]
fn an_event_whose_record_was_refused_is_waited_for_without_a_further_finding() {
    let run = |refused: bool| {
        broken(|p| {
            let event = p.mark();
            if refused {
                assert!(explained(p, "aclrtRecordEvent", event, Op::Record, event));
            }
            p.call("aclrtSynchronizeEvent", event, Op::Synchronize);
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [EVENT_05]);
}

#[test]
fn a_refusal_of_what_has_ended_with_its_device_is_about_its_end() {
    let run = |ends: bool| {
        let mut p = Program::new();
        p.init();
        p.set(0);
        let model = p.load(None, None);
        if ends {
            p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
        } else {
            p.unload(model);
        }
        let event = p.event("aclmdlSetDynamicBatchSize", model, Op::Query);
        p.checker.explain(&event, &refusal(MODEL_20, model))[0].rule
    };
    assert_eq!([run(true), run(false)], [CTX_10, MODEL_20]);
}

#[test]
fn an_object_with_the_number_of_one_that_was_told_of_is_told_of() {
    let run = |loads: bool| {
        let (mut p, model) = (Program::new(), Object::model(7));
        p.init();
        p.set(0);
        assert!(explained(&mut p, "aclmdlExecute", model, Op::Query, model));
        if loads {
            let event = p.event("aclmdlLoadFromFile", Object::model(0), Op::Load);
            p.see(&event, Outcome::Created(7));
        }
        explained(&mut p, "aclmdlExecute", model, Op::Query, model)
    };
    assert!(run(true));
    assert!(!run(false));
}

#[test]
fn a_descriptor_that_was_not_made_excuses_no_other_object() {
    let run = |object: Object| {
        broken(|p| {
            let event = p.event("aclrtAllocatorSetObjToDesc", Object::PROCESS, Op::Query);
            assert_eq!(p.checker.explain(&event, &refusal(ALLOC_06, Object::PROCESS)).len(), 1);
            p.destroy(object);
        })
    };
    assert_eq!(run(Object::descriptor(0)), []);
    assert_eq!(run(Object::descriptor(7)), [ALLOC_06]);
    assert_eq!(run(Object::event(7)), [EVENT_06]);
}
