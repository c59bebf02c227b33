//! Calls of several threads at a time: one ends what another uses.

use crate::allocators::{lender, run_in};
use crate::support::*;
use ascendcl_rules::*;

/// The rules that are broken when one thread does `second` during the call `first` of another.
fn during(first: impl Fn(&mut Program) -> Event, second: impl Fn(&mut Program, &Event), on: u64) -> Vec<RuleId> {
    broken(|p| {
        p.on(1).set(0);
        let first = first(p.on(0));
        p.begin(&first);
        second(p.on(on), &first);
        p.checker.commit(&first, Outcome::Success);
    })
}

#[test]
fn a_stream_is_not_used_while_another_thread_destroys_it() {
    let destroying = |p: &mut Program| {
        let stream = p.stream();
        p.event("aclrtDestroyStream", stream, Op::Destroy)
    };
    let used = |p: &mut Program, destroying: &Event| p.sync(destroying.object);
    assert_eq!(during(destroying, used, 1), [STREAM_07]);
    // Code of the program that the destroying call itself calls is on its thread.
    assert_eq!(during(destroying, used, 0), []);
    let other = |p: &mut Program, _: &Event| {
        let stream = p.stream();
        p.sync(stream);
    };
    assert_eq!(during(destroying, other, 1), []);
}

#[test]
fn a_stream_is_not_destroyed_while_another_thread_uses_it() {
    let using = |p: &mut Program| {
        let stream = p.stream();
        p.event("aclrtSynchronizeStream", stream, Op::Synchronize)
    };
    assert_eq!(during(using, |p, using| p.destroy(using.object), 1), [STREAM_07]);
    let other = |p: &mut Program, _: &Event| {
        let stream = p.stream();
        p.destroy(stream);
    };
    assert_eq!(during(using, other, 1), []);
}

/// The block that the first use of the event names.
fn block_of(event: &Event) -> Object {
    match event.uses[0] {
        Use::Memory { span, .. } => Object::memory(span.start),
        _ => unreachable!("the first use is the block"),
    }
}

#[test]
fn memory_is_not_freed_while_another_thread_uses_it() {
    let copying = |p: &mut Program| {
        let block = p.malloc(64);
        let copy = p.event("aclrtMemcpy", block, Op::Use);
        copy.using(memory(block, 64, Access::Write, Role::Target, DEVICE))
    };
    let loading = |p: &mut Program| {
        let block = p.malloc(64);
        let load = p.event("aclmdlLoadFromFileWithMem", Object::model(0), Op::Load);
        load.using(memory(block, 64, Access::Read, Role::Weights, DEVICE))
    };
    assert_eq!(during(copying, |p, copying| p.free(block_of(copying)), 1), [MEM_02]);
    assert_eq!(during(loading, |p, loading| p.free(block_of(loading)), 1), [MODEL_03]);
    let other = |p: &mut Program, _: &Event| {
        let block = p.malloc(64);
        p.free(block);
    };
    assert_eq!(during(copying, other, 1), []);
}

#[test]
fn the_memory_of_an_allocator_is_freed_while_its_free_function_still_runs() {
    let giving_back = |awaited: bool| {
        move |p: &mut Program| {
            let (block, stream, allocator) = lender(p);
            run_in(p, stream, block.number, 64, &[]);
            if awaited {
                p.sync(stream);
            }
            let back = p.event("", allocator, Op::GiveBack);
            back.using(memory(block, 64, Access::Write, Role::Workspace, None))
        }
    };
    assert_eq!(during(giving_back(true), |p, back| p.free(block_of(back)), 1), []);
    assert_eq!(during(giving_back(false), |p, back| p.free(block_of(back)), 1), [ALLOC_11]);
}

/// Two models, thread 1 runs the first, and thread 0 runs one of them meanwhile. `areas` says which of two blocks is the
/// working memory of each and which of two others has its weights.
fn runs_at_once(areas: [[usize; 2]; 2], queued: [bool; 2], own: usize) -> Vec<RuleId> {
    broken(|p| {
        p.on(1).set(0);
        p.on(0);
        let (work, weights) = ([0; 2].map(|_| p.malloc(64)), [0; 2].map(|_| p.malloc(64)));
        let models = areas.map(|[first, second]| p.load(Some(work[first]), Some(weights[second])));
        let sets = [0; 2].map(|_| {
            let (input, output) = (p.malloc(64), p.malloc(64));
            (p.dataset(input).0, p.dataset(output).0)
        });
        let queues = queued.map(|queued| queued.then(|| p.stream()));
        let other = p.on(1).running(models[0], sets[0].0, sets[0].1, queues[0]);
        p.begin(&other);
        p.on(0).run(models[own], sets[1].0, sets[1].1, queues[1]);
        p.checker.commit(&other, Outcome::Success);
    })
}

#[test]
fn runs_of_two_threads_share_no_working_memory() {
    const AT_ONCE: [bool; 2] = [false, false];
    assert_eq!(runs_at_once([[0, 0], [1, 1]], AT_ONCE, 1), []);
    assert_eq!(runs_at_once([[0, 0], [1, 0]], AT_ONCE, 1), [], "both read the weights");
    assert_eq!(runs_at_once([[0, 0], [0, 1]], AT_ONCE, 1), [MODEL_06]);
    assert_eq!(runs_at_once([[0, 0], [1, 1]], AT_ONCE, 0), [MODEL_16]);
    assert_eq!(runs_at_once([[0, 0], [0, 1]], [true, false], 1), [MODEL_04]);
    assert_eq!(runs_at_once([[0, 0], [0, 1]], [false, true], 1), [MODEL_04]);
    assert_eq!(runs_at_once([[0, 0], [1, 0]], [false, true], 1), []);
    // A queued run is ordered by its stream.
    assert_eq!(runs_at_once([[0, 0], [1, 1]], [false, true], 0), []);
    assert_eq!(runs_at_once([[0, 0], [1, 1]], [true, true], 1), []);
}

#[test]
fn another_call_than_a_run_is_no_run() {
    let found = broken(|p| {
        p.on(1).set(0);
        let model = p.on(0).load(None, None);
        let (input, output) = (p.malloc(64), p.malloc(64));
        let (input, output) = (p.dataset(input).0, p.dataset(output).0);
        let changes = p.on(1).event("aclmdlSetDynamicBatchSize", model, Op::Change);
        p.begin(&changes);
        p.on(0).run(model, input, output, None);
        p.checker.commit(&changes, Outcome::Success);
    });
    assert_eq!(found, []);
}
