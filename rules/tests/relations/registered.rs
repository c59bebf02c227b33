//! Memory of the program that is registered.

use super::support::*;
use ascendcl_rules::*;

/// An address that no allocation gave: the program's own memory.
const OWN: Object = Object::memory(0x10);

/// Registers a page of the program, and says where it is.
pub(crate) fn register(p: &mut Program) -> Object {
    let event = p.event("aclrtHostRegisterV2", Object::memory(0), Op::Allocate).flag(Flag::Registered);
    let place = Some(Place::Host);
    let event = event.using(memory(Object::memory(0), 4096, Access::Write, Role::Contents, place));
    p.create(&event)
}

pub(crate) fn unregister(p: &mut Program, page: Object) {
    let event = p.event("aclrtHostUnregister", page, Op::FreeHost).flag(Flag::Registered);
    p.see(&event, Outcome::Success);
}

#[test]
fn memory_that_was_registered_is_the_programs_again() {
    let run = |p: &mut Program| {
        let (page, block, stream) = (register(p), p.malloc(64), p.stream());
        p.copy(block, page, stream);
        p.sync(stream);
        unregister(p, page);
        // The program's own memory, which the library reads and writes as any other.
        p.copy(block, page, None);
        p.copy(Object::memory(page.number + 128), block, None);
        p.copy(block, page, stream);
        p.sync(stream);
    };
    assert_eq!(broken(run), []);
}

#[test]
fn memory_is_unregistered_once_by_the_call_for_it_when_no_work_uses_it() {
    let registered = |p: &mut Program| {
        let page = register(p);
        unregister(p, page);
    };
    breaks(
        MEM_14,
        |p| {
            let page = register(p);
            unregister(p, page);
            unregister(p, page);
        },
        registered,
    );
    breaks(
        MEM_14,
        |p| {
            let page = register(p);
            p.free_host(page);
        },
        registered,
    );
    breaks(
        MEM_14,
        |p| {
            let host = p.malloc_host(64);
            unregister(p, host);
        },
        registered,
    );
    breaks(MEM_14, |p| unregister(p, OWN), registered);
    breaks(
        MEM_02,
        |p| {
            let (page, block, stream) = (register(p), p.malloc(64), p.stream());
            p.copy(block, page, stream);
            unregister(p, page);
        },
        registered,
    );
}

#[test]
fn the_address_that_a_device_has_for_registered_memory_is_for_no_copy() {
    let copies = |from: Place| {
        move |p: &mut Program| {
            let (page, block) = (register(p), p.malloc(64));
            let event = p.event("aclrtHostGetDevicePointer", page, Op::Change).flag(Flag::Reachable);
            p.see(&event, Outcome::Success);
            p.copy_as((block, Some(Place::Device)), (page, Some(from)), None);
        }
    };
    breaks(MEM_15, copies(Place::Device), copies(Place::Host));
}
