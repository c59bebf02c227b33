//! Handles that are sent to other threads.

use super::{collect, in_context, inside, model, upload};
use crate::common::{acl, alone, assert_lives};
use ascendcl::{DeviceBuffer, Error, HostBuffer, Input, Scoped, Thread};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, mpsc};

#[test]
fn handles_dropped_on_another_thread_are_collected_here() {
    let alone = alone();
    inside(|current| {
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            // Dropping does not call the library: this thread has no context.
            scope.spawn(move || receiver.iter().for_each(drop));
            for _ in 0..200 {
                let stream = current.stream().unwrap();
                let copy = upload(current, &stream);
                sender.send((stream, copy)).unwrap();
                collect(current);
            }
            drop(sender);
        });
        collect(current);
        assert!(control::live().streams == 0, "everything was dropped");
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_01, MEM_01, MODEL_14)]
#[test]
fn several_threads_that_collect_take_each_thing_down_once() {
    let alone = alone();
    in_context(|context, _| {
        let all_made = Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut thread = Thread::new().unwrap();
                    context
                        .enter(&mut thread, |current| {
                            for _ in 0..50 {
                                let stream = current.stream().unwrap();
                                drop(upload(current, &stream));
                            }
                            drop(model(current));
                            all_made.wait();
                            for _ in 0..3 {
                                collect(current);
                            }
                        })
                        .unwrap();
                });
            }
        });
        assert_lives!(streams, 0);
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn a_copy_waited_for_elsewhere_does_not_cover_what_its_stream_does_next() {
    let alone = alone();
    in_context(|context, thread| {
        let finished = AtomicBool::new(false);
        let (sender, receiver) = mpsc::channel::<super::Upload<_>>();
        std::thread::scope(|scope| {
            let finished = &finished;
            scope.spawn(move || {
                let mut thread = Thread::new().unwrap();
                context
                    .enter(&mut thread, |current| {
                        for copy in receiver {
                            let (host, target) = copy.wait(current).unwrap();
                            host.free(current).unwrap();
                            target.free(current).unwrap();
                            collect(current);
                        }
                        finished.store(true, Ordering::Release);
                    })
                    .unwrap();
            });
            context
                .enter(thread, |current| {
                    let stream = current.stream().unwrap();
                    for _ in 0..300 {
                        sender.send(upload(current, &stream)).unwrap();
                        drop(upload(current, &stream));
                    }
                    drop(sender);
                })
                .unwrap();
        });
        assert!(finished.load(Ordering::Acquire));
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_07)]
#[test]
fn a_stream_destroyed_by_its_owner_leaves_the_waiting_thread_its_buffers() {
    let alone = alone();
    in_context(|context, thread| {
        let (stream, copy) = context
            .enter(thread, |current| {
                let stream = current.stream().unwrap();
                let copy = upload(current, &stream);
                (stream, copy)
            })
            .unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut thread = Thread::new().unwrap();
                let waited = context.enter(&mut thread, |current| copy.wait(current).unwrap()).unwrap();
                assert_eq!(waited.0.len(), waited.1.len());
            });
            context.enter(thread, |current| stream.destroy(current).unwrap()).unwrap();
        });
    });
    alone.assert_nothing_lives();
}

#[test]
fn buffers_go_round_a_ring_of_threads() {
    type Buffers<C> = (HostBuffer<C, f32>, DeviceBuffer<C, f32>);
    let alone = alone();
    in_context(|context, thread| {
        let (first, stations): (Vec<_>, Vec<_>) = (0..3).map(|_| mpsc::channel::<Buffers<Scoped<'_>>>()).unzip();
        std::thread::scope(|scope| {
            for (station, receiver) in stations.into_iter().enumerate() {
                let next = first.get(station + 1).cloned();
                scope.spawn(move || {
                    let mut thread = Thread::new().unwrap();
                    let work = context.enter(&mut thread, |current| {
                        let stream = current.stream()?;
                        for (mut host, target) in receiver {
                            host.iter_mut().for_each(|element| *element += 1.0);
                            let (host, target) = stream.copy_to_device(current, host, target)?.wait(current)?;
                            assert_eq!(target.to_vec(current)?, host.to_vec());
                            match &next {
                                Some(next) => next.send((host, target)).unwrap(),
                                None => mem::forget((host, target)),
                            }
                        }
                        Ok::<_, Error>(())
                    });
                    work.unwrap().unwrap();
                });
            }
            context
                .enter(thread, |current| {
                    for _ in 0..20 {
                        let (host, target) = (current.host_buffer(16).unwrap(), current.upload(&[0.0; 16]).unwrap());
                        first[0].send((host, target)).unwrap();
                    }
                })
                .unwrap();
            drop(first);
        });
        assert_lives!(host_blocks, 20);
    });
    alone.assert_nothing_lives();
}

#[test]
fn threads_that_leak_everything_in_one_context_leave_nothing() {
    let alone = alone();
    in_context(|context, _| {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut thread = Thread::new().unwrap();
                    context
                        .enter(&mut thread, |current| {
                            let stream = current.stream().unwrap();
                            let mut model = model(current);
                            model.run(current, &[Input::new(&[1, 64], &[0.5_f32; 64]).unwrap()]).unwrap();
                            mem::forget((upload(current, &stream), model));
                        })
                        .unwrap();
                });
            }
        });
    });
    alone.assert_nothing_lives();
}

/// The rows of what the threads make stand beside each other, and the memory of those that end is used again.
#[proves(STREAM_01, STREAM_07, EVENT_06, MEM_01)]
#[test]
fn threads_make_destroy_drop_and_forget_while_another_one_collects() {
    const ROUNDS: usize = 300;
    let alone = alone();
    in_context(|context, thread| {
        std::thread::scope(|scope| {
            let workers = [1_u8, 2, 3].map(|value| {
                scope.spawn(move || {
                    let mut thread = Thread::new().unwrap();
                    let rounds = context.enter(&mut thread, |current| {
                        for round in 0..ROUNDS {
                            let (stream, event) = (current.stream().unwrap(), current.event().unwrap());
                            let set = stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), value);
                            let buffer = set.unwrap().wait(current).unwrap();
                            let event = stream.record(current, event).unwrap();
                            assert_eq!(buffer.to_vec(current).unwrap(), [value; 8], "the memory of another thread");
                            match round % 4 {
                                0 => drop((stream, event, buffer)),
                                1 if round < 16 => mem::forget((stream, event, buffer)),
                                _ => {
                                    stream.synchronize(current).unwrap();
                                    stream.destroy(current).unwrap();
                                    event.destroy(current).unwrap();
                                    buffer.free(current).unwrap();
                                }
                            }
                        }
                    });
                    rounds.unwrap();
                })
            });
            context
                .enter(thread, |current| {
                    while !workers.iter().all(|worker| worker.is_finished()) {
                        collect(current);
                    }
                    collect(current);
                    // Each thread has forgotten four of each.
                    assert_lives!(streams, 12);
                    assert_lives!(events, 12);
                    assert_lives!(device_blocks, 12);
                })
                .unwrap();
        });
    });
    alone.assert_nothing_lives();
}

#[proves(CTX_01, CTX_02)]
#[test]
fn threads_open_contexts_of_their_own_on_a_shared_device() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut thread = Thread::new().unwrap();
                let forgets = |current: &mut ascendcl::Current<Scoped<'_>>| mem::forget(current.stream().unwrap());
                device.with_current(&mut thread, forgets).unwrap();
            });
        }
    });
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[test]
fn a_device_is_given_back_by_another_thread_than_took_it() {
    let alone = alone();
    let acl = acl();
    let device = acl.device(&mut Thread::new().unwrap(), 1).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut thread = Thread::new().unwrap();
            device.with_current(&mut thread, |current| drop(current.stream().unwrap())).unwrap();
            device.reset(&mut thread).unwrap();
        });
    });
    std::thread::scope(|scope| {
        scope.spawn(|| acl.close().unwrap());
    });
    alone.assert_nothing_lives();
}

#[proves(THREAD_01)]
#[test]
fn a_token_can_be_taken_again_after_it_was_dropped_and_each_thread_has_its_own() {
    let first = Thread::new().unwrap();
    assert!(Thread::new().is_err());
    std::thread::scope(|scope| {
        scope.spawn(|| drop(Thread::new().unwrap()));
    });
    drop(first);
    drop(Thread::new().unwrap());
}
