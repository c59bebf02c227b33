//! Datasets that another thread's run works with, which has not returned.

use super::support::*;
use ascendcl_rules::*;

/// Thread 0 does this while thread 1 is in a call that is made by the first closure.
fn during(other: &dyn Fn(&mut Program, [Object; 3]) -> Event, then: &dyn Fn(&mut Program, Object)) -> Vec<RuleId> {
    broken(|p| {
        p.on(1).set(0);
        let block = p.on(0).malloc(64);
        let ((input, buffer), (output, _)) = (p.dataset(block), p.dataset(block));
        let call = other(p.on(1), [input, output, buffer]);
        p.begin(&call);
        then(p.on(0), buffer);
        p.checker.commit(&call, Outcome::Success);
    })
}

fn changes(p: &mut Program, buffer: Object) {
    p.call("aclUpdateDataBuffer", buffer, Op::Change);
}

#[test]
fn a_data_buffer_does_not_change_under_a_run_of_another_thread() {
    let runs = |p: &mut Program, [input, output, _]: [Object; 3]| {
        let model = p.load(None, None);
        p.running(model, input, output, None)
    };
    assert_eq!(during(&runs, &changes), [MODEL_17]);
    let queues = |p: &mut Program, [input, output, _]: [Object; 3]| {
        let (model, stream) = (p.load(None, None), p.stream());
        p.running(model, input, output, Some(stream))
    };
    assert_eq!(during(&queues, &changes), [MODEL_17]);
    // Memory is none of a run's datasets, and a data buffer of no dataset is in no run.
    let reachable = |p: &mut Program, _: Object| {
        let event = p.event("aclrtHostRegister", Object::memory(0x10), Op::Change).flag(Flag::Reachable);
        p.see(&event, Outcome::Success);
    };
    assert_eq!(during(&runs, &reachable), []);
    let other = |p: &mut Program, _: Object| {
        let block = p.malloc(64);
        let buffer = p.data_buffer(block, 64);
        changes(p, buffer);
    };
    assert_eq!(during(&runs, &other), []);
    // Another call than a run only looks at it.
    let looks = |p: &mut Program, [input, _, buffer]: [Object; 3]| {
        p.event("aclmdlGetDatasetBuffer", input, Op::Use).using(Use::With(buffer))
    };
    assert_eq!(during(&looks, &changes), []);
    // What ends under a run is one finding.
    let ends = |p: &mut Program, buffer: Object| p.destroy(buffer);
    assert_eq!(during(&runs, &ends).len(), 1);
}
