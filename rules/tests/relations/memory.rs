//! What kind of memory an address is in, and whether there still is a block.

use super::support::*;
use ascendcl_rules::*;

/// An address that no allocation gave: the program's own memory.
const OWN: Object = Object::memory(0x10);

#[test]
fn a_block_is_freed_once_by_its_own_call() {
    breaks(
        MEM_01,
        |p| {
            let m = p.malloc(64);
            p.free(m);
            p.free(m);
        },
        |p| {
            let m = p.malloc(64);
            p.free(m);
        },
    );
    breaks(
        MEM_03,
        |p| {
            let m = p.malloc_host(64);
            p.free(m);
        },
        |p| {
            let m = p.malloc_host(64);
            p.free_host(m);
        },
    );
    breaks(
        MEM_03,
        |p| {
            let m = p.malloc(64);
            p.free_host(m);
        },
        |p| {
            let m = p.malloc(64);
            p.free(m);
        },
    );
    breaks(
        MEM_03,
        |p| {
            let m = p.malloc(64);
            p.free(Object::memory(m.number + 8));
        },
        |p| {
            let m = p.malloc(64);
            p.free(m);
        },
    );
    breaks(MEM_05, |p| p.free(Object::memory(0)), |_| ());
}

#[test]
fn freed_memory_is_not_touched() {
    let touch = |p: &mut Program, freed: bool, inside: u64| {
        let (a, b, stream) = (p.malloc(4096), p.malloc(64), p.stream());
        if freed {
            p.free(a);
        }
        p.copy(b, Object::memory(a.number + inside), stream);
    };
    breaks(MEM_01, |p| touch(p, true, 0), |p| touch(p, false, 0));
    breaks(MEM_01, |p| touch(p, true, 1024), |p| touch(p, false, 1024));
}

#[test]
fn an_address_that_is_given_again_is_a_new_block() {
    let found = broken(|p| {
        let block = p.malloc(64);
        p.free(block);
        let event = p.event("aclrtMalloc", Object::memory(0), Op::Allocate);
        let event = event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, DEVICE));
        p.see(&event, Outcome::Created(block.number));
        p.copy(block, OWN, None);
        p.free(block);
    });
    assert_eq!(found, []);
}

#[test]
fn a_block_that_another_thread_gets_while_it_is_freed_is_the_other_threads() {
    let found = broken(|p| {
        let block = p.malloc(64);
        p.on(1).set(0);
        let free = p.event("aclrtFree", block, Op::Free);
        p.begin(&free);
        p.on(0);
        let event = p.event("aclrtMalloc", Object::memory(0), Op::Allocate);
        let event = event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, DEVICE));
        p.see(&event, Outcome::Created(block.number));
        p.checker.commit(&free, Outcome::Success);
        p.copy(block, OWN, None);
        p.free(block);
    });
    assert_eq!(found, []);
}

#[test]
fn a_copy_goes_where_it_says() {
    let copy = |p: &mut Program, to: Option<Place>, from: Option<Place>| {
        let block = p.malloc(64);
        p.copy_as((block, to), (OWN, from), None);
    };
    breaks(COPY_02, |p| copy(p, DEVICE, DEVICE), |p| copy(p, DEVICE, HOST));
    breaks(COPY_02, |p| copy(p, HOST, HOST), |p| copy(p, None, None));
    // Pinned memory is host memory.
    breaks(
        COPY_02,
        |p| {
            let (m, h) = (p.malloc(64), p.malloc_host(64));
            p.copy_as((h, DEVICE), (m, DEVICE), None);
        },
        |p| {
            let (m, h) = (p.malloc(64), p.malloc_host(64));
            p.copy_as((h, HOST), (m, DEVICE), None);
        },
    );
}

#[test]
fn a_fill_works_on_memory_of_the_library() {
    let fill = |p: &mut Program, at: Object| {
        let event = p.event("aclrtMemset", at, Op::Fill);
        p.see(&event.using(memory(at, 64, Access::Write, Role::Target, None)), Outcome::Success);
    };
    breaks(
        MEM_16,
        |p| fill(p, OWN),
        |p| {
            let m = p.malloc_host(64);
            fill(p, m);
        },
    );
}

#[test]
fn devices_reach_each_other_when_that_was_enabled() {
    let copy = |p: &mut Program, linked: bool| {
        let a = p.malloc(64);
        p.set(1);
        let b = p.malloc(64);
        if linked {
            p.call("aclrtDeviceEnablePeerAccess", Object::device(0), Op::EnablePeer);
        }
        p.copy(b, a, None);
    };
    breaks(COPY_08, |p| copy(p, false), |p| copy(p, true));
    let queued = |p: &mut Program, linked: bool| {
        let (a, h) = (p.malloc(64), p.malloc_host(64));
        p.set(1);
        if linked {
            p.call("aclrtDeviceEnablePeerAccess", Object::device(0), Op::EnablePeer);
        }
        let stream = p.stream();
        p.copy(h, a, stream);
    };
    breaks(MEM_11, |p| queued(p, false), |p| queued(p, true));
}

#[test]
fn memory_is_freed_wherever_the_program_is() {
    let other_device = |p: &mut Program| {
        let block = p.malloc(64);
        p.set(1);
        p.free(block);
    };
    assert_eq!(broken(other_device), []);
    // In another context of the same device, and on a thread that has none.
    let elsewhere = |p: &mut Program| {
        let block = p.malloc(64);
        let context = p.new_context(0);
        p.free(block);
        p.destroy_context(context);
        p.set(0);
        let block = p.malloc(64);
        p.on(2).free(block);
    };
    assert_eq!(broken(elsewhere), []);
}

#[test]
fn a_destination_is_as_long_as_the_call_says() {
    let copy = |p: &mut Program, to: Object, room: u64, known: Option<u64>| {
        let from = p.malloc_host(64);
        let event = p.event("aclrtMemcpy", to, Op::Use);
        let room = Use::Room { said: Span::new(to.number + 16, room), known };
        let event = event.using(room).using(Use::Memory {
            span: Span::new(from.number, 8),
            access: Access::Read,
            role: Role::Source,
            claimed: HOST,
        });
        p.see(&event, Outcome::Success);
    };
    breaks(
        COPY_01,
        |p| {
            let to = p.malloc(64);
            copy(p, to, 49, None);
        },
        |p| {
            let to = p.malloc(64);
            copy(p, to, 48, None);
        },
    );
    // Of memory that the library did not allocate others know.
    breaks(COPY_01, |p| copy(p, OWN, 49, Some(48)), |p| copy(p, OWN, 49, Some(49)));
    assert_eq!(broken(|p| copy(p, OWN, 1 << 40, None)), []);
}

/// A copy of two rows: the second one begins behind the end of the block.
#[test]
fn a_row_behind_the_block_is_in_the_memory_of_the_first_row() {
    let copy = |p: &mut Program, bytes: u64, claimed: Option<Place>, extent: u64| {
        let to = p.malloc(bytes);
        let row = |start: u64| Use::Memory {
            span: Span::new(to.number + start, 8),
            access: Access::Write,
            role: Role::Target,
            claimed,
        };
        let room = Use::Room { said: Span::new(to.number, extent), known: None };
        let event = p.event("aclrtMemcpy2d", OWN, Op::Use).using(row(0)).using(row(64)).using(room);
        p.see(&event, Outcome::Success);
    };
    breaks(COPY_01, |p| copy(p, 64, DEVICE, 72), |p| copy(p, 72, DEVICE, 72));
    assert_eq!(broken(|p| copy(p, 64, HOST, 72)), [COPY_02], "the first row is in the wrong place");
    assert_eq!(broken(|p| copy(p, 64, DEVICE, 71)), [COPY_02], "the call says nothing of the second row");
}

#[test]
fn a_data_buffer_is_no_longer_than_its_memory() {
    for (input, output) in [(64, 63), (63, 64)] {
        let run = |p: &mut Program, bytes: [u64; 2]| {
            let [(input, _), (output, _)] = bytes.map(|bytes| {
                let block = p.malloc(bytes);
                p.dataset(block)
            });
            let model = p.load(None, None);
            p.run(model, input, output, None);
        };
        breaks(DATA_08, |p| run(p, [input, output]), |p| run(p, [64, 64]));
    }
    // Who runs nothing with it may change it.
    let made = broken(|p| {
        let block = p.malloc(63);
        p.dataset(block);
    });
    assert_eq!(made, []);
}

#[test]
fn what_nobody_has_written_is_not_copied() {
    let copy = |p: &mut Program, from: Object, untouched: bool| {
        let event = p.event("aclrtMemcpy", OWN, Op::Use).using(Use::Memory {
            span: Span::new(from.number + 8, 8),
            access: Access::Read,
            role: Role::Source,
            claimed: DEVICE,
        });
        let event = if untouched { event.flag(Flag::Untouched) } else { event };
        p.see(&event, Outcome::Success);
    };
    let written = |p: &mut Program, from: Object| {
        let event = p.event("aclrtMemset", from, Op::Fill).using(Use::Memory {
            span: Span::new(from.number, 1),
            access: Access::Write,
            role: Role::Target,
            claimed: None,
        });
        p.see(&event, Outcome::Success);
    };
    breaks(
        MEM_07,
        |p| {
            let from = p.malloc(64);
            copy(p, from, true);
        },
        |p| {
            let from = p.malloc(64);
            // Somebody may have written it of whom the checker does not know.
            copy(p, from, false);
            written(p, from);
            copy(p, from, true);
        },
    );
    assert_eq!(MEM_07.severity(), Severity::Warning);
}

/// The checker forgets freed blocks after many others. The age counts, not the address.
#[test]
fn the_blocks_that_were_freed_last_are_remembered() {
    let found = broken(|p| {
        let (low, target) = (p.malloc(64), p.malloc(64));
        for _ in 0..5_000 {
            let block = p.malloc(64);
            p.free(block);
        }
        p.free(low);
        p.copy(target, low, None);
    });
    assert_eq!(found, [MEM_01]);
}

#[test]
fn a_block_at_an_address_that_was_given_out_twice_is_remembered_as_long_as_others() {
    const ADDRESS: u64 = 0x40;
    let found = broken(|p| {
        let at_address = |p: &mut Program| {
            let event = p.event("aclrtMalloc", Object::memory(0), Op::Allocate);
            let event = event.using(memory(Object::memory(0), 64, Access::Write, Role::Contents, DEVICE));
            p.see(&event, Outcome::Created(ADDRESS));
        };
        let others = |p: &mut Program, count: usize| {
            for _ in 0..count {
                let block = p.malloc(64);
                p.free(block);
            }
        };
        at_address(p);
        p.free(Object::memory(ADDRESS));
        at_address(p);
        others(p, 4_090);
        p.free(Object::memory(ADDRESS));
        others(p, 10);
        p.free(Object::memory(ADDRESS));
    });
    assert_eq!(found, [MEM_01]);
}

/// The numbers of an event are the caller's. Sums of them do not wrap.
#[test]
fn a_block_up_to_the_end_of_the_address_space_is_freed_and_allocated_again() {
    let found = broken(|p| {
        for _ in 0..2 {
            let event = p.event("aclrtMalloc", Object::memory(0), Op::Allocate);
            let event = event.using(memory(Object::memory(0), u64::MAX, Access::Write, Role::Contents, DEVICE));
            p.see(&event, Outcome::Created(0x40));
            p.free(Object::memory(0x40));
        }
    });
    assert_eq!(found, []);
}

/// The program's own instruction reads 64 bytes of the block.
fn touch(p: &mut Program, block: Object, flag: Option<Flag>) {
    let event = p.event("an instruction", Object::PROCESS, Op::Touch);
    let event = event.using(memory(block, 64, Access::Read, Role::Instruction, None));
    let event = flag.into_iter().fold(event, Event::flag);
    p.see(&event, Outcome::Success);
}

#[test]
fn the_program_itself_uses_memory_of_the_host_that_no_work_writes() {
    let device = |flag| {
        broken(|p| {
            let block = p.malloc(64);
            touch(p, block, flag);
        })
    };
    assert_eq!(device(None), [MEM_10]);
    assert_eq!(device(Some(Flag::OnDevice)), [], "the program runs where the memory is");
    let host = |waits: bool| {
        broken(|p| {
            let (a, h, stream) = (p.malloc(64), p.malloc_host(64), p.stream());
            p.copy(h, a, stream);
            if waits {
                p.sync(stream);
            }
            touch(p, h, None);
        })
    };
    assert_eq!(host(false), [COPY_03]);
    assert_eq!(host(true), []);
    let freed = broken(|p| {
        let h = p.malloc_host(64);
        p.free_host(h);
        touch(p, h, None);
    });
    assert_eq!(freed, [MEM_01]);
}
