//! Initialising and finalising, devices and their teardown.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn nothing_is_made_before_the_library_is_initialised() {
    let mut program = Program::new();
    program.set(0);
    assert_eq!(program.findings[0].rule, INIT_01);
    let mut program = Program::new();
    program.init();
    program.set(0);
    assert_eq!(program.findings, []);
}

/// What is refused because of a failed initialisation is no mistake of its own.
#[test]
fn a_failed_initialisation_is_the_only_mistake_of_a_program_that_goes_on_without() {
    let mut program = Program::new();
    let init = program.event("aclInit", Object::PROCESS, Op::Initialise);
    program.see(&init, Outcome::Refused);
    let set = program.event("aclrtSetDevice", Object::device(0), Op::Set);
    program.see(&set, Outcome::Refused);
    let create = program.event("aclrtCreateStream", Object::stream(0), Op::Create);
    program.see(&create, Outcome::Refused);
    let free = program.event("aclrtFree", Object::memory(0), Op::Free);
    program.see(&free, Outcome::Refused);
    let finalise = program.event("aclFinalize", Object::PROCESS, Op::Finalise);
    program.see(&finalise, Outcome::Refused);
    for finding in &program.findings {
        assert_eq!((finding.rule, finding.contradicts.as_ref().unwrap().0.name), (INIT_01, "aclInit"), "{finding}");
    }
    assert_eq!(program.findings.len(), 4);
}

#[test]
fn finalising_comes_last() {
    breaks(
        INIT_02,
        |p| p.finalise(),
        |p| {
            p.reset(0);
            p.finalise();
        },
    );
    breaks(
        INIT_02,
        |p| {
            p.reset(0);
            p.finalise();
            p.set(0);
        },
        |p| {
            p.reset(0);
            p.finalise();
            p.init();
            p.set(0);
        },
    );
}

#[test]
fn a_device_that_was_not_reset_as_often_as_it_was_set_is_told_with_the_call_that_set_it() {
    let found = findings(|p| {
        p.set(0);
        p.reset(0);
        p.finalise();
    });
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    let (set, text) = finding.contradicts.as_ref().unwrap();
    assert_eq!((finding.rule, set.name, set.object), (DEV_06, "aclrtSetDevice", Object::device(0)));
    assert!(text.contains("no reset belongs to it"), "{text}");
}

#[test]
fn a_leak_names_every_object_and_the_call_that_made_it() {
    let found = findings(|p| {
        p.malloc_host(64);
        p.descriptor(&[], 1);
        p.reset(0);
        p.finalise();
    });
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule, INIT_02);
    let made: Vec<_> =
        found[0].objects.iter().map(|concerned| (concerned.object.kind, concerned.made.unwrap().name)).collect();
    assert_eq!(made, [(Kind::Memory, "aclrtMallocHost"), (Kind::Descriptor, "aclrtAllocatorCreateDesc")]);
}

#[test]
fn initialisations_are_counted() {
    breaks(
        INIT_07,
        |p| {
            p.init();
            p.reset(0);
            p.finalise();
        },
        |p| {
            p.init();
            p.call("aclFinalizeReference", Object::PROCESS, Op::Release);
            p.malloc(64);
        },
    );
    breaks(
        INIT_08,
        |p| {
            p.reset(0);
            p.finalise();
            p.finalise();
        },
        |p| {
            p.reset(0);
            p.finalise();
        },
    );
}

#[test]
fn a_thread_that_finalises_waits_for_the_others() {
    let misuse = |p: &mut Program| {
        p.on(1).set(0);
        let busy = p.event("aclrtSynchronizeDevice", Object::PROCESS, Op::Synchronize);
        p.begin(&busy);
        p.on(0).reset(0);
        p.reset(0);
        p.finalise();
        p.checker.commit(&busy, Outcome::Success);
    };
    let repaired = |p: &mut Program| {
        p.on(1).set(0);
        p.sync_device();
        p.on(0).reset(0);
        p.reset(0);
        p.finalise();
    };
    breaks(INIT_10, misuse, repaired);
}

/// A thread ends a moment after it was joined, as far as a program can know.
#[test]
fn a_thread_that_is_just_ending_does_not_keep_another_from_finalising() {
    let mut program = Program::new();
    program.init();
    program.on(1).set(0);
    program.reset(0);
    let end = program.event("the end of the thread", Object::PROCESS, Op::EndThread);
    program.begin(&end);
    program.on(0).finalise();
    program.checker.commit(&end, Outcome::Success);
    assert!(program.findings.is_empty(), "{}", program.findings[0]);
}

#[test]
fn one_part_of_a_program_may_initialise_while_another_takes_its_initialisation_back() {
    let mut program = Program::new();
    program.init();
    let init = program.on(1).event("aclInit", Object::PROCESS, Op::Initialise);
    program.begin(&init);
    program.on(0).call("aclFinalizeReference", Object::PROCESS, Op::Release);
    program.checker.commit(&init, Outcome::Success);
    program.on(1).call("aclFinalizeReference", Object::PROCESS, Op::Release);
    assert!(program.findings.is_empty(), "{}", program.findings[0]);
}

#[test]
fn a_thread_that_is_ending_uses_the_library_no_more() {
    let mut program = Program::new();
    program.init();
    let end = program.on(1).event("the end of the thread", Object::PROCESS, Op::EndThread);
    program.begin(&end);
    program.on(0).finalise();
    program.checker.commit(&end, Outcome::Success);
    assert!(program.findings.is_empty(), "{}", program.findings[0]);
}

#[test]
fn a_process_finalises_before_it_exits() {
    let mut program = Program::new();
    program.init();
    let exit = program.event("exit", Object::PROCESS, Op::Ask);
    assert_eq!(program.checker.exit(&exit)[0].rule, INIT_03);
    program.finalise();
    assert_eq!(program.checker.exit(&exit), []);
}

#[test]
fn devices_are_reset_as_often_as_they_are_set() {
    breaks(
        DEV_07,
        |p| {
            p.reset(0);
            p.reset(0);
        },
        |p| {
            p.set(0);
            p.reset(0);
            p.reset(0);
        },
    );
}

#[test]
fn a_thread_that_has_ended_holds_no_device() {
    let run = |ends: bool| {
        move |p: &mut Program| {
            p.on(1).set(0);
            if ends {
                p.end_thread();
            }
            p.on(0).reset(0);
            p.finalise();
        }
    };
    breaks(DEV_06, run(false), run(true));
}

/// A reset of the device while `left` is on it breaks `rule`; it does not after `ended`.
fn goes_before_the_device<T>(rule: RuleId, left: impl Fn(&mut Program) -> T, ended: impl Fn(&mut Program, T)) {
    breaks(
        rule,
        |p| {
            left(p);
            p.reset(0);
        },
        |p| {
            let object = left(p);
            ended(p, object);
            p.reset(0);
        },
    );
}

#[test]
fn what_is_on_a_device_goes_before_the_device() {
    goes_before_the_device(DEV_02, Program::stream, Program::destroy);
    goes_before_the_device(DEV_10, Program::mark, Program::destroy);
    goes_before_the_device(DEV_10, |p| p.new_context(0), Program::destroy_context);
    goes_before_the_device(MEM_12, |p| p.malloc(64), Program::free);
    goes_before_the_device(MODEL_14, |p| p.load(None, None), Program::unload);
}

#[test]
fn a_set_that_another_part_of_the_program_holds_keeps_what_is_on_a_device() {
    breaks(
        DEV_02,
        |p| {
            p.stream();
            p.set(0);
            p.reset(0);
            p.reset(0);
        },
        |p| {
            p.stream();
            p.set(0);
            p.reset(0);
        },
    );
}

#[test]
fn what_a_reset_took_is_gone() {
    let after = |p: &mut Program, use_it: &dyn Fn(&mut Program, Object, Object, Object)| {
        let (stream, event, block) = (p.stream(), p.mark(), p.malloc(64));
        // A reset by force tells nothing of what it takes.
        p.call("aclrtResetDeviceForce", Object::device(0), Op::ResetForce);
        p.set(0);
        use_it(p, stream, event, block);
    };
    assert_eq!(broken(|p| after(p, &|p, stream, _, _| p.sync(stream))), [DEV_05]);
    assert_eq!(broken(|p| after(p, &|p, _, event, _| p.destroy(event))), [DEV_10]);
    assert_eq!(broken(|p| after(p, &|p, _, _, block| p.free(block))), [MEM_12]);
    assert_eq!(broken(|p| after(p, &|p, _, _, block| p.copy(block, Object::memory(1), None))), [MEM_12]);
}

#[test]
fn nothing_ends_after_the_library_was_finalised() {
    let ends = [
        (Object::memory(64), Op::Free),
        (Object::memory(64), Op::FreeHost),
        (Object::memory(64), Op::FreeSynced),
        (Object::memory(64), Op::FreeHostSynced),
        (Object::stream(64), Op::Destroy),
        (Object::stream(64), Op::DestroyForce),
        (Object::model(64), Op::Unload),
    ];
    for (object, op) in ends {
        let found = broken(|p| {
            p.reset(0);
            p.finalise();
            p.call("the end", object, op);
        });
        assert!(found.contains(&INIT_02), "{op:?}: {found:?}");
    }
}
