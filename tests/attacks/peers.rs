//! Copies between two devices: whose context ends, whose buffer is of another, and whose copies are forgotten.

use super::{collect, fail, nothing_fails, undisturbed};
use crate::common::{acl, alone, c_library, library, library_at};
use crate::null::books;
use ascendcl::error::ObjectKind;
use ascendcl::runtime::CloseError;
use ascendcl::{Acl, Context, Current, DeviceBuffer, Error, Runtime, Scoped, Setup, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

ascendcl::names!(Vision, Speech);

type Seeing<'c> = Context<Scoped<'c, Vision>>;
type Hearing<'c> = Context<Scoped<'c, Speech>>;

/// A context on each of these devices.
#[track_caller]
fn on_devices<R>(
    ids: [i32; 2],
    program: impl for<'a, 'b> FnOnce(&'a Seeing<'a>, &'b Hearing<'b>, &mut Thread) -> R,
) -> R {
    let alone = alone();
    let (acl, mut thread) = (acl(), Thread::new().unwrap());
    let [first, second] = ids.map(|id| acl.device(&mut thread, id).unwrap());
    let result = first
        .named_context::<Vision, _, _>(&mut thread, |vision, thread| {
            second.named_context::<Speech, _, _>(thread, |speech, thread| program(vision, speech, thread)).unwrap()
        })
        .unwrap();
    first.reset(&mut thread).unwrap();
    second.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
    result
}

fn heard<'b>(speech: &Hearing<'b>, thread: &mut Thread, sound: &[u32]) -> DeviceBuffer<Scoped<'b, Speech>, u32> {
    speech.enter(thread, |current| current.upload(sound).unwrap()).unwrap()
}

#[proves(DEV_13, COPY_08)]
#[test]
fn a_device_copies_from_another_and_back() {
    on_devices([0, 1], |vision, speech, thread| {
        let mut sound = heard(speech, thread, &[1, 2, 3, 4]);
        vision
            .enter(thread, |current| {
                let stream = current.stream().unwrap();
                current
                    .with_peer(speech, |current, access| {
                        let room = current.device_buffer::<u32>(4).unwrap();
                        let copied = current
                            .copy_scope(|current, copies| {
                                copies.copy_from_peer(current, &stream, access, &sound, room).unwrap()
                            })
                            .unwrap();
                        let mut own = copied.wait(current).unwrap();
                        assert_eq!(own.to_vec(current).unwrap(), [1, 2, 3, 4]);
                        own.copy_from(current, &[7; 4]).unwrap();
                        current
                            .copy_scope(|current, copies| {
                                let own = own.into_shared();
                                drop(copies.copy_to_peer(current, &stream, access, own.clone(), &mut sound).unwrap());
                                assert!(own.try_unshare(current).is_err(), "a copy may read it");
                            })
                            .unwrap();
                    })
                    .unwrap();
            })
            .unwrap();
        let sound = speech.enter(thread, |current| sound.to_vec(current).unwrap()).unwrap();
        assert_eq!(sound, [7; 4]);
    });
}

#[proves(DEV_13)]
#[test]
fn one_device_is_no_peer_of_itself() {
    on_devices([0, 0], |vision, speech, thread| {
        let error = vision.enter(thread, |current| current.with_peer(speech, |_, _| ()).unwrap_err()).unwrap();
        assert!(matches!(error, Error::NoPeerAccess { device: 0, peer: 0 }), "{error}");
        assert!(error.to_string().contains("[DEV-13]"), "{error}");
    });
}

#[proves(DEV_13)]
#[test]
fn a_library_that_says_no_gives_no_access() {
    let says_no = include_str!("../null/library.c").replace("{ *count = 1; return 0; }", "{ *count = 2; return 0; }")
        + "aclError aclrtDeviceCanAccessPeer(int32_t *can, int32_t device, int32_t peer) {\n\
           (void)device; (void)peer; *can = 0; return 0; }\n\
           aclError aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t flags) { (void)peer; (void)flags; return 0; }\n";
    let _others = books();
    let acl = Acl::init(library_at(c_library("says-no-access", &says_no))).unwrap();
    let mut thread = Thread::new().unwrap();
    let devices = [0, 1].map(|id| acl.device(&mut thread, id).unwrap());
    let refused = devices[0].named_context::<Vision, _, _>(&mut thread, |vision, thread| {
        let refused = devices[1].named_context::<Speech, _, _>(thread, |speech, thread| {
            vision.enter(thread, |current| current.with_peer(speech, |_, _| ()).unwrap_err()).unwrap()
        });
        refused.unwrap()
    });
    let refused = refused.unwrap();
    assert!(matches!(refused, Error::NoPeerAccess { device: 0, peer: 1 }), "{refused}");
    devices.into_iter().for_each(|device| device.reset(&mut thread).unwrap());
    acl.close().unwrap();
}

#[proves(DEV_13)]
#[test]
fn what_the_library_refuses_runs_no_program() {
    on_devices([0, 1], |vision, speech, thread| {
        vision
            .enter(thread, |current| {
                for (plan, code) in
                    [("aclrtDeviceCanAccessPeer=507000", 507_000), ("aclrtDeviceEnablePeerAccess=200006", 200_006)]
                {
                    fail(plan);
                    let error = current.with_peer(speech, |_, _| panic!("it must not run")).unwrap_err();
                    nothing_fails();
                    assert_eq!(error.code().unwrap().number(), code);
                }
                current.with_peer(speech, |_, _| ()).unwrap();
            })
            .unwrap();
    });
}

#[proves(COPY_04, COPY_08)]
#[test]
fn forgotten_copies_are_over_before_the_other_context_uses_its_buffers_again() {
    on_devices([0, 1], |vision, speech, thread| {
        let [mut sound, mut first] = [(); 2].map(|()| heard(speech, thread, &[0; 64]));
        vision
            .enter(thread, |current| {
                let (quick, stream) = (current.stream().unwrap(), current.stream().unwrap());
                current
                    .with_peer(speech, |current, access| {
                        let [own, other] = [(); 2].map(|()| current.upload(&[5_u32; 64]).unwrap());
                        current
                            .copy_scope(|current, copies| {
                                drop(copies.copy_to_peer(current, &quick, access, other, &mut first).unwrap());
                                drop(stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(50))));
                                mem::forget(copies.copy_to_peer(current, &stream, access, own, &mut sound).unwrap());
                            })
                            .unwrap();
                    })
                    .unwrap();
            })
            .unwrap();
        let read = |current: &mut Current<_>| [sound.to_vec(current).unwrap(), first.to_vec(current).unwrap()];
        assert_eq!(speech.enter(thread, read).unwrap(), [[5; 64]; 2], "the scope waited for both streams");
    });
}

#[proves(COPY_04)]
#[test]
fn a_panic_among_the_copies_waits_for_them() {
    on_devices([0, 1], |vision, speech, thread| {
        let mut sound = heard(speech, thread, &[0; 64]);
        vision
            .enter(thread, |current| {
                let stream = current.stream().unwrap();
                current
                    .with_peer(speech, |current, access| {
                        let own = current.upload(&[6_u32; 64]).unwrap();
                        let unwound = catch_unwind(AssertUnwindSafe(|| {
                            current
                                .copy_scope(|current, copies| {
                                    drop(stream.launch_host_fn(current, || thread::sleep(Duration::from_millis(50))));
                                    drop(copies.copy_to_peer(current, &stream, access, own, &mut sound).unwrap());
                                    panic!("in the middle");
                                })
                                .unwrap();
                        }));
                        assert!(unwound.is_err());
                    })
                    .unwrap();
            })
            .unwrap();
        speech.enter(thread, |current| assert_eq!(sound.to_vec(current).unwrap(), [6; 64])).unwrap();
    });
}

#[proves(COPY_01)]
#[test]
fn buffers_of_two_lengths_are_not_copied() {
    on_devices([0, 1], |vision, speech, thread| {
        let sound = heard(speech, thread, &[0; 8]);
        vision
            .enter(thread, |current| {
                let stream = current.stream().unwrap();
                current
                    .with_peer(speech, |current, access| {
                        current
                            .copy_scope(|current, copies| {
                                let room = current.device_buffer::<u32>(9).unwrap();
                                let failed = copies.copy_from_peer(current, &stream, access, &sound, room).unwrap_err();
                                assert!(matches!(failed.error, Error::LengthMismatch { .. }), "{}", failed.error);
                                assert_eq!(failed.value.len(), 9);
                            })
                            .unwrap();
                    })
                    .unwrap();
            })
            .unwrap();
    });
}

#[proves(MEM_02)]
#[test]
fn a_copy_that_fails_leaves_the_other_buffer_to_its_context() {
    on_devices([0, 1], |vision, speech, thread| {
        let sound = heard(speech, thread, &[3; 8]);
        vision
            .enter(thread, |current| {
                let stream = current.stream().unwrap();
                current
                    .with_peer(speech, |current, access| {
                        current
                            .copy_scope(|current, copies| {
                                let room = current.device_buffer::<u32>(8).unwrap();
                                fail("aclrtMemcpyAsync=507899");
                                let failed = copies.copy_from_peer(current, &stream, access, &sound, room).unwrap_err();
                                nothing_fails();
                                assert_eq!(failed.error.code().unwrap().number(), 507_899);
                            })
                            .unwrap();
                        collect(current);
                    })
                    .unwrap();
            })
            .unwrap();
        speech.enter(thread, |current| sound.free(current).unwrap()).unwrap();
    });
}

/// A fill of the other context's buffer failed, and so did the wait for it, so it may still be writing.
#[proves(MEM_02)]
#[test]
fn a_buffer_that_failed_work_may_still_write_is_not_copied_from() {
    on_devices([0, 1], |vision, speech, thread| {
        let fill = |current: &mut Current<_>| {
            let (stream, sound) = (current.stream().unwrap(), current.upload(&[3_u32; 8]).unwrap());
            fail("aclrtMemsetAsync#1=after:507899,aclrtSynchronizeStreamWithTimeout=507899");
            let failed = stream.set_bytes(current, sound, 1).unwrap_err();
            nothing_fails();
            failed.value
        };
        let sound = speech.enter(thread, fill).unwrap();
        vision
            .enter(thread, |current| {
                let stream = current.stream().unwrap();
                current
                    .with_peer(speech, |current, access| {
                        current
                            .copy_scope(|current, copies| {
                                let room = current.device_buffer::<u32>(8).unwrap();
                                let failed = copies.copy_from_peer(current, &stream, access, &sound, room).unwrap_err();
                                assert!(matches!(failed.error, Error::InDoubt { .. }), "{}", failed.error);
                            })
                            .unwrap();
                    })
                    .unwrap();
            })
            .unwrap();
        speech.enter(thread, |current| sound.free(current).map(drop)).unwrap().unwrap_or(());
    });
}

fn on(device: i32) -> Setup {
    Setup::builder().library(library()).device(device).build()
}

#[proves(CTX_06, MEM_12)]
#[test]
fn a_runtime_cannot_be_closed_while_its_memory_is_lent() {
    let (alone, _books) = undisturbed();
    let (vision, speech) = (Runtime::<Vision>::open(on(0)).unwrap(), Runtime::<Speech>::open(on(1)).unwrap());
    let sound = speech.with(|current| current.upload(&[8_u8; 32]).unwrap()).unwrap();
    vision
        .with(|current| {
            let stream = current.stream().unwrap();
            let closes = || thread::scope(|threads| threads.spawn(|| speech.close()).join().unwrap());
            current
                .with_peer(&speech, |current, access| {
                    let room = current.device_buffer(32).unwrap();
                    let copied = current
                        .copy_scope(|current, copies| {
                            let copy = copies.copy_from_peer(current, &stream, access, &sound, room).unwrap();
                            let refused = closes().unwrap_err();
                            assert!(matches!(refused, CloseError::Busy { inside: 1 }), "{refused}");
                            copy
                        })
                        .unwrap();
                    assert_eq!(copied.wait(current).unwrap().to_vec(current).unwrap(), [8; 32]);
                })
                .unwrap();
            closes().unwrap();
            let error = current.with_peer(&speech, |_, _| ()).unwrap_err();
            assert!(matches!(error, Error::Gone { .. }), "{error}");
        })
        .unwrap();
    vision.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_11)]
#[test]
fn a_buffer_of_another_runtime_with_the_name_is_not_lent() {
    let (alone, _books) = undisturbed();
    let vision = Runtime::<Vision>::open(on(0)).unwrap();
    let (speech, other) = (Runtime::<Speech>::open(on(1)).unwrap(), Runtime::<Speech>::open(on(1)).unwrap());
    let lost = other.with(|current| current.upload(&[8_u8; 32]).unwrap()).unwrap();
    other.close().unwrap();
    vision
        .with(|current| {
            let stream = current.stream().unwrap();
            current
                .with_peer(&speech, |current, access| {
                    current
                        .copy_scope(|current, copies| {
                            let room = current.device_buffer(32).unwrap();
                            let failed = copies.copy_from_peer(current, &stream, access, &lost, room).unwrap_err();
                            assert!(matches!(failed.error, Error::WrongContext { .. }), "{}", failed.error);
                        })
                        .unwrap();
                })
                .unwrap();
        })
        .unwrap();
    speech.close().unwrap();
    vision.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn two_libraries_share_no_memory_and_no_event() {
    let (alone, books) = undisturbed();
    let (simulated, other) = (acl(), books.acl());
    let mut thread = Thread::new().unwrap();
    let (first, second) = (simulated.device(&mut thread, 0).unwrap(), other.device(&mut thread, 0).unwrap());
    first
        .context(&mut thread, |here, thread| {
            second
                .context(thread, |there, thread| {
                    let event = there.enter(thread, |current| {
                        let stream = current.stream().unwrap();
                        stream.record(current, current.event().unwrap()).unwrap()
                    });
                    let event = event.unwrap();
                    here.enter(thread, |current| {
                        let refused = current.with_peer(there, |_, _| ()).unwrap_err();
                        assert!(
                            matches!(refused, Error::OtherLibrary { what: ObjectKind::DEVICE_MEMORY }),
                            "{refused}"
                        );
                        // The device has the same number there, and an address of the library is no handle of this one.
                        let stream = current.stream().unwrap();
                        let refused = stream.wait_across_contexts(current, &event).unwrap_err();
                        assert!(matches!(refused, Error::OtherLibrary { what: ObjectKind::EVENT }), "{refused}");
                    })
                    .unwrap();
                })
                .unwrap();
        })
        .unwrap();
    first.reset(&mut thread).unwrap();
    second.reset(&mut thread).unwrap();
    simulated.close().unwrap();
    other.close().unwrap();
    assert_eq!(control::live(), control::Live::default());
    drop(alone);
}
