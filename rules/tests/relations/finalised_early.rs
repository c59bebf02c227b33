//! What is ended after a finalisation that has left objects over.

use super::support::*;
use super::virtual_memory::release;
use ascendcl_rules::*;

/// Physical memory of the host with a second handle. No finding lists it: nobody knows which handle is to be freed.
fn with_two_handles(p: &mut Program) -> Object {
    let event = p.event("aclrtMallocPhysical", Object::physical(0), Op::Allocate);
    let physical = p.create(&event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, HOST)));
    p.call("aclrtMemRetainAllocationHandle", physical, Op::Retain);
    physical
}

#[test]
fn what_the_finding_does_not_list_is_left_over_as_well() {
    let run = |early: bool| {
        move |p: &mut Program| {
            let memory = with_two_handles(p);
            let finalise = |p: &mut Program| {
                p.reset(0);
                p.finalise();
            };
            if early {
                p.malloc_host(64);
                finalise(p);
            }
            (0..2).for_each(|_| release(p, memory));
            if !early {
                finalise(p);
            }
        }
    };
    breaks(INIT_02, run(true), run(false));
    // Nothing was left over by the finding, so this one is the first.
    let alone = broken(|p| {
        let memory = with_two_handles(p);
        p.reset(0);
        p.finalise();
        release(p, memory);
    });
    assert_eq!(alone, [INIT_02]);
}

#[test]
fn calls_in_between_do_not_change_what_was_left_over() {
    let found = broken(|p| {
        let event = p.event("aclmdlCreateDesc", Object::description(0), Op::Create);
        let (description, stream) = (p.create(&event), p.stream());
        p.reset(0);
        p.finalise();
        p.destroy(stream);
        p.call("aclmdlDestroyDesc", description, Op::Destroy);
    });
    assert_eq!(found, [DEV_02, INIT_02]);
}

#[test]
fn a_call_that_ends_nothing_is_judged_by_itself() {
    let run = |frees: bool| {
        broken(|p| {
            let block = p.malloc(64);
            if frees {
                p.free(block);
            }
            p.finalise();
            p.copy(block, Object::memory(1), Object::stream(0));
        })
    };
    assert_eq!(run(true), [INIT_02, MEM_01]);
    assert_eq!(run(false), [INIT_02]);
}

#[test]
fn a_library_that_is_initialised_again_has_its_own_mistakes() {
    let run = |waits: bool| {
        broken(|p| {
            let (block, host, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            p.finalise();
            p.init();
            p.copy(block, host, stream);
            if waits {
                p.sync(stream);
            }
            p.free(block);
        })
    };
    assert_eq!(run(false), [INIT_02, MEM_02]);
    assert_eq!(run(true), [INIT_02]);
}

#[test]
fn what_is_ended_behind_a_finalisation_under_a_call_is_the_same_mistake() {
    let run = |busy: bool| {
        broken(|p| {
            let event = p.event("aclmdlCreateDesc", Object::description(0), Op::Create);
            let description = p.create(&event);
            let other = p.on(1).event("aclrtGetDeviceCount", Object::PROCESS, Op::Query);
            p.on(0).reset(0);
            if busy {
                p.begin(&other);
            }
            p.finalise();
            p.call("aclmdlDestroyDesc", description, Op::Destroy);
        })
    };
    assert_eq!(run(true), [INIT_10]);
    assert_eq!(run(false), [INIT_02]);
}

#[test]
fn what_had_ended_before_is_ended_again() {
    let found = broken(|p| {
        let block = p.malloc(64);
        p.free(block);
        p.finalise();
        p.free(block);
    });
    assert_eq!(found, [INIT_02, INIT_02, MEM_01]);
}

#[test]
fn a_library_that_was_ended_for_others_and_initialised_again_ends_once_more() {
    let run = |again: bool| {
        broken(|p| {
            p.reset(0);
            p.init();
            p.finalise();
            if again {
                p.init();
                p.finalise();
            }
            p.set(0);
        })
    };
    assert_eq!(run(true), [INIT_07, INIT_02]);
    assert_eq!(run(false), [INIT_07]);
    // The other part of the program ends it, too.
    let twice = |others: bool| {
        broken(|p| {
            p.reset(0);
            if others {
                p.init();
            }
            (0..2).for_each(|_| p.finalise());
        })
    };
    assert_eq!(twice(true), [INIT_07]);
    assert_eq!(twice(false), [INIT_08]);
}

/// A data buffer that was in a destroyed dataset, and perhaps in another one by now, which a thread is still at that made it.
#[test]
fn a_data_buffer_that_another_dataset_has_is_not_left_over_alone() {
    let run = |added: bool| {
        broken(|p| {
            p.on(1).set(0);
            let event = p.event("aclmdlCreateDataset", Object::dataset(0), Op::Create);
            let other = p.create(&event);
            p.reset(0);
            let (dataset, buffer) = p.on(0).dataset(Object::memory(1));
            p.destroy(dataset);
            if added {
                p.add(other, buffer);
            }
            p.reset(0);
            let busy = p.on(1).event("aclrtGetDeviceCount", Object::PROCESS, Op::Query);
            p.begin(&busy);
            p.on(0).finalise();
        })
    };
    assert_eq!(run(false), [INIT_10, DATA_04]);
    assert_eq!(run(true), [INIT_10, INIT_02]);
}

#[test]
fn what_a_thread_has_that_is_still_in_a_call_is_not_left_over() {
    let found = findings(|p| {
        p.on(1).set(0);
        let (theirs, shared) = (p.stream(), p.on(0).stream());
        p.on(1).sync(shared);
        p.on(0).sync(theirs);
        let own = p.stream();
        let busy = p.on(1).event("aclrtGetDeviceCount", Object::PROCESS, Op::Query);
        p.begin(&busy);
        p.on(0).finalise();
        let last = p.findings.last().unwrap();
        let streams = last.objects.iter().map(|about| about.object).filter(|object| object.kind == Kind::Stream);
        assert_eq!(streams.collect::<Vec<_>>(), [own]);
    });
    assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [INIT_10, INIT_02]);
}

#[test]
fn data_buffers_of_destroyed_datasets_are_left_over_as_such_when_nothing_else_is() {
    let run = |before: bool, other: fn(&mut Program)| {
        broken(|p| {
            let event = p.event("aclmdlCreateDesc", Object::description(0), Op::Create);
            let description = p.create(&event);
            let (dataset, _) = p.dataset(Object::memory(1));
            p.destroy(dataset);
            other(p);
            p.reset(0);
            p.finalise();
            if before {
                p.call("aclmdlDestroyDesc", description, Op::Destroy);
            }
        })
    };
    assert_eq!(run(true, |_| ()), [DATA_04]);
    let another = |p: &mut Program| {
        p.data_buffer(Object::memory(1), 64);
    };
    assert_eq!(run(false, another), [INIT_02]);
    let descriptor = |p: &mut Program| {
        p.descriptor(&[], 1);
    };
    assert_eq!(run(false, descriptor), [INIT_02]);
}
