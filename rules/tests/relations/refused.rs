//! One mistake is one finding: what follows from a call that was refused for it is not told.

use super::support::*;
use ascendcl_rules::*;

/// The call is refused for what it breaks, as strict checks do.
fn refused(p: &mut Program, call: &'static str, object: Object, op: Op) {
    let event = p.event(call, object, op);
    p.see(&event, Outcome::Refused);
}

fn rules_of(findings: &[Finding]) -> Vec<RuleId> {
    findings.iter().map(|finding| finding.rule).collect()
}

/// A block whose free was refused, because a copy was in flight. Nothing uses it any more.
fn refused_block(p: &mut Program) -> Object {
    let (block, stream) = (p.malloc(64), p.stream());
    p.copy(block, Object::memory(1), stream);
    refused(p, "aclrtFree", block, Op::Free);
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
        refused(p, "aclrtFree", block, Op::Free);
        p.reset(0);
    });
    assert_eq!(found, [MEM_12]);
}

#[test]
fn a_block_that_is_freed_by_a_wrong_address_is_one_finding() {
    let found = broken(|p| {
        let block = p.malloc(64);
        refused(p, "aclrtFree", Object::memory(block.number + 8), Op::Free);
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
    refused(&mut program, "aclrtResetDevice", Object::device(0), Op::Reset);
    refused(&mut program, "aclFinalize", Object::PROCESS, Op::Finalise);
    assert_eq!(rules_of(&program.findings), [MEM_12]);
    program.findings.clear();
    program.stream();
    refused(&mut program, "aclFinalize", Object::PROCESS, Op::Finalise);
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
    refused(program.on(0), "aclFinalize", Object::PROCESS, Op::Finalise);
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
        refused(p, "aclmdlRIDestroy", graph, Op::Destroy);
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
        refused(p, "aclrtDestroyStream", stream, Op::Destroy);
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
                refused(p, "aclmdlUnload", model, Op::Unload);
            }
            p.sync(stream);
            p.free(work);
        })
    };
    assert_eq!(run(true), [MODEL_14]);
    assert_eq!(run(false), [MODEL_02]);
}
