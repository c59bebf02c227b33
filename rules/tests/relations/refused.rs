//! One mistake is one finding: what follows from a call that was refused for it is not told.

use super::support::*;
use ascendcl_rules::*;

fn rules_of(findings: &[Finding]) -> Vec<RuleId> {
    findings.iter().map(|finding| finding.rule).collect()
}

/// A block whose free was refused, because a copy was in flight. Nothing uses it any more.
fn refused_block(p: &mut Program) -> Object {
    let (block, stream) = (p.malloc(64), p.stream());
    p.copy(block, Object::memory(1), stream);
    p.refused("aclrtFree", block, Op::Free);
    p.sync(stream);
    p.destroy(stream);
    block
}

/// The end of a program that leaves nothing.
fn ends(p: &mut Program) {
    p.reset(0);
    p.finalise();
}

fn at_exit(p: &mut Program) -> Vec<RuleId> {
    let exit = p.event("exit", Object::PROCESS, Op::Ask);
    rules_of(&p.checker.exit(&exit))
}

#[test]
fn what_a_refused_end_leaves_is_one_finding() {
    let found = broken(|p| {
        refused_block(p);
        ends(p);
    });
    assert_eq!(found, [MEM_02]);
    // What the program has not tried to end is told.
    let found = broken(|p| {
        p.malloc(64);
        refused_block(p);
        p.reset(0);
    });
    assert_eq!(found, [MEM_02, MEM_12]);
    // So is what a call failed to end that broke no rule.
    let found = broken(|p| {
        let block = p.malloc(64);
        p.refused("aclrtFree", block, Op::Free);
        p.reset(0);
    });
    assert_eq!(found, [MEM_12]);
}

#[test]
fn a_block_that_is_freed_by_a_wrong_address_is_one_finding() {
    let found = broken(|p| {
        let block = p.malloc(64);
        p.refused("aclrtFree", Object::memory(block.number + 8), Op::Free);
        ends(p);
    });
    assert_eq!(found, [MEM_03]);
}

#[test]
fn a_device_and_a_library_that_are_refused_to_end_are_one_finding() {
    let mut program = Program::new();
    program.init();
    program.set(0);
    program.malloc(64);
    program.refused("aclrtResetDevice", Object::device(0), Op::Reset);
    program.refused("aclFinalize", Object::PROCESS, Op::Finalise);
    assert_eq!(rules_of(&program.findings), [MEM_12]);
    program.findings.clear();
    program.stream();
    program.refused("aclFinalize", Object::PROCESS, Op::Finalise);
    assert_eq!(rules_of(&program.findings), [INIT_02], "the stream");
    assert_eq!(program.findings[0].objects.len(), 1, "{}", program.findings[0]);
    assert_eq!(at_exit(&mut program), []);
}

#[test]
fn a_finalise_that_is_refused_under_other_calls_is_one_finding() {
    let mut program = Program::new();
    program.init();
    let set = program.on(1).event("aclrtSetDevice", Object::device(0), Op::Set);
    program.begin(&set);
    program.on(0).refused("aclFinalize", Object::PROCESS, Op::Finalise);
    assert_eq!(rules_of(&program.findings), [INIT_10]);
    assert_eq!(at_exit(&mut program), []);
}

#[test]
fn an_object_that_is_made_anew_is_told_again() {
    let found = broken(|p| {
        let block = refused_block(p);
        p.free(block);
        let event = p.event("aclrtMalloc", Object::memory(0), Op::Allocate);
        let event = event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, Some(Place::Device)));
        p.see(&event, Outcome::Created(block.number));
        p.reset(0);
    });
    assert_eq!(found, [MEM_02, MEM_12]);
}

#[test]
fn a_graph_that_is_refused_to_end_holds_nothing() {
    let found = broken(|p| {
        let (block, stream) = (p.malloc(64), p.stream());
        let event = p.event("aclmdlRICaptureEnd", Object::graph(0), Op::Create);
        let graph = p.create(&event.using(memory(block, 64, Access::Write, Role::Target, None)));
        let replay = p.event("aclmdlRIExecuteAsync", graph, Op::Replay).using(Use::Queue(stream));
        p.see(&replay, Outcome::Success);
        p.refused("aclmdlRIDestroy", graph, Op::Destroy);
        p.sync(stream);
        p.destroy(stream);
        p.free(block);
        ends(p);
    });
    assert_eq!(found, [GRAPH_07]);
}

#[test]
fn a_context_that_outlives_threads_is_one_finding() {
    let found = broken(|p| {
        let context = p.new_context(0);
        for thread in 1..4 {
            p.on(thread).choose(context);
            p.end_thread();
        }
        p.on(0).destroy_context(context);
    });
    assert_eq!(found, [CTX_14]);
    assert_eq!(CTX_14.severity(), Severity::Warning);
}

#[test]
fn work_that_was_refused_is_not_waited_for() {
    let run = |queued: bool| {
        move |p: &mut Program| {
            let stream = p.stream();
            p.work(stream);
            p.sync(stream);
            let event = p.event("aclrtMemsetAsync", stream, Op::Use).using(Use::Queue(stream));
            p.see(&event, if queued { Outcome::Success } else { Outcome::Refused });
            p.destroy(stream);
        }
    };
    breaks(STREAM_05, run(true), run(false));
    // What was queued before is.
    let before = |p: &mut Program| {
        let stream = p.stream();
        p.work(stream);
        let event = p.event("aclrtMemsetAsync", stream, Op::Use).using(Use::Queue(stream));
        p.see(&event, Outcome::Refused);
        p.destroy(stream);
    };
    assert_eq!(broken(before), [STREAM_05]);
}

#[test]
fn a_stream_that_is_refused_to_end_is_one_finding() {
    let found = broken(|p| {
        let (block, stream) = (p.malloc(64), p.stream());
        p.copy(block, Object::memory(1), stream);
        p.refused("aclrtDestroyStream", stream, Op::Destroy);
        p.free(block);
        ends(p);
    });
    assert_eq!(found, [STREAM_05]);
}

#[test]
fn what_a_call_looks_for_in_vain_is_named() {
    let mut program = Program::new();
    program.init();
    program.set(0);
    let stream = program.stream();
    let sought = program.event("aclrtMemsetAsync", stream, Op::Query);
    assert_eq!(program.checker.look_for(&sought), []);
    program.destroy(stream);
    let found = program.checker.look_for(&sought);
    assert_eq!(rules_of(&found), [STREAM_08]);
    assert_eq!(found[0].contradicts.as_ref().unwrap().0.name, "aclrtDestroyStream");
}

#[test]
fn memory_of_a_model_that_is_refused_to_be_unloaded_is_one_finding() {
    let run = |refuses: bool| {
        broken(move |p| {
            let (work, x, stream) = (p.malloc(64), p.malloc(64), p.stream());
            let (model, (data, _)) = (p.load(Some(work), None), p.dataset(x));
            p.run(model, data, data, stream);
            if refuses {
                p.refused("aclmdlUnload", model, Op::Unload);
            }
            p.sync(stream);
            p.free(work);
        })
    };
    assert_eq!(run(true), [MODEL_14]);
    assert_eq!(run(false), [MODEL_02]);
}

/// The library has refused a call about these objects, and the feed knows that this is for an unfit shape.
fn explain(p: &mut Program, call: &'static str, objects: &[Object]) {
    let refusal = Refusal {
        rule: MODEL_20,
        found: "a shape that the model does not have".into(),
        expected: "a shape that it has",
        fix: "choose another one",
        objects: objects.to_vec(),
    };
    let event = p.event(call, Object::PROCESS, Op::Query);
    let found = p.checker.explain(&event, &refusal);
    p.findings.extend(found);
}

#[test]
fn a_refusal_that_the_feed_explains_is_told_once_until_its_objects_were_used_well() {
    let found = findings(|p| {
        let block = p.malloc(64);
        let (model, (data, _)) = (p.load(None, None), p.dataset(block));
        let other = p.load(None, None);
        explain(p, "aclmdlSetDynamicBatchSize", &[data, model]);
        explain(p, "aclmdlExecute", &[model]);
        explain(p, "aclmdlExecute", &[other]);
        p.run(model, data, data, None);
        explain(p, "aclmdlExecute", &[model]);
    });
    let told: Vec<_> = found.iter().map(|finding| (finding.call.name, finding.objects.len())).collect();
    assert_eq!(told, [("aclmdlSetDynamicBatchSize", 2), ("aclmdlExecute", 1), ("aclmdlExecute", 1)]);
    // What is about nothing in particular has no consequences.
    let found = broken(|p| (0..2).for_each(|_| explain(p, "aclrtMemcpy", &[])));
    assert_eq!(found, [MODEL_20, MODEL_20]);
    // Of what there is once, each rule is told once.
    let found = broken(|p| (0..2).for_each(|_| explain(p, "aclprofInit", &[Object::PROCESS])));
    assert_eq!(found, [MODEL_20]);
}

#[test]
fn a_refusal_of_what_has_ended_names_its_end() {
    let found = findings(|p| {
        let model = p.load(None, None);
        p.call("aclmdlUnload", model, Op::Unload);
        explain(p, "aclmdlSetDynamicBatchSize", &[model]);
    });
    let [found] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(found.contradicts.as_ref().map(|(call, _)| call.name), Some("aclmdlUnload"));
}

#[test]
fn refusals_about_the_process_are_told_once_for_each_rule() {
    let told = |p: &mut Program, rule: RuleId, object: Object| {
        let refusal = Refusal { rule, found: "it".into(), expected: "that", fix: "do", objects: vec![object] };
        let event = p.event("a call", Object::PROCESS, Op::Ask);
        p.checker.explain(&event, &refusal).len()
    };
    let found = broken(|p| {
        assert_eq!(told(p, DEV_01, Object::PROCESS), 1);
        assert_eq!(told(p, DEV_02, Object::PROCESS), 1);
        assert_eq!(told(p, DEV_01, Object::PROCESS), 0);
        let stream = p.stream();
        assert_eq!(told(p, STREAM_01, stream), 1);
        assert_eq!(told(p, STREAM_02, stream), 0, "another object is told of once for all rules");
    });
    assert_eq!(found, []);
}

/// A load into memory that was freed.
fn refused_load(p: &mut Program) {
    let block = p.malloc(64);
    p.free(block);
    let event = p.event("aclmdlLoadFromFileWithMem", Object::model(0), Op::Load);
    p.see(&event.using(memory(block, 64, Access::Write, Role::Workspace, DEVICE)), Outcome::Refused);
}

#[test]
fn a_refused_load_accounts_for_one_number_that_no_load_has_returned() {
    let run = |loads: usize, numbers: &[u64]| {
        broken(|p| {
            (0..loads).for_each(|_| refused_load(p));
            numbers.iter().for_each(|number| p.refused("aclmdlUnload", Object::model(*number), Op::Unload));
        })
    };
    assert_eq!(run(0, &[7]), [MODEL_12]);
    assert_eq!(run(1, &[7, 7]), [MODEL_02]);
    assert_eq!(run(1, &[7, 8, 8, 7]), [MODEL_02, MODEL_12]);
    assert_eq!(run(2, &[7, 8, 7]), [MODEL_02, MODEL_02]);
    assert_eq!(run(2, &[7, 7, 8]), [MODEL_02, MODEL_02]);
    // A load that returns a number ends the excuse for it.
    let found = broken(|p| {
        refused_load(p);
        p.refused("aclmdlUnload", Object::model(7), Op::Unload);
        let event = p.event("aclmdlLoadFromFile", Object::model(0), Op::Load);
        p.see(&event, Outcome::Created(7));
        p.unload(Object::model(7));
        p.refused("aclmdlUnload", Object::model(7), Op::Unload);
    });
    assert_eq!(found, [MODEL_02, MODEL_14]);
}

#[test]
fn what_a_context_has_that_was_refused_to_end_may_end_in_another_one() {
    let found = broken(|p| {
        let context = p.new_context(0);
        let (model, stream) = (p.load(None, None), p.stream());
        p.refused("aclrtDestroyContext", context, Op::Destroy);
        p.set(0);
        p.refused("aclmdlUnload", model, Op::Unload);
        p.refused("aclrtDestroyStream", stream, Op::Destroy);
    });
    assert_eq!(found, [CTX_10]);
}

#[test]
fn what_a_refused_call_was_to_write_may_be_copied_to_the_host() {
    let run = |refused: bool| {
        broken(|p| {
            let block = p.malloc(64);
            if refused {
                let event = p.event("aclopExecWithHandle", Object::PROCESS, Op::Query);
                let objects = vec![Object::description(7)];
                let refusal = Refusal { rule: OP_07, found: "it".into(), expected: "that", fix: "do", objects };
                assert_eq!(p.checker.explain(&event, &refusal).len(), 1);
            }
            let copy = p.event("aclrtMemcpy", Object::memory(1), Op::Use).flag(Flag::Untouched);
            p.see(&copy.using(memory(block, 64, Access::Read, Role::Source, DEVICE)), Outcome::Success);
        })
    };
    assert_eq!(run(false), [MEM_07]);
    assert_eq!(run(true), []);
}

#[test]
fn a_number_that_a_refused_load_accounts_for_is_looked_for_in_vain() {
    let run = |loads: bool| {
        broken(|p| {
            if loads {
                refused_load(p);
            }
            let asks = p.event("aclmdlGetDesc", Object::model(7), Op::Ask);
            let found = p.checker.look_for(&asks);
            p.findings.extend(found);
        })
    };
    assert_eq!(run(true), [MODEL_02]);
    assert_eq!(run(false), [MODEL_12]);
}
