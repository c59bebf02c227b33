//! What was not made, because the call for it was refused.

use super::support::*;
use ascendcl_rules::*;

/// An allocation that is refused, because the thread has no context.
fn refused_malloc(p: &mut Program) {
    p.on(1).refused("aclrtMalloc", Object::memory(0), Op::Allocate);
}

#[test]
fn a_data_buffer_without_memory_is_no_mistake_where_there_is_no_memory() {
    let run = |before: fn(&mut Program), thread: u64| {
        broken(|p| {
            before(p);
            p.on(thread).data_buffer(Object::memory(0), 64);
        })
    };
    assert_eq!(run(|_| (), 0), [DATA_03]);
    assert_eq!(run(refused_malloc, 0), [MEM_06]);
    // Null was freed in the place of that memory.
    let freed = |p: &mut Program| {
        refused_malloc(p);
        p.on(0).free(Object::memory(0));
    };
    assert_eq!(run(freed, 0), [MEM_06, DATA_03]);
    // A thread without a context gets no memory.
    let without_context = |p: &mut Program| {
        p.on(1).stream();
    };
    assert_eq!(run(without_context, 1), [THREAD_01]);
    assert_eq!(run(without_context, 0), [THREAD_01, DATA_03]);
}

#[test]
fn a_refused_end_accounts_for_nothing_that_does_not_exist() {
    let twice = |p: &mut Program| {
        [5, 6].iter().for_each(|number| p.refused("aclrtDestroyEvent", Object::event(*number), Op::Destroy));
    };
    assert_eq!(broken(twice), [EVENT_06, EVENT_06]);
}

/// A load that is refused, and the end of a model that no load has returned.
fn refused_load(p: &mut Program) {
    p.refused("aclmdlLoadFromFile", Object::model(0), Op::Load);
    p.refused("aclmdlUnload", Object::model(7), Op::Unload);
}

#[test]
fn a_call_that_failed_without_a_mistake_accounts_for_nothing() {
    assert_eq!(broken(refused_load), [MODEL_12]);
    assert_eq!(broken(|p| refused_load(p.on(1))), [THREAD_01], "there is no context");
    // The thread has one by now.
    let later = broken(|p| {
        p.on(1).stream();
        *p.context() = Some(1000);
        refused_load(p);
    });
    assert_eq!(later, [THREAD_01, MODEL_12]);
    // To reserve addresses takes no context, so it has failed for another reason.
    let reserves = |p: &mut Program| {
        p.refused("aclrtReserveMemAddress", Object::range(0), Op::Allocate);
        p.refused("aclrtReleaseMemAddress", Object::range(7), Op::Free);
    };
    assert_eq!(broken(|p| reserves(p.on(1))), [MEM_03]);
    let after_reset = broken(|p| {
        p.reset(0);
        reserves(p);
    });
    assert_eq!(after_reset, [MEM_03]);
}

#[test]
fn a_null_dataset_is_passed_or_destroyed_by_mistake() {
    assert_eq!(broken(|p| p.destroy(Object::dataset(0))), [DATA_05]);
    let added = broken(|p| {
        let buffer = p.data_buffer(Object::memory(1), 64);
        p.add(Object::dataset(0), buffer);
    });
    assert_eq!(added, [DATA_07]);
    let neither = broken(|p| {
        let (dataset, buffer) = p.dataset(Object::memory(1));
        p.destroy(dataset);
        p.destroy(buffer);
    });
    assert_eq!(neither, []);
}
