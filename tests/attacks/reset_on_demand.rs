//! A device is reset by force although nothing of the program hangs there.

use crate::common::allocators::Empty;
use crate::common::{IN_TIME, acl};
use crate::shared_devices::{BRIEFLY, DEVICE, Worker, alone_on_five, runtime, take, works};
use crate::{fail, nothing_fails};
use ascendcl::error::ObjectKind;
use ascendcl::{Context, Error, Failed, Recovered, Runtime, ScopeError, Scoped, Thread};
use ascendcl_macros::proves;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::thread;

/// What a service asks its device: a synchronous copy there and back.
fn asks(runtime: &Runtime<Worker>) -> Result<Vec<u8>, Error> {
    runtime.with(|current| current.upload(&[7_u8])?.to_vec(current)).unwrap()
}

/// A synchronous copy that reaches its limit leaves nothing to be ended, so neither a runtime nor `recover` resets the device.
#[proves(DEV_08, DEV_09)]
#[test]
fn a_device_that_answers_no_copy_is_reset_and_works_again() {
    let _alone = alone_on_five();
    let acl = acl();
    fail("aclrtMemcpy#1=hang");
    for _ in 0..2 {
        let service = runtime();
        let refused = asks(&service).unwrap_err();
        assert!(refused.code().is_some_and(|code| code.is_timeout()), "{refused}");
        assert_eq!(service.close_by_force(BRIEFLY).unwrap(), [""; 0]);
    }
    let mut thread = Thread::new().unwrap();
    let Recovered::Usable(device) = take(&acl, &mut thread).recover(&mut thread, BRIEFLY).unwrap() else {
        panic!("it was reset")
    };
    let before = device.library().forced_resets(DEVICE);
    assert_eq!(device.reset_by_force(&mut thread, BRIEFLY).unwrap(), [""; 0]);
    assert_eq!(acl.library().forced_resets(DEVICE), before + 1);
    let device = take(&acl, &mut thread);
    works(&device, &mut thread);
    device.reset(&mut thread).unwrap();
    drop(thread);
    assert_eq!(asks(&runtime()).unwrap(), [7]);
    acl.close().unwrap();
}

/// The objects of others end in the library's sense only when they have given the device up.
#[proves(DEV_08)]
#[test]
fn a_device_that_others_use_is_not_reset() {
    let _alone = alone_on_five();
    let acl = acl();
    let service = runtime();
    let mut thread = Thread::new().unwrap();
    let before = acl.library().forced_resets(DEVICE);
    let Err(Failed { error, value: device }) = take(&acl, &mut thread).reset_by_force(&mut thread, BRIEFLY) else {
        panic!("it was reset under a runtime")
    };
    assert!(matches!(error, Error::DeviceShared { device: DEVICE, takes: 2, .. }), "{error}");
    let other = take(&acl, &mut thread);
    let Err(Failed { error, value: device }) = device.reset_by_force(&mut thread, BRIEFLY) else {
        panic!("it was reset under a runtime and a device")
    };
    assert!(matches!(error, Error::DeviceShared { device: DEVICE, takes: 3, .. }), "{error}");
    drop(thread);
    assert_eq!(asks(&service).unwrap(), [7]);
    service.close().unwrap();
    let mut thread = Thread::new().unwrap();
    works(&other, &mut thread);
    other.reset(&mut thread).unwrap();
    assert_eq!(acl.library().forced_resets(DEVICE), before);
    assert_eq!(device.reset_by_force(&mut thread, BRIEFLY).unwrap(), [""; 0]);
    acl.close().unwrap();
}

/// A part that has given the device up, with nothing that hangs there, finds it ended and takes it anew.
#[proves(DEV_07, DEV_09)]
#[test]
fn what_others_have_given_up_ends_with_the_device() {
    let _alone = alone_on_five();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let (one, other) = (take(&acl, &mut thread), take(&acl, &mut thread));
    let Err(Failed { value: one, .. }) = one.reset_by_force(&mut thread, BRIEFLY) else { panic!("it was reset") };
    assert_eq!(other.reset_by_force(&mut thread, BRIEFLY).unwrap(), [""; 0]);
    let gone = one.context(&mut thread, |_, _| ());
    assert!(matches!(gone, Err(ScopeError::NotOpened(Error::Gone { what: ObjectKind::DEVICE }))), "{gone:?}");
    let before = acl.library().forced_resets(DEVICE);
    assert_eq!(one.reset_by_force(&mut thread, BRIEFLY).unwrap(), [""; 0]);
    assert_eq!(acl.library().forced_resets(DEVICE), before, "it was reset already");
    let anew = take(&acl, &mut thread);
    works(&anew, &mut thread);
    anew.reset(&mut thread).unwrap();
    acl.close().unwrap();
}

/// Work that hangs is discarded first, so its memory is freed and not lost.
#[proves(DEV_08, DEV_10)]
#[test]
fn what_can_be_released_is_released_before_the_reset() {
    for default in [false, true] {
        let alone = alone_on_five();
        let acl = acl();
        let mut thread = Thread::new().unwrap();
        let device = take(&acl, &mut thread);
        let hangs = |context: &Context<Scoped<'_>>, thread: &mut Thread| {
            let entered = context.enter(thread, |current| {
                let (stream, memory) = (current.stream().unwrap(), current.device_buffer::<u8>(8).unwrap());
                fail("aclrtMemsetAsync=hang");
                mem::forget(stream.set_bytes(current, memory, 1).unwrap());
            });
            entered.unwrap();
        };
        let ended = match default {
            true => device.default_context(&mut thread, hangs),
            false => device.context(&mut thread, hangs),
        };
        assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
        let before = acl.library().forced_resets(DEVICE);
        assert_eq!(device.reset_by_force(&mut thread, BRIEFLY).unwrap(), [""; 0]);
        assert_eq!(acl.library().forced_resets(DEVICE), before + 1);
        let anew = take(&acl, &mut thread);
        works(&anew, &mut thread);
        anew.reset(&mut thread).unwrap();
        acl.close().unwrap();
        alone.assert_nothing_lives();
    }
}

/// The device is as it was, and still taken.
#[proves(DEV_07)]
#[test]
fn a_device_whose_reset_is_refused_is_given_back_as_usual() {
    let alone = alone_on_five();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = take(&acl, &mut thread);
    fail("aclrtResetDeviceForce=507899");
    let Err(Failed { error, value: device }) = device.reset_by_force(&mut thread, BRIEFLY) else {
        panic!("the library has refused it")
    };
    assert!(matches!(&error, Error::Vendor(error) if error.call == "aclrtResetDeviceForce"), "{error}");
    nothing_fails();
    works(&device, &mut thread);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The reset changes the thread's current context, as the library does it. The context of the scope is current again behind it.
#[proves(CTX_05, CTX_08)]
#[test]
fn a_device_is_reset_inside_of_a_context_of_another_one() {
    let alone = alone_on_five();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let home = acl.device(&mut thread, 0).unwrap();
    let entered = home.with_current(&mut thread, |current| {
        let buffer = current.upload(&[7_u8; 8]).unwrap();
        let hangs = acl.device(current, DEVICE).unwrap();
        assert_eq!(hangs.reset_by_force(current, BRIEFLY).unwrap(), [""; 0]);
        assert_eq!(buffer.to_vec(current).unwrap(), [7; 8]);
        // The same device as the scope's: the scope has it.
        let same = acl.device(current, 0).unwrap();
        let Err(Failed { error, value: same }) = same.reset_by_force(current, BRIEFLY) else {
            panic!("a device was reset under a context")
        };
        assert!(matches!(error, Error::DeviceShared { device: 0, .. }), "{error}");
        assert_eq!(buffer.to_vec(current).unwrap(), [7; 8]);
        same.reset(current).unwrap();
        assert_eq!(buffer.to_vec(current).unwrap(), [7; 8]);
    });
    entered.unwrap();
    home.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The end of an allocator is code of the program. The panic goes on behind the reset, and the device is given back once.
#[proves(DEV_07, DEV_09)]
#[test]
fn a_panic_before_the_reset_continues_behind_it() {
    struct Loud;

    impl Drop for Loud {
        fn drop(&mut self) {
            panic!("an allocator that is dropped");
        }
    }

    let _alone = alone_on_five();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = take(&acl, &mut thread);
    let ended = device.with_current(&mut thread, |current| {
        fail("aclrtMemsetAsync=hang");
        let stream = current.stream().unwrap().register(current, Empty(Loud)).unwrap();
        mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap());
    });
    assert!(matches!(ended, Err(ScopeError::Teardown { .. })), "{ended:?}");
    let before = acl.library().forced_resets(DEVICE);
    let reset = catch_unwind(AssertUnwindSafe(|| device.reset_by_force(&mut thread, BRIEFLY).map(drop)));
    assert_eq!(*reset.unwrap_err().downcast::<&str>().unwrap(), "an allocator that is dropped");
    assert_eq!(acl.library().forced_resets(DEVICE), before + 1);
    let anew = take(&acl, &mut thread);
    works(&anew, &mut thread);
    anew.reset(&mut thread).unwrap();
    acl.close().unwrap();
}

/// Nobody can know that a device which was forgotten is not used. One that was dropped is given up.
#[proves(DEV_08)]
#[test]
fn a_device_that_was_forgotten_is_in_the_way_of_a_reset_and_one_that_was_dropped_is_not() {
    let _alone = alone_on_five();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    drop(take(&acl, &mut thread));
    assert_eq!(take(&acl, &mut thread).reset_by_force(&mut thread, BRIEFLY).unwrap(), [""; 0]);
    mem::forget(take(&acl, &mut thread));
    let Err(Failed { error, value: device }) = take(&acl, &mut thread).reset_by_force(&mut thread, BRIEFLY) else {
        panic!("it was reset under a device that was forgotten")
    };
    assert!(matches!(error, Error::DeviceShared { device: DEVICE, takes: 2, .. }), "{error}");
    device.reset(&mut thread).unwrap();
    // The end of the library gives both back.
    acl.close().unwrap();
}

/// Each has given the device up, and the last one resets it for all: once.
#[proves(DEV_07, DEV_08, DEV_09)]
#[test]
fn threads_that_reset_one_device_at_a_time_reset_it_once() {
    let alone = alone_on_five();
    for _ in 0..8 {
        let acl = acl();
        let (before, together) = (acl.library().forced_resets(DEVICE), Barrier::new(4));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut thread = Thread::new().unwrap();
                    let device = take(&acl, &mut thread);
                    together.wait();
                    assert_eq!(device.reset_by_force(&mut thread, IN_TIME).unwrap(), [""; 0]);
                });
            }
        });
        assert_eq!(acl.library().forced_resets(DEVICE), before + 1);
        let mut thread = Thread::new().unwrap();
        let device = take(&acl, &mut thread);
        works(&device, &mut thread);
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
    }
    alone.assert_nothing_lives();
}
