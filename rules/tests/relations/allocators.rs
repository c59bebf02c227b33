//! Allocators of the caller.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn a_descriptor_has_all_its_members_when_it_is_registered() {
    for missing in Member::ALL {
        let rest: Vec<Member> = Member::ALL.into_iter().filter(|member| *member != missing).collect();
        let rule = if missing == Member::AllocateNear { ALLOC_17 } else { ALLOC_07 };
        let register = |p: &mut Program, members: &[Member]| {
            let (descriptor, stream) = (p.descriptor(members, 1), p.stream());
            p.register(stream, descriptor);
        };
        breaks(rule, |p| register(p, &rest), |p| register(p, &Member::ALL));
    }
}

#[test]
fn a_descriptor_is_made_first_and_destroyed_once() {
    breaks(
        ALLOC_06,
        |p| {
            let s = p.stream();
            p.register(s, Object::descriptor(0));
        },
        |p| {
            let (s, d) = (p.stream(), p.descriptor(&Member::ALL, 1));
            p.register(s, d);
        },
    );
    breaks(
        ALLOC_08,
        |p| {
            let d = p.descriptor(&[], 1);
            p.destroy(d);
            p.destroy(d);
        },
        |p| {
            let d = p.descriptor(&[], 1);
            p.destroy(d);
        },
    );
    breaks(
        ALLOC_01,
        |p| {
            let d = p.descriptor(&Member::ALL, 1);
            p.register(Object::stream(0), d);
        },
        |p| {
            let (s, d) = (p.stream(), p.descriptor(&Member::ALL, 1));
            p.register(s, d);
        },
    );
    breaks(
        ALLOC_20,
        |p| p.unregister(Object::stream(0)),
        |p| {
            let s = p.stream();
            p.unregister(s);
        },
    );
}

/// A stream with an allocator registered.
pub(super) fn with(p: &mut Program, allocator: u64) -> (Object, Object) {
    let (stream, descriptor) = (p.stream(), p.descriptor(&Member::ALL, allocator));
    p.register(stream, descriptor);
    (stream, descriptor)
}

#[test]
fn an_allocator_serves_one_stream_at_a_time() {
    let run = |p: &mut Program, own: bool, between: &dyn Fn(&mut Program, Object, Object)| {
        let (a, _) = with(p, 7);
        let (b, _) = with(p, if own { 8 } else { 7 });
        p.allocating_work(a);
        between(p, a, b);
        p.allocating_work(b);
    };
    let nothing = |_: &mut Program, _: Object, _: Object| ();
    breaks(ALLOC_10, |p| run(p, false, &nothing), |p| run(p, true, &nothing));
    breaks(ALLOC_10, |p| run(p, false, &|p, _, b| p.sync(b)), |p| run(p, false, &|p, a, _| p.sync(a)));
    // An event orders the streams, too.
    let event = |p: &mut Program, a: Object, b: Object| {
        let mark = p.mark();
        p.record(mark, a);
        p.wait(b, mark);
    };
    assert_eq!(broken(|p| run(p, false, &event)), []);
}

#[test]
fn a_registration_comes_before_the_first_work_that_takes_memory() {
    let run = |p: &mut Program, late: bool| {
        let (stream, descriptor) = (p.stream(), p.descriptor(&Member::ALL, 1));
        p.work(stream);
        if late {
            p.allocating_work(stream);
        }
        p.register(stream, descriptor);
    };
    breaks(ALLOC_15, |p| run(p, true), |p| run(p, false));
    assert_eq!(ALLOC_15.severity(), Severity::Warning, "the library goes on with its own allocator");
}

#[test]
fn an_allocator_that_was_registered_too_late_serves_nothing() {
    let found = findings(|p| {
        let (late, descriptor) = (p.stream(), p.descriptor(&Member::ALL, 1));
        p.allocating_work(late);
        p.register(late, descriptor);
        p.allocating_work(late);
        let (right, _) = with(p, 1);
        p.allocating_work(right);
        p.allocating_work(late);
        p.unregister(late);
    });
    assert_eq!(found.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [ALLOC_15]);
}

#[test]
fn an_allocator_stays_until_its_work_is_over() {
    let run = |p: &mut Program, synced: bool, then: &dyn Fn(&mut Program, Object, Object)| {
        let (stream, descriptor) = with(p, 1);
        p.allocating_work(stream);
        if synced {
            p.sync(stream);
        }
        then(p, stream, descriptor);
    };
    let cases: [(RuleId, &dyn Fn(&mut Program, Object, Object)); 2] = [
        (ALLOC_11, &|p, stream, _| p.unregister(stream)),
        (ALLOC_09, &|p, stream, descriptor| p.register(stream, descriptor)),
    ];
    for (rule, then) in cases {
        breaks(rule, |p| run(p, false, then), |p| run(p, true, then));
    }
    // A registration copies what the descriptor says, and the manual destroys it right behind.
    assert_eq!(broken(|p| run(p, false, &|p, _, descriptor| p.destroy(descriptor))), []);
}

#[test]
fn a_descriptor_or_a_stream_without_work_ends_while_others_work() {
    // Two descriptors of one allocator: the second one's stream has no work.
    let run = |own: bool| {
        move |p: &mut Program| {
            let ((busy, first), (idle, second)) = (with(p, 7), with(p, 7));
            p.allocating_work(busy);
            p.unregister(if own { busy } else { idle });
            p.sync(busy);
            p.allocating_work(idle);
            p.sync(idle);
            p.destroy(first);
            p.destroy(second);
        }
    };
    let rules = broken(run(true));
    assert_eq!(rules, [ALLOC_11]);
    let served = |p: &mut Program| {
        let ((busy, first), (idle, second)) = (with(p, 7), with(p, 7));
        p.allocating_work(idle);
        p.sync(idle);
        p.allocating_work(busy);
        p.unregister(idle);
        p.destroy(second);
        p.sync(busy);
        p.unregister(busy);
        p.destroy(first);
    };
    assert_eq!(broken(served), []);
    // A descriptor that is registered nowhere.
    let unregistered = |p: &mut Program| {
        let (busy, _) = with(p, 7);
        let unused = p.descriptor(&Member::ALL, 7);
        p.allocating_work(busy);
        p.destroy(unused);
    };
    assert_eq!(broken(unregistered), []);
}

#[test]
fn a_stream_leaves_no_registration_behind() {
    breaks(
        ALLOC_16,
        |p| {
            let (s, _) = with(p, 1);
            p.destroy(s);
        },
        |p| {
            let (s, d) = with(p, 1);
            p.unregister(s);
            p.destroy(s);
            p.destroy(d);
        },
    );
}

/// A stream whose allocator gives blocks of this device memory.
pub(crate) fn lender(p: &mut Program) -> (Object, Object, Object) {
    let (memory, stream, descriptor) = (p.malloc(4096), p.stream(), p.descriptor(&Member::ALL, 1));
    p.register(stream, descriptor);
    (memory, stream, Object::allocator(1))
}

/// Work is queued for which the library takes `bytes` bytes at `start`.
pub(crate) fn run_in(p: &mut Program, stream: Object, start: u64, bytes: u64, flags: &[Flag]) {
    let work = p.event("aclopExecuteV2", stream, Op::Use).using(Use::Queue(stream)).flag(Flag::Allocates);
    p.begin(&work);
    let mut take = p.event("aclopExecuteV2", Object::allocator(1), Op::Take).using(Use::With(stream));
    take.flags = flags.to_vec();
    let take = take.using(memory(Object::memory(start), bytes, Access::Write, Role::Workspace, None));
    p.see(&take, if flags.is_empty() { Outcome::Success } else { Outcome::Refused });
    p.checker.commit(&work, Outcome::Success);
}

pub(crate) fn give_back(p: &mut Program, start: u64, bytes: u64) {
    let back = p.on(3).event("", Object::allocator(1), Op::GiveBack);
    let back = back.using(memory(Object::memory(start), bytes, Access::Write, Role::Workspace, None));
    p.see(&back, Outcome::Success);
    p.on(0);
}

#[test]
fn an_allocator_gives_aligned_live_device_memory_that_nobody_has() {
    let gives = |offset: u64, bytes: u64| {
        move |p: &mut Program| {
            let (block, stream, _) = lender(p);
            run_in(p, stream, block.number, 64, &[]);
            run_in(p, stream, block.number + offset, bytes, &[]);
        }
    };
    breaks(MEM_08, gives(96, 64), gives(128, 64));
    breaks(ALLOC_19, gives(4096 - 64, 128), gives(4096 - 64, 64));
    breaks(ALLOC_19, gives(0, 64), gives(64, 64));
    // Null says that there is no block.
    let none = |p: &mut Program| {
        let (block, stream, _) = lender(p);
        run_in(p, stream, block.number, 64, &[Flag::NoBlock]);
    };
    assert_eq!(broken(none), []);
}

#[test]
fn memory_of_an_allocator_goes_back_to_the_system_after_a_wait() {
    let run = |given_back: bool, waited: bool| {
        move |p: &mut Program| {
            let (block, stream, _) = lender(p);
            run_in(p, stream, block.number, 64, &[]);
            if given_back {
                give_back(p, block.number, 64);
            }
            if waited {
                p.sync(stream);
            }
            p.free(block);
        }
    };
    breaks(ALLOC_11, run(true, false), run(true, true));
    breaks(ALLOC_11, run(false, true), run(true, true));
    let in_free = |p: &mut Program| {
        let (block, stream, allocator) = lender(p);
        run_in(p, stream, block.number, 64, &[]);
        let back = p.event("", allocator, Op::GiveBack);
        let back = back.using(memory(block, 64, Access::Write, Role::Workspace, None));
        p.begin(&back);
        p.free(block);
        p.checker.commit(&back, Outcome::Success);
    };
    breaks(ALLOC_14, in_free, run(true, true));
}

#[test]
fn a_callback_of_an_allocator_does_not_execute() {
    let run = |p: &mut Program| {
        let (_, _, allocator) = lender(p);
        p.call("aclopExecuteV2", allocator, Op::Reenter);
    };
    breaks(ALLOC_18, run, |p| {
        lender(p);
    });
}

#[test]
fn an_allocator_that_serves_nothing_while_others_take_memory_is_told_at_its_end() {
    let elsewhere = |p: &mut Program, serves: bool| {
        let (with, other) = (with(p, 7).0, p.stream());
        p.allocating_work(other);
        if serves {
            p.allocating_work(with);
        }
        p.sync(other);
        p.sync(with);
        p.unregister(with);
    };
    breaks(ALLOC_13, |p| elsewhere(p, false), |p| elsewhere(p, true));
    // The stream is destroyed with the registration.
    assert_eq!(
        broken(|p| {
            let (with, other) = (with(p, 7).0, p.stream());
            p.allocating_work(other);
            p.destroy(with);
        }),
        [ALLOC_16, ALLOC_13]
    );
    // A model with open shapes runs at once.
    let at_once = |p: &mut Program, dynamic: bool| {
        let (with, block) = (with(p, 7).0, p.malloc(64));
        let ((input, _), (output, _)) = (p.dataset(block), p.dataset(block));
        let load = p.event("aclmdlLoadFromFile", Object::model(0), Op::Load);
        let model = p.create(&if dynamic { load.flag(Flag::Dynamic) } else { load });
        p.run(model, input, output, None);
        p.unregister(with);
    };
    breaks(ALLOC_05, |p| at_once(p, true), |p| at_once(p, false));
    let unloaded = |p: &mut Program| {
        let (with, _) = with(p, 7);
        let load = p.event("aclmdlLoadFromFile", Object::model(0), Op::Load).flag(Flag::Dynamic);
        let model = p.create(&load);
        p.call("aclmdlSetDynamicBatchSize", model, Op::Use);
        p.unload(model);
        p.unregister(with);
    };
    assert_eq!(broken(unloaded), []);
    // Work that was queued before the registration is not meant for it.
    assert_eq!(
        broken(|p| {
            let other = p.stream();
            p.allocating_work(other);
            let (with, _) = with(p, 7);
            p.unregister(with);
        }),
        []
    );
    // The process ends with the registration.
    let found = findings(|p| {
        let (_, other) = (with(p, 7), p.stream());
        p.allocating_work(other);
        let exit = p.event("exit", Object::PROCESS, Op::Finalise);
        let found = p.checker.exit(&exit);
        p.findings.extend(found);
    });
    let advice = found.iter().find(|finding| finding.rule == ALLOC_13);
    assert!(advice.is_some_and(|finding| finding.to_string().starts_with("advice: ALLOC-13")), "{found:?}");
    assert_eq!([ALLOC_05, ALLOC_13].map(RuleId::severity), [Severity::Advice; 2]);
}

/// A service makes a stream for each request.
#[test]
fn blocks_of_streams_that_ended_are_forgotten() {
    let mut program = Program::new();
    program.init();
    program.set(0);
    for _ in 0..20 {
        let (block, stream, descriptor) = lender(&mut program);
        run_in(&mut program, stream, block.number, 64, &[]);
        give_back(&mut program, block.number, 64);
        program.sync(stream);
        program.unregister(stream);
        program.destroy(descriptor);
        program.destroy(stream);
        program.free(block);
    }
    assert!(program.findings.is_empty(), "{}", program.findings[0]);
    let lent = format!("{:?}", program.checker).matches("Lent {").count();
    assert!(lent <= 1, "{lent} blocks are remembered");
}

#[test]
fn a_descriptor_has_the_allocator_of_its_object_whatever_is_set_after_it() {
    let run = |p: &mut Program| {
        let create = p.event("aclrtAllocatorCreateDesc", Object::descriptor(0), Op::Create);
        let (stream, descriptor) = (p.stream(), p.create(&create));
        let object = p.event("aclrtAllocatorSetObjToDesc", descriptor, Op::SetMember(Member::Object));
        p.see(&object.using(Use::With(Object::allocator(7))), Outcome::Success);
        for member in Member::ALL.into_iter().filter(|member| *member != Member::Object) {
            p.call("aclrtAllocatorSetFuncToDesc", descriptor, Op::SetMember(member));
        }
        p.register(stream, descriptor);
        p.allocating_work(stream);
        p.unregister(stream);
    };
    assert_eq!(broken(run), [ALLOC_11]);
}
