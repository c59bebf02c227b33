//! Memory: freed, touched or read too early, and mixed up.

use crate::support::*;
use ascendcl_sim::{Checks, Config, control};

#[test]
fn memory_in_flight_is_not_freed() {
    breaks_without(rules::MEM_02, |synced| {
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        queue_copy(block, pinned, TO_DEVICE, stream);
        if synced {
            sync(stream);
        }
        ok!(aclrtFree(block));
    });
}

#[test]
fn a_query_that_answers_complete_is_a_wait() {
    breaks_without(rules::MEM_02, |complete| {
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        let gate = Gate::close(stream);
        queue_copy(block, pinned, TO_DEVICE, stream);
        if complete {
            gate.open();
        }
        let mut status = aclrtStreamStatus::ACL_STREAM_STATUS_NOT_READY;
        loop {
            ok!(aclrtStreamQuery(stream, &mut status));
            if !complete || status == aclrtStreamStatus::ACL_STREAM_STATUS_COMPLETE {
                break;
            }
        }
        ok!(aclrtFree(block));
        gate.open();
    });
}

#[test]
fn pageable_memory_is_copied_before_the_call_returns() {
    let run = || {
        let (block, stream, mut own) = (malloc(64), stream(), [7_u8; 64]);
        queue_copy(block, own.as_mut_ptr().cast(), TO_DEVICE, stream);
        ok!(aclrtFree(block));
    };
    assert_eq!(broken(run), []);
}

#[test]
fn what_a_callback_follows_is_over_when_it_runs() {
    unsafe extern "C" fn tell(done: *mut std::ffi::c_void) {
        // SAFETY: the test waits for the callback before its flag goes.
        unsafe { &*done.cast::<std::sync::atomic::AtomicBool>() }.store(true, std::sync::atomic::Ordering::SeqCst);
    }
    let run = || {
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        let done = std::sync::atomic::AtomicBool::new(false);
        queue_copy(block, pinned, TO_DEVICE, stream);
        ok!(aclrtLaunchHostFunc(stream, Some(tell), std::ptr::from_ref(&done).cast_mut().cast()));
        while !done.load(std::sync::atomic::Ordering::SeqCst) {
            std::thread::yield_now();
        }
        ok!(aclrtFree(block));
    };
    assert_eq!(broken(run), []);
}

#[test]
fn a_synchronous_copy_does_not_wait_for_streams() {
    breaks_without(rules::COPY_07, |synced| {
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        queue_copy(block, pinned, TO_DEVICE, stream);
        if synced {
            sync(stream);
        }
        let mut bytes = [0_u8; 64];
        ok!(aclrtMemcpy(bytes.as_mut_ptr().cast(), 64, block, 64, TO_HOST));
    });
    breaks_without(rules::COPY_04, |synced| {
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        queue_copy(block, pinned, TO_DEVICE, stream);
        if synced {
            sync(stream);
        }
        ok!(aclrtMemset(pinned, 64, 0, 64));
    });
}

#[test]
fn each_family_has_its_own_free() {
    breaks(rules::MEM_03, || ok!(aclrtFree(malloc_host(64))), || ok!(aclrtFreeHost(malloc_host(64))));
    breaks(
        rules::MEM_03,
        || assert_eq!(acl!(aclrtFreeHost(malloc(64))), ACL_ERROR_RT_PARAM_INVALID),
        || ok!(aclrtFree(malloc(64))),
    );
    breaks_without(rules::MEM_01, |once| {
        let block = malloc(64);
        ok!(aclrtFree(block));
        if !once {
            acl!(aclrtFree(block));
        }
    });
}

#[test]
fn a_direction_that_the_addresses_do_not_have_is_found_though_the_copy_succeeds() {
    breaks_without(rules::COPY_02, |right| {
        let (block, pinned) = (malloc(64), malloc_host(64));
        ok!(aclrtMemcpy(block, 64, pinned, 64, if right { TO_DEVICE } else { TO_HOST }));
    });
}

#[test]
fn rows_of_one_image_are_apart() {
    let run = || {
        const PITCH: usize = 128;
        let (image, pinned, a, b) = (malloc(PITCH * 8), malloc_host(PITCH * 8), stream(), stream());
        for (stream, column) in [(a, 0), (b, 64)] {
            let to = image.wrapping_byte_add(column);
            ok!(aclrtMemcpy2dAsync(to, PITCH, pinned, PITCH, 64, 8, TO_DEVICE, stream));
        }
    };
    assert_eq!(broken(run), []);
}

#[test]
fn devices_are_linked_before_one_reaches_the_other() {
    breaks_without(rules::COPY_08, |linked| {
        let a = malloc(64);
        ok!(aclrtSetDevice(1));
        let b = malloc(64);
        if linked {
            ok!(aclrtDeviceEnablePeerAccess(0, 0));
        }
        ok!(aclrtMemcpy(b, 64, a, 64, ON_DEVICE));
    });
}

/// What is found in a copy by device 1, if access is enabled from `device` to the other one. `to`: the device that it goes to.
fn copied_by_device_1(device: i32, to: i32) -> Vec<rules::RuleId> {
    broken(|| {
        let [first, second] = [0, 1].map(|device| {
            ok!(aclrtSetDevice(device));
            let block = malloc(64);
            ok!(aclrtMemset(block, 64, 0, 64));
            block
        });
        ok!(aclrtSetDevice(device));
        ok!(aclrtDeviceEnablePeerAccess(1 - device, 0));
        ok!(aclrtSetDevice(1));
        let (to, from) = if to == 0 { (first, second) } else { (second, first) };
        ok!(aclrtMemcpy(to, 64, from, 64, ON_DEVICE));
        let stream = stream();
        queue_copy(to, from, ON_DEVICE, stream);
        sync(stream);
    })
}

#[test]
fn a_copy_does_not_go_against_the_only_direction_of_access() {
    assert_eq!(copied_by_device_1(0, 0), [rules::DEV_13; 2], "by a call, and on a stream");
    assert_eq!(copied_by_device_1(1, 0), []);
    assert_eq!(copied_by_device_1(1, 1), [], "as in the manual's example");
    assert_eq!(copied_by_device_1(0, 1), [], "the bytes go from device 0 to device 1");
}

/// Plain stores to pinned memory, which no call shows.
pub(crate) fn store(pinned: *mut std::ffi::c_void, byte: u8) {
    // SAFETY: the tests' blocks have 64 bytes; a copy that reads them meanwhile is what the tests are about, and copies
    // bytes whatever they are.
    unsafe { std::ptr::write_bytes(pinned.cast::<u8>(), byte, 64) }
}

#[test]
fn a_source_that_the_host_writes_before_the_copy_has_run_is_found() {
    breaks_without(rules::COPY_04, |waited| {
        let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
        store(pinned, 1);
        long_fill(stream);
        queue_copy(block, pinned, TO_DEVICE, stream);
        if waited {
            sync(stream);
        }
        store(pinned, 2);
        sync(stream);
    });
}

#[test]
fn a_source_that_the_host_writes_before_a_wait_is_found_however_fast_the_copy_was() {
    breaks_without(rules::COPY_04, |waited| {
        let (block, pinned, stream, event) = (malloc(64), malloc_host(64), stream(), event());
        store(pinned, 1);
        queue_copy(block, pinned, TO_DEVICE, stream);
        ok!(aclrtRecordEvent(event, stream));
        std::thread::sleep(std::time::Duration::from_millis(20));
        if waited {
            ok!(aclrtSynchronizeEvent(event));
        }
        store(pinned, 2);
        sync(stream);
    });
}

/// Each wait looks at the sources of all copies. One thread's wait has ended and it writes, while another one looks.
#[test]
fn a_source_that_is_written_after_its_wait_is_no_mistake_while_other_threads_wait() {
    let threads = || {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    ok!(aclrtSetDevice(0));
                    let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
                    for round in 0..500_u16 {
                        store(pinned, round.to_le_bytes()[0]);
                        queue_copy(block, pinned, TO_DEVICE, stream);
                        sync(stream);
                    }
                });
            }
        });
    };
    assert_eq!(broken(threads), []);
}

#[test]
fn a_source_that_queued_work_writes_in_its_turn_is_no_mistake() {
    let run = || {
        let (block, other, pinned, stream) = (malloc(64), malloc(64), malloc_host(64), stream());
        store(pinned, 1);
        ok!(aclrtMemset(other, 64, 7, 64));
        queue_copy(block, pinned, TO_DEVICE, stream);
        queue_copy(pinned, other, TO_HOST, stream);
        queue_copy(block, pinned, TO_DEVICE, stream);
        sync(stream);
    };
    assert_eq!(broken(run), []);
}

#[test]
fn strict_checks_refuse_the_wait_for_a_copy_whose_source_changed() {
    let _machine = machine(ascendcl_sim::Checks::Strict);
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let (block, pinned, stream) = (malloc(64), malloc_host(64), stream());
    store(pinned, 1);
    long_fill(stream);
    queue_copy(block, pinned, TO_DEVICE, stream);
    store(pinned, 2);
    // The copy runs before anybody waits, and what it read was put right again.
    // SAFETY: device memory is memory of the process here, and lives until the machine is reset. What writes it meanwhile is the
    // copy that is looked out for, which copies bytes.
    let copied = unsafe { std::sync::atomic::AtomicU8::from_ptr(block.cast()) };
    while copied.load(std::sync::atomic::Ordering::SeqCst) != 2 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    store(pinned, 1);
    assert_eq!(acl!(aclrtSynchronizeStream(stream)), ACL_ERROR_RT_PARAM_INVALID);
    assert!(message().contains("COPY-04"), "{}", message());
    sync(stream);
}

/// As measured on the vendor's library.
#[test]
fn memory_of_a_device_is_freed_while_another_device_is_current() {
    let run = || {
        let (own, block) = (current(), malloc(64));
        let other = context(1);
        ok!(aclrtFree(block));
        ok!(aclrtSetCurrentContext(own));
        ok!(aclrtDestroyContext(other));
    };
    assert_eq!(broken(run), []);
}

#[test]
fn a_queued_copy_on_the_device_begins_at_multiples_of_64() {
    for kind in [ON_DEVICE, aclrtMemcpyKind::ACL_MEMCPY_DEFAULT] {
        for (to, from) in [(16, 0), (0, 16)] {
            breaks_without(rules::COPY_09, |aligned| {
                let (target, source, stream) = (malloc(256), malloc(256), stream());
                let [to, from] = [to, from].map(|offset| if aligned { 64 * offset / 16 } else { offset });
                queue_copy(target.wrapping_byte_add(to), source.wrapping_byte_add(from), kind, stream);
                sync(stream);
                ok!(aclrtFree(target));
                ok!(aclrtFree(source));
            });
        }
    }
    // The manual does not ask for it, and programs copy parts of tensors.
    assert_eq!(rules::COPY_09.severity(), rules::Severity::Warning);
    // A copy in the call, and one that has an end on the host, may begin anywhere.
    let run = || {
        let (target, source, pinned, stream) = (malloc(256), malloc(256), malloc_host(256), stream());
        ok!(aclrtMemset(source, 256, 0, 256));
        ok!(aclrtMemcpy(target.wrapping_byte_add(8), 64, source, 64, ON_DEVICE));
        queue_copy(pinned.wrapping_byte_add(8), source.wrapping_byte_add(4), TO_HOST, stream);
        sync(stream);
        ok!(aclrtFree(target));
        ok!(aclrtFree(source));
        ok!(aclrtFreeHost(pinned));
    };
    assert_eq!(broken(run), []);
}

#[test]
fn on_the_device_a_queued_copy_of_ordinary_memory_has_to_begin_there_too() {
    let _machine = machine(Checks::Report);
    control::configure(Config::new().checks(Checks::Report).on_device(true)).unwrap();
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let (target, stream, own) = (malloc(128), stream(), [7_u8; 256]);
    let aligned = own.as_ptr().wrapping_add(own.as_ptr().align_offset(64)).cast_mut();
    queue_copy(target, aligned.cast(), ON_DEVICE, stream);
    assert_eq!(control::take_findings(), []);
    queue_copy(target, aligned.wrapping_add(4).cast(), ON_DEVICE, stream);
    let found: Vec<_> = control::take_findings().iter().map(|finding| finding.rule).collect();
    assert_eq!(found, [rules::COPY_09]);
}

#[test]
fn a_free_in_the_order_of_a_stream_comes_after_the_work_of_that_stream() {
    breaks_without(rules::MEM_02, |ordered| {
        let (worker, other, done, pinned) = (stream(), stream(), event(), malloc_host(64));
        let pool = pool();
        let [mut own, mut shared] = [std::ptr::null_mut(); 2];
        for block in [&mut own, &mut shared] {
            ok!(aclrtMemPoolMallocAsync(block, 64, pool, worker));
            queue_copy(*block, pinned, TO_DEVICE, worker);
        }
        ok!(aclrtMemPoolFreeAsync(own, worker));
        if ordered {
            ok!(aclrtRecordEvent(done, worker));
            ok!(aclrtStreamWaitEvent(other, done));
        }
        ok!(aclrtMemPoolFreeAsync(shared, other));
        sync(worker);
        sync(other);
    });
}

#[test]
fn memory_of_a_pool_is_freed_once_and_not_used_afterwards() {
    let run = |misuse: u8| {
        broken(|| {
            let (stream, pool) = (stream(), pool());
            let mut block = std::ptr::null_mut();
            ok!(aclrtMemPoolMallocAsync(&mut block, 64, pool, stream));
            ok!(aclrtMemPoolFreeAsync(block, stream));
            match misuse {
                1 => ok!(aclrtMemPoolFreeAsync(block, stream)),
                2 => drop(acl!(aclrtMemsetAsync(block, 64, 0, 64, stream))),
                _ => {}
            }
            sync(stream);
        })
    };
    assert_eq!(run(0), []);
    assert_eq!(run(1), [rules::MEM_01]);
    assert_eq!(run(2), [rules::MEM_01]);
}

fn pool() -> aclrtMemPool {
    let properties = aclrtMemPoolProps {
        allocType: aclrtMemAllocationType::ACL_MEM_ALLOCATION_TYPE_PINNED,
        handleType: aclrtMemHandleType::ACL_MEM_HANDLE_TYPE_NONE,
        location: aclrtMemLocation { id: 0, kind: aclrtMemLocationType::ACL_MEM_LOCATION_TYPE_DEVICE },
        maxSize: 0,
        reserved: [0; 32],
    };
    let mut pool = aclrtMemPool::NULL;
    ok!(aclrtMemPoolCreate(&mut pool, &properties));
    pool
}
