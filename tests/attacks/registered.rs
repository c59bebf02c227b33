//! Memory of the program that is registered: freed, written and lent twice while copies use it.

use super::{collect, fail, in_context, inside, nothing_fails, undisturbed, with_device};
use crate::common::{acl, alone, assert_lives, library};
use ascendcl::memory::Pages;
use ascendcl::{Current, Error, HostBuffer, Runtime, Scoped};
use ascendcl_macros::proves;
use std::mem;
use std::thread;
use std::time::Duration;

ascendcl::names!(Vision);

const LENGTH: usize = 1500;

/// Registered memory that counts up.
fn counting<'c>(current: &Current<Scoped<'c>>) -> HostBuffer<Scoped<'c>, u16> {
    let numbers: Vec<u16> = (0..LENGTH as u16).collect();
    current.register(Pages::copied_from(&numbers).unwrap()).unwrap()
}

#[proves(MEM_14)]
#[test]
fn registered_memory_begins_at_a_page_and_comes_back_with_what_is_in_it() {
    let alone = alone();
    let pages = inside(|current| {
        let stream = current.stream().unwrap();
        let host = counting(current);
        assert!(host.as_ptr().addr().is_multiple_of(4096));
        assert_lives!(host_blocks, 1);
        let upload = stream.copy_to_device(current, host, current.device_buffer(LENGTH).unwrap()).unwrap();
        let (mut host, device) = upload.wait(current).unwrap();
        host.fill(0);
        let (_, host) = stream.copy_to_host(current, device, host).unwrap().wait(current).unwrap();
        let pages = host.unregister(current).unwrap();
        assert_lives!(host_blocks, 0, "the registration is over");
        pages
    });
    assert!(pages.iter().copied().eq(0..LENGTH as u16), "they outlive the context");
    // Another context registers the same memory.
    inside(|current| assert_eq!(current.register(pages).unwrap().len(), LENGTH));
    alone.assert_nothing_lives();
}

#[proves(MEM_14, MEM_02)]
#[test]
fn a_dropped_registration_stays_while_its_copy_runs_and_a_forgotten_one_ends_with_the_scope() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        drop(stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(50))).unwrap());
        let upload = stream.copy_to_device(current, counting(current), current.device_buffer(LENGTH).unwrap()).unwrap();
        drop(upload);
        collect(current);
        assert_lives!(host_blocks, 1, "nothing ended it under the copy");
        mem::forget(counting(current));
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_14)]
#[test]
fn a_dropped_registration_ends_when_its_copy_is_over() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        drop(counting(current));
        collect(current);
        assert_lives!(host_blocks, 0);
        drop(stream.copy_to_device(current, counting(current), current.device_buffer(LENGTH).unwrap()).unwrap());
        stream.synchronize(current).unwrap();
        collect(current);
        assert_lives!(host_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[test]
fn buffers_that_are_swapped_give_back_the_memory_that_is_in_them() {
    let alone = alone();
    inside(|current| {
        let (mut first, mut second) = (counting(current), current.host_buffer::<u16>(LENGTH).unwrap());
        mem::swap(&mut first, &mut second);
        let failed = first.unregister(current).unwrap_err();
        assert!(matches!(failed.error, Error::NotRegistered), "{}", failed.error);
        assert_eq!(failed.value.len(), LENGTH, "the pinned buffer is as it was");
        assert_eq!(second.unregister(current).unwrap()[7], 7);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_vectors_memory_is_not_unregistered() {
    let alone = alone();
    inside(|current| {
        let failed = current.pageable_buffer(vec![1_u8; 8]).unregister(current).unwrap_err();
        assert!(matches!(failed.error, Error::NotRegistered), "{}", failed.error);
        assert_eq!(failed.value.into_vec(current).unwrap(), [1; 8]);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_registered_buffer_gives_a_vector_as_a_copy_and_is_left_to_the_scope() {
    let alone = alone();
    inside(|current| {
        assert_eq!(counting(current).into_vec(current).unwrap()[3], 3);
        collect(current);
        assert_lives!(host_blocks, 0);
    });
    alone.assert_nothing_lives();
}

#[test]
fn a_library_that_refuses_leaves_the_memory_with_who_has_it() {
    let alone = alone();
    inside(|current| {
        fail("aclrtHostRegisterV2=507910");
        let failed = current.register(Pages::copied_from(&[5_u8; 10]).unwrap()).unwrap_err();
        nothing_fails();
        assert_eq!(failed.error.code().unwrap().number(), 507_910);
        let host = current.register(failed.value).unwrap();
        fail("aclrtHostUnregister=507000");
        let failed = host.unregister(current).unwrap_err();
        nothing_fails();
        let host = failed.value;
        assert_eq!(*host, [5; 10], "it is registered still");
        assert_eq!(*host.unregister(current).unwrap(), [5; 10]);
        // At the end of a scope it is kept, and tried again.
        mem::forget(current.register(Pages::<u8>::zeroed(1).unwrap()).unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_14)]
#[test]
fn a_scope_that_cannot_end_a_registration_keeps_the_memory() {
    let alone = alone();
    with_device(acl(), |device, thread| {
        let scope = device.with_current(thread, |current| {
            mem::forget(counting(current));
            fail("aclrtHostUnregister#1=507000");
        });
        nothing_fails();
        assert!(scope.is_err(), "the scope says what it could not take down");
        assert_lives!(host_blocks, 1, "the memory is not freed under the registration");
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn memory_whose_copy_is_in_doubt_is_not_given_back() {
    let alone = alone();
    with_device(acl(), |device, thread| {
        let scope = device.with_current(thread, |current| {
            let stream = current.stream().unwrap();
            fail("aclrtMemcpyAsync=507899, aclrtSynchronizeStreamWithTimeout=507899, aclrtSynchronizeStream=507899");
            let room = current.device_buffer(LENGTH).unwrap();
            let failed = stream.copy_to_device(current, counting(current), room).unwrap_err();
            nothing_fails();
            let (host, _) = failed.value;
            assert!(host.is_empty(), "a copy may be reading it");
            let failed = host.unregister(current).unwrap_err();
            assert!(matches!(failed.error, Error::InDoubt { .. }), "{}", failed.error);
        });
        scope.unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_11)]
#[test]
fn registered_memory_of_one_runtime_is_not_given_back_in_another() {
    let (alone, _books) = undisturbed();
    let (first, second) = (Runtime::<Vision>::open(library()).unwrap(), Runtime::<Vision>::open(library()).unwrap());
    let host = first.with(|current| current.register(Pages::copied_from(&[9_u8; 4]).unwrap()).unwrap()).unwrap();
    let failed = second.with(|current| host.unregister(current).unwrap_err()).unwrap();
    assert!(matches!(failed.error, Error::WrongContext { .. }), "{}", failed.error);
    let pages = first.with(|current| failed.value.unregister(current).unwrap()).unwrap();
    assert_eq!(*pages, [9; 4]);
    // What outlives its runtime names nothing, and the runtime has freed the memory.
    let left = first.with(|current| current.register(pages).unwrap()).unwrap();
    first.close().unwrap();
    let failed = second.with(|current| left.unregister(current).unwrap_err()).unwrap();
    assert!(matches!(failed.error, Error::WrongContext { .. }), "{}", failed.error);
    second.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn threads_that_collect_meanwhile_end_no_registration_that_has_a_handle() {
    let alone = alone();
    in_context(|context, thread| {
        context
            .enter(thread, |current| {
                thread::scope(|threads| {
                    let collects = threads.spawn(|| {
                        let mut own = ascendcl::Thread::new().unwrap();
                        context.enter(&mut own, |current| (0..200).for_each(|_| collect(current))).unwrap();
                    });
                    for round in 0..50_u16 {
                        let host = current.register(Pages::copied_from(&[round; 8]).unwrap()).unwrap();
                        assert_eq!(*host.unregister(current).unwrap(), [round; 8]);
                    }
                    collects.join().unwrap();
                });
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_14)]
#[test]
fn memory_of_no_elements_and_of_too_many() {
    let alone = alone();
    inside(|current| {
        let host = current.register(Pages::<f32>::zeroed(0).unwrap()).unwrap();
        assert!(host.unregister(current).unwrap().is_empty());
    });
    let error = Pages::<f64>::zeroed(usize::MAX / 8).unwrap_err();
    assert!(matches!(error, Error::TooShort { .. }), "{error}");
    let error = Pages::<u8>::zeroed(isize::MAX as usize).unwrap_err();
    assert!(matches!(error, Error::TooShort { .. }), "{error}");
    // Their whole pages are longer than what there can be, so the error must not say that fewer bytes are needed.
    let error = Pages::<f32>::zeroed(isize::MAX as usize / 4).unwrap_err();
    assert!(matches!(error, Error::TooShort { need, have, .. } if need > have), "{error}");
    alone.assert_nothing_lives();
}

#[proves(MEM_14)]
#[test]
fn pages_are_gone_through_and_lent_as_a_slice_is() {
    fn sum(numbers: impl AsRef<[u32]>) -> u32 {
        numbers.as_ref().iter().sum()
    }

    fn double(mut numbers: impl AsMut<[u32]>) {
        numbers.as_mut().iter_mut().for_each(|number| *number *= 2);
    }

    let mut pages = Pages::copied_from(&[1_u32, 2, 3]).unwrap();
    for number in &mut pages {
        *number += 10;
    }
    double(&mut pages);
    assert_eq!((&pages).into_iter().copied().collect::<Vec<_>>(), [22, 24, 26]);
    assert_eq!(sum(&pages), 72);
}
