//! Reserved addresses, physical memory, and what is mapped where: the order of the calls, and what is left over.

use crate::mapped::{DEVICE, UNIT, physical, properties, reserve};
use crate::support::*;
use ascendcl_sim::{Calls, Fault, Plan, control};
use std::ffi::c_void;

/// Two units of addresses, the first with memory.
fn mapped() -> (*mut c_void, aclrtDrvMemHandle) {
    let (start, memory) = (reserve(2), physical(DEVICE, 0));
    ok!(aclrtMapMem(start, UNIT, 0, memory, 0));
    (start, memory)
}

fn fill(at: *mut c_void) -> aclError {
    acl!(aclrtMemset(at, 64, 1, 64))
}

fn end() {
    ok!(aclrtResetDevice(0));
    ok!(aclFinalize());
}

#[test]
fn memory_is_unmapped_before_its_addresses_are_released_and_its_handle_is_freed() {
    let right = |released_first: bool| {
        broken_by(|| {
            let (start, memory) = mapped();
            assert_eq!(fill(start), 0);
            ok!(aclrtUnmapMem(start));
            if released_first {
                ok!(aclrtReleaseMemAddress(start));
            }
            ok!(aclrtFreePhysical(memory));
            if !released_first {
                ok!(aclrtReleaseMemAddress(start));
            }
            end();
        })
    };
    assert_eq!(right(true), []);
    assert_eq!(right(false), []);
    let too_early = broken_by(|| {
        let (start, memory) = mapped();
        assert_ne!(acl!(aclrtReleaseMemAddress(start)), 0);
        ok!(aclrtFreePhysical(memory));
        ok!(aclrtUnmapMem(start));
        ok!(aclrtReleaseMemAddress(start));
        end();
    });
    assert_eq!(too_early, [(rules::VMM_01, "aclrtReleaseMemAddress")]);
    let freed = broken_by(|| {
        let (start, memory) = mapped();
        ok!(aclrtFreePhysical(memory));
        ok!(aclrtUnmapMem(start));
        ok!(aclrtReleaseMemAddress(start));
        end();
    });
    assert_eq!(freed, [(rules::VMM_04, "aclrtFreePhysical")]);
    assert_eq!(rules::VMM_04.severity(), rules::Severity::Warning);
}

#[test]
fn what_is_left_over_is_told_once() {
    let run = |steps: &[&str]| {
        broken_by(|| {
            let (start, memory) = mapped();
            if steps.contains(&"unmap") {
                ok!(aclrtUnmapMem(start));
            }
            if steps.contains(&"free") {
                ok!(aclrtFreePhysical(memory));
            }
            if steps.contains(&"release") {
                ok!(aclrtReleaseMemAddress(start));
            }
            end();
        })
    };
    assert_eq!(run(&[]), [(rules::MEM_12, "aclrtResetDevice")]);
    assert_eq!(run(&["unmap", "release"]), [(rules::MEM_12, "aclrtResetDevice")]);
    assert_eq!(run(&["unmap", "free"]), [(rules::INIT_02, "aclFinalize")]);
}

#[test]
fn addresses_without_memory_and_memory_without_access_are_not_used() {
    let without = || {
        let (start, _) = mapped();
        assert_ne!(fill(start.wrapping_byte_add(UNIT)), 0);
    };
    assert_eq!(broken_by(without), [(rules::VMM_01, "aclrtMemset")]);
    let run = |allowed: bool| {
        broken_by(|| {
            let (start, memory) = (reserve(1), physical(DEVICE, 0));
            ok!(aclrtMemMapNoAccess(start, UNIT, 0, memory, 0));
            let mut access = aclrtMemAccessDesc {
                flags: aclrtMemAccessFlags::ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
                location: aclrtMemLocation { id: 0, kind: DEVICE },
                rsv: [0; 12],
            };
            if allowed {
                ok!(aclrtMemSetAccess(start, UNIT, &mut access, 1));
            }
            assert_eq!(fill(start) == 0, allowed);
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [(rules::VMM_03, "aclrtMemset")]);
}

#[test]
fn a_handle_is_mapped_as_a_whole_where_nothing_is_mapped() {
    let map = |at: *mut c_void, size, offset, memory| {
        assert_ne!(acl!(aclrtMapMem(at, size, offset, memory, 0)), 0);
        // That there is no memory now follows from it.
        fill(at.wrapping_byte_add(UNIT / 2));
        acl!(aclrtUnmapMem(at));
    };
    let half = || map(reserve(1), UNIT / 2, 0, physical(DEVICE, 0));
    assert_eq!(broken_by(half), [(rules::VMM_02, "aclrtMapMem")]);
    let inside = || map(reserve(1), UNIT, UNIT / 2, physical(DEVICE, 0));
    assert_eq!(broken_by(inside), [(rules::VMM_02, "aclrtMapMem")]);
    let other_device = || map(mapped().0.wrapping_byte_add(UNIT), UNIT, 0, physical(DEVICE, 1));
    assert_eq!(broken_by(other_device), [(rules::VMM_02, "aclrtMapMem")]);
    let twice = || {
        let (start, _) = mapped();
        assert_ne!(acl!(aclrtMapMem(start, UNIT, 0, physical(DEVICE, 0), 0)), 0);
    };
    assert_eq!(broken_by(twice), [(rules::VMM_01, "aclrtMapMem")]);
    let nowhere = || {
        let start = reserve(1);
        ok!(aclrtReleaseMemAddress(start));
        assert_ne!(acl!(aclrtMapMem(start, UNIT, 0, physical(DEVICE, 0), 0)), 0);
    };
    assert_eq!(broken_by(nowhere), [(rules::VMM_01, "aclrtMapMem")]);
}

#[test]
fn ranges_and_handles_end_once_and_by_their_own_calls() {
    let handle = |again: bool| {
        broken_by(|| {
            let (start, memory) = (reserve(1), physical(DEVICE, 0));
            ok!(aclrtFreePhysical(memory));
            if again {
                assert_ne!(acl!(aclrtFreePhysical(memory)), 0);
            }
            assert_ne!(acl!(aclrtMapMem(start, UNIT, 0, memory, 0)), 0);
        })
    };
    assert_eq!(handle(true), [(rules::MEM_01, "aclrtFreePhysical")]);
    assert_eq!(handle(false), [(rules::MEM_01, "aclrtMapMem")]);
    let range = || {
        let start = reserve(2);
        assert_ne!(acl!(aclrtReleaseMemAddress(start.wrapping_byte_add(UNIT))), 0);
        assert_ne!(acl!(aclrtFree(start)), 0);
        ok!(aclrtReleaseMemAddress(start));
        assert_ne!(acl!(aclrtReleaseMemAddress(start)), 0);
    };
    let expected = [
        (rules::MEM_03, "aclrtReleaseMemAddress"),
        (rules::MEM_03, "aclrtFree"),
        (rules::MEM_01, "aclrtReleaseMemAddress"),
    ];
    assert_eq!(broken_by(range), expected);
}

#[test]
fn a_handle_that_was_asked_for_again_is_freed_once_more() {
    let run = || {
        let (start, memory) = mapped();
        let mut again = aclrtDrvMemHandle::NULL;
        ok!(aclrtMemRetainAllocationHandle(start, &mut again));
        ok!(aclrtFreePhysical(again));
        ok!(aclrtUnmapMem(start));
        ok!(aclrtMapMem(start, UNIT, 0, memory, 0));
        ok!(aclrtUnmapMem(start));
        ok!(aclrtFreePhysical(memory));
        ok!(aclrtReleaseMemAddress(start));
        end();
    };
    assert_eq!(broken_by(run), []);
    // Allocators free what they asked for alone. The manual does not say what becomes of the first handle.
    let once = || {
        let (start, _) = mapped();
        let mut again = aclrtDrvMemHandle::NULL;
        ok!(aclrtMemRetainAllocationHandle(start, &mut again));
        ok!(aclrtUnmapMem(start));
        ok!(aclrtFreePhysical(again));
        ok!(aclrtReleaseMemAddress(start));
        end();
    };
    assert_eq!(broken_by(once), []);
}

#[test]
fn memory_that_was_never_mapped_is_one_mistake_until_it_is_mapped() {
    let run = |mapped_then: bool| {
        broken_by(|| {
            let (start, memory) = (reserve(1), physical(DEVICE, 0));
            assert_ne!(fill(start), 0);
            assert_ne!(acl!(aclrtUnmapMem(start)), 0);
            if mapped_then {
                ok!(aclrtMapMem(start, UNIT, 0, memory, 0));
                ok!(aclrtUnmapMem(start));
                assert_ne!(acl!(aclrtUnmapMem(start)), 0);
            }
        })
    };
    assert_eq!(run(false), [(rules::VMM_01, "aclrtMemset")]);
    assert_eq!(run(true), [(rules::VMM_01, "aclrtMemset"), (rules::MEM_01, "aclrtUnmapMem")]);
}

/// A program that does not look at what its calls answer.
#[test]
fn memory_that_could_not_be_had_or_mapped_is_no_mistake() {
    let run = |plan: Plan, allocates: bool| {
        broken_by(|| {
            control::fail(plan).unwrap();
            let start = reserve(1);
            let mut memory = aclrtDrvMemHandle::NULL;
            if allocates {
                acl!(aclrtMallocPhysical(&mut memory, UNIT, &mut properties(DEVICE, 0), 0));
            }
            assert_ne!(acl!(aclrtMapMem(start, UNIT, 0, memory, 0)), 0);
            assert_ne!(fill(start), 0);
            assert_ne!(acl!(aclrtUnmapMem(start)), 0);
        })
    };
    for call in ["aclrtMallocPhysical", "aclrtMapMem"] {
        let plan = Plan::new().at(Calls::of(call), Fault::Fails(ACL_ERROR_RT_MEMORY_ALLOCATION));
        assert_eq!(run(plan, true), [], "{call}");
    }
    assert_eq!(run(Plan::new(), false), [(rules::VMM_01, "aclrtMemset")], "no memory was asked for");
}

#[test]
fn physical_memory_comes_in_multiples_of_the_granularity() {
    let allocate = |bytes: usize| {
        broken_by(|| {
            let (mut memory, properties) = (aclrtDrvMemHandle::NULL, properties(DEVICE, 0));
            acl!(aclrtMallocPhysical(&mut memory, bytes, &properties, 0));
            acl!(aclrtFreePhysical(memory));
        })
    };
    assert_eq!(allocate(1000), [(rules::VMM_02, "aclrtMallocPhysical")]);
    assert_eq!(allocate(UNIT), []);
}
