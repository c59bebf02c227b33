//! The manual's pages on acquiring and releasing runtime resources, step by step: device, default context and stream,
//! explicit streams, and back in the opposite order.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;
mod null;

use ascendcl::{
    Acl, Brand, Current, Device, Library, RunMode, ScopeError, Scoped, Thread,
    stream::{StreamOps, StreamOptions},
};
use ascendcl_macros::proves;
use ascendcl_sim::{Config, control};
use ascendcl_sys::constants::{ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC};
use ascendcl_sys::types::aclrtStream;
use common::{acl, alone, data, library, under_watch};
use null::{Books, TIMEOUT, books};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::scope;
use std::time::Duration;

/// The calls since the last look, without those that only choose the current context or ask.
fn steps(books: &Books) -> Vec<String> {
    let asks = ["aclrtSetCurrentContext", "aclrtGetDeviceCount"];
    books.log().into_iter().filter(|call| !asks.contains(&call.as_str())).collect()
}

#[proves(DEV_01, DEV_02, DEV_03, DEV_04, CTX_02, STREAM_01, STREAM_05)]
#[test]
fn each_step_of_the_page_is_one_call_and_the_release_runs_backwards() {
    let books = books();
    let acl = books.acl();
    assert_eq!(steps(&books), ["aclInit"]);
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let taken = steps(&books);
    assert_eq!(taken, ["aclrtGetRunMode", "aclrtSetDevice"], "1: the device, with a default context and stream");
    device
        .default_context(&mut thread, |context, thread| {
            context
                .enter(thread, |current| {
                    assert_eq!(steps(&books), [""; 0], "the default context was there");
                    let _view = current.default_stream();
                    assert_eq!(steps(&books), [""; 0], "and so was the default stream");
                    let stream = current.stream().unwrap();
                    assert_eq!(steps(&books), ["aclrtCreateStream"], "2: a stream of one's own");
                    assert_eq!(acl.run_mode().unwrap(), RunMode::Host);
                    assert_eq!(steps(&books), [""; 0], "3: the run mode, which was asked for once");
                    stream.destroy(current).unwrap();
                    assert_eq!(
                        steps(&books),
                        ["aclrtSynchronizeStreamWithTimeout", "aclrtDestroyStream"],
                        "4: back: the stream"
                    );
                })
                .unwrap();
        })
        .unwrap();
    let end = steps(&books);
    assert!(end.iter().all(|step| step == "aclrtSynchronizeStreamWithTimeout"), "neither default is released: {end:?}");
    device.reset(&mut thread).unwrap();
    assert_eq!(steps(&books), ["aclrtResetDevice"], "5: the device");
    acl.close().unwrap();
    assert_eq!(steps(&books), ["aclFinalizeReference"]);
    books.assert_closed();
}

#[proves(DEV_02, DEV_05, STREAM_01)]
#[test]
fn a_program_that_releases_nothing_releases_in_the_same_order() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    device
        .default_context(&mut thread, |context, thread| {
            context
                .enter(thread, |current| {
                    mem::forget(current.stream().unwrap());
                    mem::forget(current.upload(&[1_u8]).unwrap());
                })
                .unwrap();
        })
        .unwrap();
    mem::forget(device);
    steps(&books);
    assert_eq!(books.live(), "device 0 taken 1 time(s) + initialised", "the scope released what was made in it");
    acl.close().unwrap();
    assert_eq!(steps(&books), ["aclrtResetDevice", "aclFinalizeReference"]);
    books.assert_closed();
}

#[proves(DEV_02, DEV_05, DEV_10, STREAM_16)]
#[test]
fn a_default_context_with_work_that_cannot_be_waited_for_keeps_its_device() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap().with_teardown_timeout(Duration::from_millis(1));
    let left = device.default_context(&mut thread, |context, thread| {
        context
            .enter(thread, |current| {
                let (stream, target) = (current.stream().unwrap(), current.device_buffer::<u8>(4).unwrap());
                drop(stream.set_bytes(current, target, 1).unwrap());
                books.refuse_to_synchronize(TIMEOUT);
            })
            .unwrap();
    });
    assert!(matches!(left, Err(ScopeError::Teardown { .. })), "{left:?}");
    let refused = device.reset(&mut thread).unwrap_err();
    let message = refused.error.to_string();
    assert!(message.contains("because 1 stream(s), 1 block(s) of memory could not be released"), "{message}");
    // Another view works beside what is stuck, in the same context.
    books.synchronize_again();
    in_default_context(&refused.value, &mut thread, |current| drop(current.upload(&[1_u8]).unwrap()));
    refused.value.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
}

#[proves(CTX_02, CTX_09)]
#[test]
fn a_panic_in_the_default_context_takes_down_what_was_made_and_leaves_the_context() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        in_default_context(&device, &mut thread, |current| {
            mem::forget(current.stream().unwrap());
            mem::forget(
                current.default_stream().set_bytes(current, current.device_buffer::<u8>(9).unwrap(), 1).unwrap(),
            );
            panic!("in the program")
        })
    }));
    assert!(panicked.is_err());
    alone.assert_nothing_lives();
    assert_eq!(in_default_context(&device, &mut thread, |current| by_the_default_stream(current, 5)), 5);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

/// A number that went to the device and came back by its default stream.
fn by_the_default_stream(current: &Current<impl Brand>, number: u32) -> u32 {
    let stream = current.default_stream();
    let mut host = current.host_buffer(1).unwrap();
    host.slice_mut(current).unwrap()[0] = number;
    let (host, device) = stream.copy_to_device(current, host, current.device_buffer(1).unwrap()).unwrap().split();
    let (_, host) = stream.copy_to_host(current, device, host).unwrap().wait(current).unwrap();
    host.slice(current).unwrap()[0]
}

fn in_default_context<R>(
    device: &Device<'_>,
    thread: &mut Thread,
    program: impl FnOnce(&Current<Scoped<'_>>) -> R,
) -> R {
    device
        .default_context(thread, |context, thread| context.enter(thread, |current| program(current)).unwrap())
        .unwrap()
}

#[proves(DEV_03, CTX_01, CTX_02, STREAM_02, STREAM_03)]
#[test]
fn views_of_the_default_context_and_stream_come_and_go_on_several_threads() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    scope(|scope| {
        for number in [1, 2] {
            let device = &device;
            scope.spawn(move || {
                let mut thread = Thread::new().unwrap();
                for _ in 0..10 {
                    let back =
                        in_default_context(device, &mut thread, |current| by_the_default_stream(current, number));
                    assert_eq!(back, number);
                }
            });
        }
    });
    // The context that the threads shared is still there.
    let outcome = in_default_context(&device, &mut thread, |current| {
        assert_eq!(current.device_id(), 0);
        by_the_default_stream(current, 3)
    });
    assert_eq!(outcome, 3);
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CTX_01, CTX_05, CTX_09)]
#[test]
fn a_context_of_ones_own_inside_the_default_one_keeps_its_objects_apart() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    device
        .default_context(&mut thread, |context, thread| {
            context
                .enter(thread, |outer| {
                    let stream = outer.stream().unwrap();
                    let set = stream.set_bytes(outer, outer.device_buffer::<u8>(4).unwrap(), 7).unwrap();
                    device.with_current(outer, |inner| inner.upload(&[0_u8; 4]).map(drop).unwrap()).unwrap();
                    // The inner scope took down its own things only, and the default context is current again.
                    assert_eq!(set.wait(outer).unwrap().to_vec(outer).unwrap(), [7; 4]);
                    stream.destroy(outer).unwrap();
                })
                .unwrap();
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_06)]
#[test]
fn sets_and_resets_are_counted_and_the_device_works_until_the_last() {
    let books = books();
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let takes: Vec<_> = (0..3).map(|_| acl.device(&mut thread, 0).unwrap()).collect();
    for (reset, device) in takes.into_iter().enumerate() {
        in_default_context(&device, &mut thread, |current| {
            current.upload(&[reset as u64]).unwrap().free(current).unwrap();
        });
        device.reset(&mut thread).unwrap();
        assert_eq!((books.calls("aclrtSetDevice"), books.calls("aclrtResetDevice")), (3, reset as i32 + 1));
    }
    acl.close().unwrap();
    assert_eq!(books.calls("aclrtResetDevice"), 3, "nothing is left to reset");
    books.assert_closed();
}

#[proves(DEV_06, CTX_01)]
#[test]
fn two_parts_of_a_program_take_one_device_each_on_its_thread_and_give_it_back_in_any_order() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let first = acl.device(&mut thread, 0).unwrap();
    scope(|scope| {
        let second = scope.spawn(|| {
            let mut thread = Thread::new().unwrap();
            let second = acl.device(&mut thread, 0).unwrap();
            assert_eq!(in_default_context(&second, &mut thread, |current| by_the_default_stream(current, 2)), 2);
            second.reset(&mut thread).unwrap();
        });
        assert_eq!(in_default_context(&first, &mut thread, |current| by_the_default_stream(current, 1)), 1);
        second.join().unwrap();
        // The other part has given it back; this one still has it.
        assert_eq!(in_default_context(&first, &mut thread, |current| by_the_default_stream(current, 3)), 3);
    });
    first.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_01, DEV_06, MEM_11)]
#[test]
fn several_devices_work_side_by_side_on_one_thread_and_on_threads_of_their_own() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let devices = [acl.device(&mut thread, 0).unwrap(), acl.device(&mut thread, 1).unwrap()];
    // Nested, on this thread.
    devices[0]
        .with_current(&mut thread, |zero| {
            let kept = zero.upload(&[0_u8; 3]).unwrap();
            devices[1]
                .with_current(zero, |one| assert_eq!((one.device_id(), by_the_default_stream(one, 1)), (1, 1)))
                .unwrap();
            assert_eq!((zero.device_id(), kept.to_vec(zero).unwrap()), (0, vec![0; 3]));
        })
        .unwrap();
    // And a thread for each.
    scope(|scope| {
        for device in &devices {
            scope.spawn(|| {
                let mut thread = Thread::new().unwrap();
                let id = in_default_context(device, &mut thread, |current| {
                    assert_eq!(by_the_default_stream(current, 9), 9);
                    current.device_id()
                });
                assert_eq!(id, device.id());
            });
        }
    });
    for device in devices {
        device.reset(&mut thread).unwrap();
    }
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(DEV_06, INIT_05)]
#[test]
fn everything_again_after_everything_was_released() {
    let alone = alone();
    let mut thread = Thread::new().unwrap();
    let once = |thread: &mut Thread| {
        let acl: Acl = acl();
        let device = acl.device(thread, 0).unwrap();
        let outputs = in_default_context(&device, thread, |current| {
            current.load_model(data("digits.onnx")).unwrap().outputs().len()
        });
        device.reset(thread).unwrap();
        acl.close().unwrap();
        outputs
    };
    assert_eq!(once(&mut thread), once(&mut thread));
    alone.assert_nothing_lives();
}

#[proves(STREAM_11, STREAM_14)]
#[test]
fn a_stream_has_the_priority_and_the_flags_that_were_asked_for() {
    let alone = alone();
    ascendcl::run(library(), |current| {
        let options = StreamOptions::builder().priority(5).fast_launch(true).fast_sync(true).build();
        let asked = |stream: &StreamOps<_>| {
            let (functions, stream) = (current.library().as_raw(), aclrtStream(stream.as_raw()));
            let (mut priority, mut flags) = (99, 99);
            // SAFETY: the stream is alive and of the current context, and there are places for both answers.
            unsafe {
                assert_eq!(functions.aclrtStreamGetPriority(stream, &raw mut priority), Ok(0));
                assert_eq!(functions.aclrtStreamGetFlags(stream, &raw mut flags), Ok(0));
            }
            (priority, flags)
        };
        let (urgent, plain) = (current.stream_with(options)?, current.stream_with(StreamOptions::default())?);
        assert_eq!(asked(&urgent), (5, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
        let usual = current.stream()?;
        assert_eq!(asked(&plain), asked(&usual));
        let written = urgent.set_bytes(current, current.device_buffer::<u8>(4)?, 7)?.wait(current)?;
        assert_eq!(written.to_vec(current)?, [7; 4]);
        // A failure names the options.
        control::fail("aclrtCreateStreamWithConfig#1=107000".parse()?)?;
        let refused = current.stream_with(options).map(drop).unwrap_err().to_string();
        assert!(refused.contains("priority 5") && refused.contains("0x3"), "{refused}");
        Ok::<_, Box<dyn std::error::Error>>(())
    })
    .unwrap();
    alone.assert_nothing_lives();
}

#[proves(MODE_01)]
#[test]
fn a_program_that_runs_on_the_device_is_told_so() {
    let alone = alone();
    for (on_device, expected) in [(true, RunMode::Device), (false, RunMode::Host)] {
        control::configure(under_watch(Config::new()).on_device(on_device)).unwrap();
        let acl = Acl::init(Library::Simulator).unwrap();
        assert_eq!(acl.run_mode().unwrap(), expected);
        let mut thread = Thread::new().unwrap();
        let device = acl.device(&mut thread, 0).unwrap();
        let told = device.with_current(&mut thread, |current| current.run_mode()).unwrap();
        assert_eq!(told, expected);
        device.reset(&mut thread).unwrap();
        acl.close().unwrap();
    }
    alone.assert_nothing_lives();
}
