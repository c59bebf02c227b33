//! Reserved addresses, physical memory, and what is mapped where.

use super::support::*;
use ascendcl_rules::*;

/// Reserved addresses.
pub(crate) fn reserve(p: &mut Program, bytes: u64) -> Object {
    let event = p.event("aclrtReserveMemAddress", Object::range(0), Op::Allocate);
    p.create(&event.using(memory(Object::memory(0), bytes, Access::Write, Role::Contents, None)))
}

/// 64 bytes of physical memory.
pub(crate) fn physical(p: &mut Program, device: u64) -> Object {
    let event =
        p.event("aclrtMallocPhysical", Object::physical(0), Op::Allocate).using(Use::With(Object::device(device)));
    p.create(&event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, DEVICE)))
}

/// Maps 64 bytes at the address.
pub(crate) fn map_as(p: &mut Program, at: u64, physical: Object, flags: &[Flag]) -> Object {
    let event = p.event("aclrtMapMem", Object::memory(0), Op::Allocate).flag(Flag::Mapped).using(Use::With(physical));
    let event = flags.iter().copied().fold(event, Event::flag);
    let event = event.using(memory(Object::memory(at), 64, Access::Write, Role::Contents, DEVICE));
    p.see(&event, Outcome::Created(at));
    Object::memory(at)
}

pub(crate) fn map(p: &mut Program, at: u64, physical: Object) -> Object {
    map_as(p, at, physical, &[])
}

pub(crate) fn unmap(p: &mut Program, block: Object) {
    let event = p.event("aclrtUnmapMem", block, Op::Free).flag(Flag::Mapped);
    p.see(&event, Outcome::Success);
}

pub(crate) fn release(p: &mut Program, object: Object) {
    p.call("a release", object, Op::Free);
}

#[test]
fn memory_is_mapped_whole_and_once_in_a_range() {
    let run = |then: &dyn Fn(&mut Program, [Object; 2], [Object; 2])| {
        findings(|p| {
            let ranges = [0; 2].map(|_| reserve(p, 160));
            let physical = [0; 2].map(|_| physical(p, 0));
            then(p, ranges, physical);
        })
    };
    let rules = |found: &[Finding]| found.iter().map(|finding| finding.rule).collect::<Vec<_>>();
    let good = run(&|p, ranges, handles| {
        map(p, ranges[0].number, handles[0]);
        map(p, ranges[1].number, handles[1]);
    });
    assert_eq!(good, []);
    let beside = run(&|p, ranges, handles| {
        map(p, ranges[0].number, handles[0]);
        map(p, ranges[0].number + 64, handles[1]);
    });
    assert_eq!(beside, []);
    let over = run(&|p, ranges, handles| {
        map(p, ranges[0].number, handles[0]);
        map(p, ranges[0].number + 32, handles[1]);
    });
    assert_eq!(rules(&over), [VMM_01]);
    assert!(over[0].fix.contains("reserve the addresses"), "{}", over[0]);
    let past = run(&|p, ranges, handles| {
        map(p, ranges[0].number + 128, handles[0]);
    });
    assert_eq!(rules(&past), [VMM_01]);
    let behind = run(&|p, ranges, handles| {
        map(p, ranges[0].number + 160, handles[0]);
    });
    assert_eq!(rules(&behind), [VMM_01]);
    let inside = run(&|p, ranges, handles| {
        map_as(p, ranges[0].number, handles[0], &[Flag::Inside]);
    });
    assert_eq!(rules(&inside), [VMM_02]);
    assert!(inside[0].fix.contains("the whole handle"), "{}", inside[0]);
}

#[test]
fn ranges_and_handles_are_released_when_nothing_of_theirs_is_mapped() {
    let run = |of: fn([Object; 2], [Object; 2], Object) -> Object, unmaps: bool| {
        broken(|p| {
            let ranges = [0; 2].map(|_| reserve(p, 64));
            let physical = [0; 2].map(|_| physical(p, 0));
            let block = map(p, ranges[0].number, physical[0]);
            if unmaps {
                unmap(p, block);
            }
            release(p, of(ranges, physical, block));
        })
    };
    assert_eq!(run(|ranges, _, _| ranges[0], false), [VMM_01]);
    assert_eq!(run(|ranges, _, _| ranges[0], true), []);
    assert_eq!(run(|ranges, _, _| ranges[1], false), []);
    assert_eq!(run(|_, physical, _| physical[0], false), [VMM_04]);
    assert_eq!(run(|_, physical, _| physical[0], true), []);
    assert_eq!(run(|_, physical, _| physical[1], false), []);
}

#[test]
fn each_kind_of_memory_is_ended_by_its_own_call() {
    let run = |then: &dyn Fn(&mut Program, Object, Object, Object)| {
        let found = findings(|p| {
            let (range, physical, block) = (reserve(p, 64), physical(p, 0), p.malloc(64));
            let mapped = map(p, range.number, physical);
            then(p, range, mapped, block);
        });
        found.iter().map(|finding| (finding.rule, finding.fix.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(run(&|p, _, mapped, _| unmap(p, mapped)), []);
    assert_eq!(run(&|p, _, mapped, _| p.free(mapped)), [(MEM_03, "call aclrtUnmapMem".to_owned())]);
    let freed = (MEM_03, "call aclrtFree or aclrtFreeHost".to_owned());
    assert_eq!(run(&|p, _, _, block| unmap(p, block)), [freed]);
    let reserved = (MEM_03, "call aclrtReleaseMemAddress".to_owned());
    let free_a_range = |p: &mut Program, range: Object, mapped: Object, _: Object| {
        unmap(p, mapped);
        p.free(Object::memory(range.number));
    };
    assert_eq!(run(&free_a_range), [reserved]);
}

#[test]
fn a_mapping_is_used_when_it_has_access() {
    let run = |given: &[u64], used: u64| {
        broken(|p| {
            let range = reserve(p, 128);
            let from = p.malloc(64);
            for at in [0, 64] {
                let physical = physical(p, 0);
                map_as(p, range.number + at, physical, &[Flag::NoAccess]);
            }
            for at in given {
                let block = Object::memory(range.number + at);
                let event = p.event("aclrtMemSetAccess", block, Op::Change).flag(Flag::Mapped);
                p.see(&event.using(memory(block, 64, Access::Write, Role::Contents, None)), Outcome::Success);
            }
            p.copy(Object::memory(range.number + used), from, None);
        })
    };
    assert_eq!(run(&[], 0), [VMM_03]);
    assert_eq!(run(&[0], 0), []);
    assert_eq!(run(&[0], 64), [VMM_03]);
    assert_eq!(run(&[64], 0), [VMM_03]);
    assert_eq!(run(&[0, 64], 64), []);
}

#[test]
fn mappings_side_by_side_are_one_piece_of_memory_and_allocations_are_not() {
    let run = |mapped: [bool; 2], said: u64| {
        broken(|p| {
            let range = reserve(p, 128);
            for (at, mapped) in [0, 64].into_iter().zip(mapped) {
                let physical = physical(p, 0);
                let event = p.event("an allocation", Object::memory(0), Op::Allocate);
                let block = Object::memory(range.number + at);
                let event = event.using(memory(block, 64, Access::Write, Role::Contents, DEVICE));
                let event = if mapped { event.flag(Flag::Mapped).using(Use::With(physical)) } else { event };
                p.see(&event, Outcome::Created(block.number));
            }
            let (event, to) = (p.event("aclrtMemset", Object::memory(range.number), Op::Fill), range.number);
            let event = event.using(memory(Object::memory(to), said, Access::Write, Role::Target, None));
            p.see(&event.using(Use::Room { said: Span::new(to, said), known: None }), Outcome::Success);
        })
    };
    assert_eq!(run([true, true], 128), []);
    assert_eq!(run([true, true], 32), [], "less than the first one has");
    for mapped in [[true, false], [false, true], [false, false]] {
        assert_eq!(run(mapped, 128), [COPY_01], "{mapped:?}");
        assert_eq!(run(mapped, 64), [], "{mapped:?}");
    }
}

#[test]
fn physical_memory_ends_with_its_last_handle() {
    let run = |releases: usize| {
        broken(|p| {
            let handle = physical(p, 0);
            p.call("aclrtMemRetainAllocationHandle", handle, Op::Retain);
            for _ in 0..releases {
                release(p, handle);
            }
        })
    };
    assert_eq!(run(1), []);
    assert_eq!(run(2), []);
    assert_eq!(run(3).len(), 1);
    // What a device has at its reset: not what another device has, nor what has several handles.
    let left = |of: u64, retained: bool| {
        broken(|p| {
            p.set(1);
            p.set(0);
            p.reset(0);
            let handle = physical(p, of);
            if retained {
                p.call("aclrtMemRetainAllocationHandle", handle, Op::Retain);
            }
            p.reset(0);
        })
    };
    assert_eq!(left(0, false), [MEM_12]);
    assert_eq!(left(1, false), []);
    assert_eq!(left(0, true), []);
}

#[test]
fn a_range_has_memory_of_one_device() {
    let run = |same: bool| {
        broken(|p| {
            let ranges = [0; 2].map(|_| reserve(p, 128));
            let (here, there) = (physical(p, 0), physical(p, 1));
            map(p, ranges[0].number, here);
            let second = if same { ranges[0].number + 64 } else { ranges[1].number };
            map(p, second, there);
        })
    };
    assert_eq!(run(true), [VMM_02]);
    assert_eq!(run(false), []);
}

#[test]
fn a_range_has_either_imported_memory_or_the_process_has_allocated_all_of_it() {
    let import = |p: &mut Program| {
        let event = p.event("aclrtMemImportFromShareableHandle", Object::physical(0), Op::Allocate);
        let event = event.flag(Flag::Imported).using(Use::With(Object::device(0)));
        p.create(&event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, DEVICE)))
    };
    let run = |imported: [bool; 2], same: bool| {
        findings(|p| {
            let ranges = [0; 2].map(|_| reserve(p, 128));
            let handles = imported.map(|imported| if imported { import(p) } else { physical(p, 0) });
            map(p, ranges[0].number, handles[0]);
            let second = if same { ranges[0].number + 64 } else { ranges[1].number };
            map(p, second, handles[1]);
        })
    };
    for imported in [[true, false], [false, true]] {
        let mixed = run(imported, true);
        assert_eq!(mixed.iter().map(|finding| finding.rule).collect::<Vec<_>>(), [VMM_02]);
        assert!(mixed[0].found.contains("imported memory"), "{}", mixed[0]);
        assert_eq!(run(imported, false), []);
    }
    assert_eq!(run([true, true], true), []);
    assert_eq!(run([false, false], true), []);
}

#[test]
fn memory_of_pools_and_of_media_is_freed_by_its_own_call() {
    let run = |made: Option<Flag>, freed: Option<Flag>| {
        let found = findings(|p| {
            let pool = p.event("aclrtMemPoolCreate", Object::pool(0), Op::Create).using(Use::With(Object::device(0)));
            let pool = p.create(&pool);
            let event = p.event("the allocation", Object::memory(0), Op::Allocate);
            let event = event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, DEVICE));
            let with_pool = (made == Some(Flag::Pooled)).then_some(Use::With(pool));
            let mut event = made.into_iter().fold(event, Event::flag);
            event.uses.extend(with_pool);
            let block = p.create(&event);
            let event = p.event("the free", block, Op::Free);
            p.see(&freed.into_iter().fold(event, Event::flag), Outcome::Success);
        });
        found.iter().map(|found| (found.rule, found.fix.to_string())).collect::<Vec<_>>()
    };
    let wrong = |fix: &str| vec![(MEM_03, format!("free it with {fix}"))];
    for flag in [None, Some(Flag::Pooled), Some(Flag::Media)] {
        assert_eq!(run(flag, flag), []);
    }
    assert_eq!(run(Some(Flag::Pooled), None), wrong("aclrtMemPoolFreeAsync"));
    assert_eq!(run(None, Some(Flag::Pooled)), wrong("the call that belongs to its allocation"));
    assert_eq!(run(Some(Flag::Media), None), wrong("acldvppFree"));
    assert_eq!(run(None, Some(Flag::Media)), wrong("aclrtFree"));
}

#[test]
fn an_allocator_gives_a_block_over_two_mappings_side_by_side() {
    let run = |p: &mut Program, second: bool| {
        let (range, handles) = (reserve(p, 160), [physical(p, 0), physical(p, 0)]);
        map(p, range.number, handles[0]);
        if second {
            map(p, range.number + 64, handles[1]);
        }
        let (stream, descriptor) = (p.stream(), p.descriptor(&Member::ALL, 1));
        p.register(stream, descriptor);
        let work = p.event("aclopExecuteV2", stream, Op::Use).using(Use::Queue(stream)).flag(Flag::Allocates);
        p.begin(&work);
        let take = p.event("aclopExecuteV2", Object::allocator(1), Op::Take).using(Use::With(stream));
        let block = Object::memory(range.number);
        let take = take.using(memory(block, 128, Access::Write, Role::Workspace, None));
        p.see(&take, Outcome::Success);
        p.checker.commit(&work, Outcome::Success);
    };
    breaks(ALLOC_19, |p| run(p, false), |p| run(p, true));
}
