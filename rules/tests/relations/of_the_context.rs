//! Calls that the library refuses for the current context.

use super::support::*;
use ascendcl_rules::*;

/// What is found when the library refuses a call on the stream for its context.
fn found(p: &mut Program, stream: Object) -> Vec<RuleId> {
    let event = p.event("aclrtMemcpyAsync", Object::PROCESS, Op::Query).using(Use::Queue(stream));
    p.checker.of_the_context(&event).iter().map(|finding| finding.rule).collect()
}

fn program() -> Program {
    let mut p = Program::new();
    p.init();
    p.set(0);
    p
}

#[test]
fn a_context_that_is_missing_is_told_once() {
    let mut p = program();
    let stream = p.stream();
    assert_eq!(found(&mut p, stream), []);
    assert_eq!(found(p.on(1), stream), [THREAD_01]);
    assert_eq!(found(p.on(1), stream), []);
    // The thread has one that it did not choose itself.
    *p.on(2).context() = Some(1000);
    assert_eq!(found(&mut p, stream), []);
}

#[test]
fn a_stream_of_another_context_is_told_once() {
    let mut p = program();
    let streams = [0; 2].map(|_| p.stream());
    p.new_context(0);
    assert_eq!(found(&mut p, streams[0]), [STREAM_09]);
    assert_eq!(found(&mut p, streams[0]), []);
    assert_eq!(found(&mut p, streams[1]), [STREAM_09]);
}

#[test]
fn a_context_that_has_ended_is_told_and_not_the_stream() {
    let mut p = program();
    let stream = p.stream();
    let context = p.on(1).new_context(0);
    p.on(2).choose(context);
    p.on(1).call("aclrtDestroyContext", context, Op::Destroy);
    assert_eq!(found(p.on(2), stream), [], "the finding of the destroy has told it");
    p.on(0).call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
    assert_eq!(found(p.on(0), stream), [DEV_08]);
}

#[test]
fn what_a_context_has_taken_with_it_is_told_with_the_context() {
    let mut p = program();
    p.new_context(0);
    let (stream, own) = (p.stream(), *p.context());
    p.call("aclrtDestroyContext", Object::context(own.unwrap()), Op::Destroy);
    *p.context() = None;
    assert_eq!(p.findings.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [CTX_10]);
    assert_eq!(found(&mut p, stream), []);
    assert_eq!(found(&mut p, Object::stream(0)), [CTX_09]);
}

#[test]
fn such_a_call_has_a_number_of_its_own() {
    let mut p = program();
    let (stream, other) = (p.stream(), p.stream());
    p.new_context(0);
    let ask = |p: &mut Program, stream: Object| {
        let event = p.event("aclrtMemcpyAsync", Object::PROCESS, Op::Query).using(Use::Queue(stream));
        p.checker.of_the_context(&event)[0].call.number
    };
    assert!(ask(&mut p, stream) < ask(&mut p, other));
}
