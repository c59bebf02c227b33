//! Code outside the crate that changes the current context of a thread inside a context of the crate.

use super::leaving::{current_handle, resets_device, sets_device};
use super::undisturbed;
use crate::common::{acl, difference_of, library};
use ascendcl::model::{ModelSource, OutputBuffer};
use ascendcl::{Current, Error, RunError, Scoped, Setup, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::{Calls, Fault, Plan, control};
use std::panic::{AssertUnwindSafe, catch_unwind};

ascendcl::names!(Verified);

/// On device 0, while device 1 exists, too.
fn on_device_0(program: impl FnOnce(&mut Current<Scoped<'_>>)) {
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    device.with_current(&mut thread, program).unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
}

#[proves(CTX_05, CTX_08)]
#[test]
fn what_other_code_makes_current_in_its_scope_is_replaced_and_told() {
    let (alone, _others) = undisturbed();
    on_device_0(|current| {
        let own = current_handle();
        assert!(!current.foreign(|| ()).changed);
        let left = current.foreign(|| {
            sets_device(1);
            current_handle()
        });
        assert!(left.changed && left.refused.is_none() && left.result != own);
        assert_eq!(current_handle(), own);
        let uploaded = current.upload(&[1_u8, 2, 3]).unwrap();
        assert_eq!(uploaded.to_vec(current).unwrap(), [1, 2, 3]);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            current.foreign(|| {
                sets_device(1);
                panic!("in the other code");
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(current_handle(), own);
        // The last reset of device 1 takes the thread's current context away.
        let left = current.foreign(|| {
            sets_device(1);
            (0..3).for_each(|_| resets_device(1));
        });
        assert!(left.changed);
        assert_eq!(current_handle(), own);
    });
    alone.assert_nothing_lives();
}

/// A crate beside this one has `&Current`, or none.
#[proves(CTX_05, CTX_08)]
#[test]
fn what_other_code_makes_current_is_replaced_also_without_an_exclusive_current() {
    let (alone, _others) = undisturbed();
    on_device_0(|current| {
        let (own, library) = (current_handle(), current.library());
        assert!(!library.foreign(|| ()).changed);
        let left = library.foreign(|| {
            sets_device(1);
            current_handle()
        });
        assert!(left.changed && left.refused.is_none() && left.result != own);
        assert_eq!(current_handle(), own);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            library.foreign(|| {
                sets_device(1);
                panic!("in the other code");
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(current_handle(), own);
        // Inside of other code the context is that code's.
        current.foreign(|| {
            sets_device(1);
            let others = current_handle();
            library.foreign(|| sets_device(0));
            assert_eq!(current_handle(), others);
        });
        assert_eq!(current_handle(), own);
        // A thread without a context, before and after.
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(!library.foreign(|| sets_device(1)).changed);
                let left_there = current_handle();
                assert!(library.foreign(|| sets_device(0)).changed);
                assert_eq!(current_handle(), left_there);
                resets_device(0);
                resets_device(1);
            });
        });
        current.foreign(|| {
            resets_device(0);
            (0..3).for_each(|_| resets_device(1));
        });
    });
    alone.assert_nothing_lives();
}

/// If the library refuses, the next call in the context asks once more, as after [`Current::foreign`].
#[proves(CTX_05)]
#[test]
fn a_context_that_could_not_be_put_back_without_an_exclusive_current_is_asked_for_again() {
    let (alone, _others) = undisturbed();
    on_device_0(|current| {
        let own = current_handle();
        crate::begin(Plan::new().at(Calls::of("aclrtSetCurrentContext").from(1), Fault::Fails(507_899)));
        let left = current.library().foreign(|| sets_device(1));
        assert!(left.changed && matches!(left.refused, Some(Error::Vendor(_))), "{left:?}");
        assert!(matches!(current.upload(&[1_u8]), Err(Error::Vendor(_))), "nothing is done in the other context");
        crate::nothing_fails();
        drop(current.upload(&[1_u8]).unwrap());
        assert_eq!(current_handle(), own);
        current.foreign(|| resets_device(1));
    });
    alone.assert_nothing_lives();
}

#[proves(CTX_05)]
#[test]
fn a_context_that_cannot_be_put_back_after_other_code_is_asked_for_again_by_the_next_call() {
    let (alone, _others) = undisturbed();
    on_device_0(|current| {
        let own = current_handle();
        crate::begin(Plan::new().at(Calls::of("aclrtSetCurrentContext").from(1), Fault::Fails(507_899)));
        let left = current.foreign(|| sets_device(1));
        assert!(left.changed && matches!(left.refused, Some(Error::Vendor(_))), "{left:?}");
        assert!(matches!(current.upload(&[1_u8]), Err(Error::Vendor(_))), "nothing is done in the other context");
        crate::nothing_fails();
        drop(current.upload(&[1_u8]).unwrap());
        assert_eq!(current_handle(), own);
        current.foreign(|| resets_device(1));
    });
    alone.assert_nothing_lives();
}

#[proves(CTX_05, MEM_11)]
#[test]
fn nothing_is_freed_waited_for_or_destroyed_while_a_context_of_other_code_is_current() {
    let (alone, _others) = undisturbed();
    on_device_0(|current| {
        let stream = current.stream().unwrap();
        let recorded = || stream.record(current, current.event().unwrap()).unwrap();
        let (start, end, unused) = (recorded(), recorded(), current.event().unwrap());
        let (device, pinned) = (current.upload(&[1_u8; 64]).unwrap(), current.host_buffer::<u8>(64).unwrap());
        let pageable = current.pageable_buffer(vec![1_u8; 64]);
        crate::begin(Plan::new().at(Calls::of("aclrtSetCurrentContext").from(1), Fault::Fails(507_899)));
        current.foreign(|| sets_device(1));
        let live = control::live();
        let device = device.free(current).unwrap_err();
        let pinned = pinned.free(current).unwrap_err();
        let unused = unused.destroy(current).unwrap_err();
        let refused = [
            end.synchronize(current).unwrap_err(),
            end.is_complete(current).map(drop).unwrap_err(),
            end.milliseconds_since(current, &start).map(drop).unwrap_err(),
        ];
        for error in refused.iter().chain([&device.error, &pinned.error, &unused.error]) {
            let call = if let Error::Vendor(error) = error { error.call } else { "none" };
            assert_eq!(call, "aclrtSetCurrentContext", "{error}");
        }
        assert_eq!(control::live(), live);
        pageable.free(current).unwrap();
        crate::nothing_fails();
        device.value.free(current).unwrap();
        pinned.value.free(current).unwrap();
        unused.value.destroy(current).unwrap();
        end.milliseconds_since(current, &start).unwrap();
        current.foreign(|| resets_device(1));
    });
    alone.assert_nothing_lives();
}

#[proves(CTX_05, CTX_08)]
#[test]
fn every_call_of_a_thread_whose_context_was_changed_is_refused_while_calls_are_verified() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    acl.verify_current(true);
    on_device_0(|current| {
        let stream = current.stream().unwrap();
        let (mut buffer, other) = (current.upload(&[1_u8; 64]).unwrap(), current.upload(&[1_u8; 64]).unwrap());
        let work = stream.set_bytes(current, current.upload(&[0_u8; 64]).unwrap(), 1).unwrap();
        let (event, idle) = (current.event().unwrap(), current.event().unwrap());
        sets_device(1);
        let live = control::live();
        let errors = [
            current.check_calls_allowed().unwrap_err(),
            current.upload(&[1_u8]).map(drop).unwrap_err(),
            current.host_buffer::<u8>(4).map(drop).unwrap_err(),
            buffer.to_vec(current).map(drop).unwrap_err(),
            buffer.copy_from(current, &[2; 64]).unwrap_err(),
            current.stream().map(drop).unwrap_err(),
            current.event().map(drop).unwrap_err(),
            current.memory_info().map(drop).unwrap_err(),
            current.synchronize().unwrap_err(),
            stream.synchronize(current).unwrap_err(),
            stream.is_complete(current).map(drop).unwrap_err(),
            stream.record(current, event).map(drop).unwrap_err().into(),
            stream.launch_host_fn(current, || ()).map(drop).unwrap_err().into(),
            stream.set_bytes(current, other, 1).map(drop).unwrap_err().into(),
            idle.destroy(current).unwrap_err().into(),
            current.load_model("no/such/model").map(drop).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, Error::CurrentChanged { .. }), "{error}");
            let said = error.to_string();
            assert!(said.contains("expected context 0x") && said.contains("found context 0x"), "{said}");
            assert!(said.contains("current.foreign(") && said.ends_with("[CTX-05, CTX-08]"), "{said}");
        }
        let work = work.wait(current).unwrap_err();
        assert!(matches!(work.error, Error::CurrentChanged { .. }), "{work}");
        assert_eq!(control::live(), live, "no call reached the library");
        resets_device(1);
        // Now none is current.
        assert!(buffer.to_vec(current).unwrap_err().to_string().contains("found none"));
        assert!(current.foreign(|| ()).changed, "a scope for other code repairs it");
        assert_eq!(buffer.to_vec(current).unwrap(), [1; 64]);
        work.value.wait(current).unwrap();
    });
    acl.verify_current(false);
    on_device_0(|current| {
        sets_device(1);
        // There is no check here: the buffer is on device 1.
        current.upload(&[1_u8]).unwrap().free(current).unwrap();
        assert!(current.foreign(|| resets_device(1)).changed);
    });
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// Where the library was not called, the shapes of a model are known.
#[proves(CTX_05, MODEL_20)]
#[test]
fn shapes_that_a_changed_context_refuses_leave_a_model_that_runs() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    acl.verify_current(true);
    on_device_0(|current| {
        let model = current.load(ModelSource::memory(&difference_of("n")).into()).unwrap();
        let mut bound = model.bind_with(current, &[&[4], &[4]], &[OutputBuffer::AtMost(4)]).unwrap();
        bound.write(current, 0, &[9.0_f32; 4]).unwrap();
        bound.write(current, 1, &[1.0_f32; 4]).unwrap();
        sets_device(1);
        let refused = bound.reshape(current, &[&[2], &[2]]).unwrap_err();
        assert!(matches!(refused, Error::CurrentChanged { .. }), "{refused}");
        resets_device(1);
        assert!(current.foreign(|| ()).changed);
        bound.run(current).unwrap();
        assert_eq!(bound.read::<f32>(current, 0).unwrap(), [8.0; 4]);
    });
    acl.verify_current(false);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_05, CTX_08)]
#[test]
fn a_runtime_is_opened_with_the_calls_verified() {
    let (alone, _others) = undisturbed();
    let setup = Setup::builder().library(library()).device(0).verify_current(true).build();
    let runtime = ascendcl::Runtime::<Verified>::open(setup).unwrap();
    let refused = runtime.with(|current| {
        sets_device(1);
        let refused = current.upload(&[1_u8]).map(drop).unwrap_err();
        assert!(current.foreign(|| resets_device(1)).changed);
        refused
    });
    assert!(matches!(refused.unwrap(), Error::CurrentChanged { .. }));
    // The next one did not ask for it, and its calls are verified as long as the first is there.
    let plain = ascendcl::Runtime::<Verified>::open(library()).unwrap();
    let asked = || {
        plain.with(|current| {
            sets_device(1);
            let asked = current.memory_info();
            assert!(current.foreign(|| resets_device(1)).changed);
            asked
        })
    };
    assert!(matches!(asked().unwrap(), Err(Error::CurrentChanged { .. })));
    runtime.close().unwrap();
    asked().unwrap().unwrap();
    plain.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_05)]
#[test]
fn scopes_of_this_crate_in_each_other_are_verified_without_a_complaint() {
    let (alone, _others) = undisturbed();
    let setup = Setup::builder().library(library()).device(0).verify_current(true).build();
    ascendcl::run(setup, |current| {
        let acl = acl();
        let device = acl.device(current, 1)?;
        let stream = current.stream()?;
        let inner = device.context(current, |context, current| {
            context.enter(current, |inner| inner.stream()?.destroy(inner).map_err(Error::from))
        });
        inner.unwrap()??;
        device.default_context(current, |context, current| context.enter(current, |_| ())).unwrap()?;
        device.reset(current)?;
        acl.close()?;
        stream.destroy(current)?;
        std::mem::forget(current.upload(&[1_u8])?);
        Ok::<_, Error>(())
    })
    .unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_12)]
#[test]
fn the_short_form_takes_the_device_of_the_thread_or_asks_which() {
    let (alone, _others) = undisturbed();
    let id = |setup: Setup| ascendcl::run(setup, |current| Ok::<_, Error>(current.device_id()));
    let unsaid = || id(library().into());
    let acl = acl();
    assert_eq!(unsaid().unwrap(), 0, "nothing is in use");
    let on_a_thread = std::thread::spawn(|| {
        // Other code works on device 1, on this thread.
        sets_device(1);
        let taken = ascendcl::run(library(), |current| Ok::<_, Error>(current.device_id()));
        resets_device(1);
        taken
    });
    assert_eq!(on_a_thread.join().unwrap().unwrap(), 1);
    // Another part of the process works on device 1, on a thread of its own.
    std::thread::scope(|scope| {
        let (taken, is_taken) = std::sync::mpsc::channel();
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let engine = scope.spawn({
            let acl = &acl;
            move || {
                let mut thread = Thread::new().unwrap();
                let device = acl.device(&mut thread, 1).unwrap();
                taken.send(()).unwrap();
                ends.recv().unwrap();
                device.reset(&mut thread).unwrap();
            }
        });
        is_taken.recv().unwrap();
        let asks = unsaid();
        assert!(matches!(asks, Err(RunError::Setup(Error::NoDeviceNamed { in_use: 1 }))), "{asks:?}");
        let said = Setup::builder().library(library()).device(0).build();
        assert_eq!(id(said).unwrap(), 0);
        end.send(()).unwrap();
        engine.join().unwrap();
    });
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// While calls are verified, a copy takes the slow path.
#[proves(CTX_05, ERR_01)]
#[test]
fn a_copy_that_fails_while_calls_are_verified_is_an_error() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    acl.verify_current(true);
    on_device_0(|current| {
        let buffer = current.upload(&[1_u8; 64]).unwrap();
        crate::begin(Plan::new().at(Calls::of("aclrtMemcpy").nth(1), Fault::Fails(507_899)));
        assert!(matches!(buffer.to_vec(current), Err(Error::Vendor(_))));
        crate::nothing_fails();
    });
    acl.verify_current(false);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// The code is run where no context is entered, and ends the default context with a call of this crate.
#[proves(CTX_05, CTX_06)]
#[test]
fn a_context_that_code_ends_with_calls_of_this_crate_is_not_made_current_again() {
    let (alone, _others) = undisturbed();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    device.default_context(&mut thread, |context, thread| context.enter(thread, |_| ()).unwrap()).unwrap();
    assert_ne!(current_handle(), 0, "the default context stays current");
    let left = acl.library().foreign(|| device.reset(&mut thread).map_err(Error::from));
    left.result.unwrap();
    assert!(left.refused.is_none(), "{:?}", left.refused);
    assert_eq!(current_handle(), 0);
    acl.close().unwrap();
    alone.assert_nothing_lives();
}
