//! Calls that come near to a misuse of memory.

use super::registered::register;
use super::support::*;
use super::virtual_memory::reserve;
use ascendcl_rules::*;

fn event_like(p: &mut Program, event: Event, flag: Flag) {
    p.see(&event.flag(flag), Outcome::Success);
}

#[test]
fn a_freed_block_is_as_long_as_it_was_and_gone_when_another_has_its_addresses() {
    let at = |p: &mut Program, number: u64, bytes: u64| {
        let event = p.event("aclrtMalloc", Object::memory(0), Op::Allocate);
        let event = event.using(memory(Object::memory(0), bytes, Access::Write, Role::Contents, DEVICE));
        p.see(&event, Outcome::Created(number));
    };
    let run = |then: &dyn Fn(&mut Program, Object), offset: u64| {
        broken(|p| {
            let (a, h) = (p.malloc(128), p.malloc_host(64));
            p.free(a);
            then(p, a);
            p.copy(Object::memory(a.number + offset), h, None);
        })
    };
    assert_eq!(run(&|_, _| {}, 64), [MEM_01]);
    assert_eq!(run(&|_, _| {}, 128), [], "the byte after the block");
    assert_eq!(run(&|p, a| at(p, a.number, 64), 64), [], "another block has begun there since");
    assert_eq!(run(&|p, a| at(p, a.number + 128, 64), 64), [MEM_01], "one that begins behind it");
    // What is left of its addresses may be anybody's by now.
    assert_eq!(run(&|p, a| at(p, a.number + 64, 64), 0), []);
    // Another thread's free of the block before is refused.
    let beside = broken(|p| {
        p.on(1).set(0);
        let (a, h) = (p.on(0).malloc(128), p.malloc_host(64));
        let frees = p.on(1).event("aclrtFree", a, Op::Free);
        p.begin(&frees);
        at(p.on(0), a.number + 128, 64);
        p.checker.commit(&frees, Outcome::Refused);
        p.copy(a, h, None);
    });
    assert_eq!(beside, []);
}

#[test]
fn memory_that_is_no_memory_of_the_call_is_used_by_nobody() {
    let null = broken(|p| {
        let event = p.event("aclrtMemcpy", Object::memory(0), Op::Use);
        p.see(&event.using(memory(Object::memory(0), 0, Access::Read, Role::Source, DEVICE)), Outcome::Success);
    });
    assert_eq!(null, []);
    // An output without an address gets memory from the library.
    let output = findings(|p| {
        let model = p.load(None, None);
        let buffer = p.data_buffer(Object::memory(0), 0);
        let creates = p.event("aclmdlCreateDataset", Object::dataset(0), Op::Create);
        let dataset = p.create(&creates);
        p.add(dataset, buffer);
        let run = p.running(model, dataset, dataset, None);
        assert!(p.checker.used_by(&run).iter().all(|used| !matches!(used, Use::Memory { .. })));
    });
    assert_eq!(output, []);
    // Models that were given no working memory share none.
    let shared = broken(|p| {
        p.on(1).set(0);
        let a = p.on(0).malloc(64);
        let models = [0; 2].map(|_| p.load(Some(Object::memory(0)), None));
        let datasets = [0; 2].map(|_| p.dataset(a).0);
        let other = p.on(1).running(models[1], datasets[1], datasets[1], None);
        p.begin(&other);
        p.on(0).run(models[0], datasets[0], datasets[0], None);
    });
    assert_eq!(shared, []);
    // A fill of no byte writes nothing.
    let nothing = broken(|p| {
        let (a, h) = (p.malloc(64), p.malloc_host(64));
        let fill = p.event("aclrtMemset", Object::memory(0), Op::Use);
        p.see(&fill.using(memory(Object::memory(0), 0, Access::Write, Role::Target, None)), Outcome::Success);
        let copy = p.event("aclrtMemcpy", h, Op::Use).flag(Flag::Untouched);
        let copy = copy.using(memory(h, 64, Access::Write, Role::Target, None));
        p.see(&copy.using(memory(a, 64, Access::Read, Role::Source, None)), Outcome::Success);
    });
    assert_eq!(nothing, [MEM_07]);
    let asked = broken(|p| {
        let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
        let model = p.load(Some(a), None);
        p.copy(h, a, stream);
        p.call("aclmdlGetDesc", model, Op::Ask);
    });
    assert_eq!(asked, [], "only runs use what a model was loaded with");
    let reached = broken(|p| {
        let page = register(p);
        p.call("aclrtHostGetDevicePointer", page, Op::Change);
        let asks = p.event("aclrtHostGetDevicePointer", page, Op::Change);
        event_like(p, asks, Flag::Reachable);
        let uses = p.event("a kernel", page, Op::Use);
        p.see(&uses.using(memory(page, 64, Access::Read, Role::Input, DEVICE)), Outcome::Success);
    });
    assert_eq!(reached, [], "only copies have a direction");
}

#[test]
fn a_copy_between_devices_needs_no_alignment_and_pictures_are_only_worked_on() {
    let between = broken(|p| {
        let a = p.malloc(128);
        p.set(1);
        let (b, stream) = (p.malloc(128), p.stream());
        p.call("aclrtDeviceEnablePeerAccess", Object::device(0), Op::EnablePeer);
        p.copy(Object::memory(b.number + 8), Object::memory(a.number + 8), stream);
    });
    assert_eq!(between, []);
    let launched = |before: bool| {
        broken(|p| {
            let stream = p.stream();
            let launch = |p: &mut Program| p.launch(stream, Op::LaunchHostFunction);
            if before {
                launch(p);
            }
            let (a, h) = (p.malloc(64), p.malloc_host(64));
            if !before {
                launch(p);
            }
            let copy = p.event("aclrtMemcpy", h, Op::Use).flag(Flag::Untouched);
            let copy = copy.using(memory(h, 64, Access::Write, Role::Target, None));
            p.see(&copy.using(memory(a, 64, Access::Read, Role::Source, None)), Outcome::Success);
        })
    };
    assert_eq!(launched(true), [MEM_07], "the function was queued before the block was there");
    assert_eq!(launched(false), []);
    // That two devices reach each other is judged by itself, whatever was told of the block.
    let misplaced = broken(|p| {
        let a = p.malloc(64);
        p.set(1);
        let streams = [0; 2].map(|_| p.stream());
        p.call("aclrtDeviceEnablePeerAccess", Object::device(0), Op::EnablePeer);
        let fills = |p: &mut Program, stream: Object| {
            let event = p.event("aclrtMemsetAsync", stream, Op::Fill).using(Use::Queue(stream));
            p.see(&event.using(memory(a, 64, Access::Write, Role::Target, None)), Outcome::Success);
        };
        fills(p, streams[0]);
        fills(p, streams[1]);
        p.sync_device();
        p.call("aclrtDeviceDisablePeerAccess", Object::device(0), Op::DisablePeer);
        fills(p, streams[1]);
    });
    assert_eq!(misplaced, [STREAM_04, MEM_11]);
}

#[test]
fn memory_is_imported_from_another_process_for_a_device() {
    let run = |of: Object| {
        broken(|p| {
            let imports = p.event("aclrtIpcMemImportByKey", Object::memory(0), Op::Allocate).flag(Flag::Imported);
            p.create(&imports.using(Use::With(of)));
        })
    };
    assert_eq!(run(Object::device(0)), []);
    assert_eq!(run(Object::PROCESS), [IPC_01]);
}

#[test]
fn closed_memory_that_work_uses_is_touched_with_one_mistake() {
    let run = |closed: bool| {
        broken(|p| {
            let (range, a, stream) = (reserve(p, 64), p.malloc(64), p.stream());
            let handle = p.event("aclrtMallocPhysical", Object::physical(0), Op::Allocate);
            let handle = p.create(&handle.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, HOST)));
            let block = Object::memory(range.number);
            let maps = p.event("aclrtMapMem", Object::memory(0), Op::Allocate).flag(Flag::Mapped);
            let maps = maps.using(Use::With(handle)).using(memory(block, 64, Access::Write, Role::Contents, HOST));
            p.see(&maps, Outcome::Created(block.number));
            p.copy(block, a, stream);
            if closed {
                let change = p.event("aclrtMemSetAccess", block, Op::Change).flag(Flag::Mapped).flag(Flag::NoAccess);
                let change = change.using(memory(block, 64, Access::Write, Role::Contents, None));
                p.see(&change, Outcome::Success);
            }
            let touch = p.event("an instruction", Object::PROCESS, Op::Touch);
            p.see(&touch.using(memory(block, 64, Access::Read, Role::Instruction, None)), Outcome::Success);
        })
    };
    assert_eq!(run(true), [VMM_03]);
    assert_eq!(run(false), [COPY_03]);
}

#[test]
fn a_finalise_waits_for_calls_and_not_for_actions_of_the_library() {
    let run = |op: Op| {
        broken(|p| {
            p.on(1).set(0);
            let other = p.event("something", Object::PROCESS, op);
            p.begin(&other);
            p.reset(0);
            p.on(0).reset(0);
            p.finalise();
        })
    };
    assert_eq!(run(Op::Touch), []);
    assert_eq!(run(Op::Ask), [INIT_10]);
}

#[test]
fn many_findings_are_remembered_up_to_a_bound() {
    let found = findings(|p| {
        for _ in 0..4200 {
            let a = p.malloc(64);
            p.free(a);
            p.free(a);
        }
    });
    assert!(found.len() == 4200 && found.iter().all(|finding| finding.rule == MEM_01), "{}", found.len());
}
