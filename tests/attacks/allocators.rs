//! Allocators that move between contexts, that are inspected while work runs, or that the library keeps.

use super::common::allocators::{Watch, Watched};
use super::common::{acl, alone, data};
use super::null::books;
use super::{in_context, inside, with_device};
use crate::common::assert_lives;
use ascendcl::operator::mat_mul;
use ascendcl::{
    BoundModel, Brand, Current, DeviceAllocator, Error, Pending, ScopeError, Scoped, Stream, Thread,
    allocator::PoolAllocator,
    model::OutputBuffer,
    stream::{AllocatorGroup, CustomAllocator},
};
use ascendcl_macros::proves;
use ascendcl_sim::control;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

fn pool(current: &Current<impl Brand>) -> PoolAllocator {
    PoolAllocator::new(current, 1 << 20).unwrap()
}

fn pooled<C: Brand>(current: &Current<C>) -> Stream<C, CustomAllocator<PoolAllocator>> {
    current.stream().unwrap().register(current, pool(current)).unwrap()
}

/// Runs a test on a thread of its own, which has to come back.
#[track_caller]
fn comes_back(test: impl FnOnce() + Send + 'static) {
    let (says, ended) = channel();
    let thread = std::thread::spawn(move || {
        test();
        drop(says);
    });
    match ended.recv_timeout(Duration::from_secs(30)) {
        Err(RecvTimeoutError::Timeout) => panic!("it never came back"),
        Err(RecvTimeoutError::Disconnected) | Ok(()) => thread.join().unwrap(),
    }
}

/// Queues a model whose memory comes from the stream's allocator, behind a callback that takes its time.
fn slow_model<C: Brand, A: DeviceAllocator>(
    current: &Current<C>,
    stream: &Stream<C, CustomAllocator<A>>,
) -> Pending<C, BoundModel<C>> {
    let model = current.load_model(data("digits.onnx")).unwrap();
    let mut model = model.bind_with(current, &[&[300, 64]], &[OutputBuffer::AtMost(3000)]).unwrap();
    model.write(current, 0, &[0.0_f32; 300 * 64]).unwrap();
    drop(stream.launch_host_fn(current, || std::thread::sleep(Duration::from_millis(50))).unwrap());
    stream.execute(current, model).unwrap()
}

/// Every way to use a pool in the context that is current is refused when its memory is of another one.
fn is_refused_here(current: &Current<impl Brand>, theirs: PoolAllocator) -> PoolAllocator {
    let other = |error: &Error| matches!(error, Error::AllocatorOfOtherContext { context } if *context == current.id());
    let before = theirs.statistics();
    let failed = AllocatorGroup::new(current, theirs).unwrap_err();
    assert!(other(&failed.error), "{}", failed.error);
    let failed = current.stream().unwrap().register(current, failed.value).unwrap_err();
    assert!(other(&failed.error), "{}", failed.error);
    let (_, theirs) = failed.value;
    let failed = pooled(current).replace(current, theirs).unwrap_err();
    assert!(other(&failed.error), "{}", failed.error);
    let (_, mut theirs) = failed.value;
    assert!(other(&theirs.grow(current, 512).unwrap_err()));
    let failed = theirs.release(current).unwrap_err();
    assert!(other(&failed.error), "{}", failed.error);
    assert_eq!(failed.value.statistics(), before);
    failed.value
}

#[proves(MEM_11)]
#[test]
fn a_pool_of_another_device_is_not_used_or_freed_here() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let (zero, one) = (acl.device(&mut thread, 0).unwrap(), acl.device(&mut thread, 1).unwrap());
    zero.context(&mut thread, |a, thread| {
        one.context(thread, |b, thread| {
            let theirs = a.enter(thread, |current| pool(current)).unwrap();
            let theirs = b.enter(thread, |current| is_refused_here(current, theirs)).unwrap();
            a.enter(thread, |current| theirs.release(current).unwrap()).unwrap();
        })
        .unwrap();
    })
    .unwrap();
    zero.reset(&mut thread).unwrap();
    one.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(MEM_11)]
#[test]
fn a_pool_of_another_library_is_not_used_or_freed_here() {
    let (alone, books) = (alone(), books());
    let acl = books.acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    device
        .context(&mut thread, |theirs, thread| {
            let pool = theirs.enter(thread, |current| pool(current)).unwrap();
            let pool = theirs
                .enter(thread, |outer| {
                    let acl = super::common::acl();
                    let device = acl.device(outer, 0).unwrap();
                    let pool = device.with_current(outer, |current| is_refused_here(current, pool)).unwrap();
                    device.reset(outer).unwrap();
                    acl.close().unwrap();
                    pool
                })
                .unwrap();
            theirs.enter(thread, |current| pool.release(current).unwrap()).unwrap();
        })
        .unwrap();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    books.assert_closed();
    alone.assert_nothing_lives();
}

#[test]
fn a_named_context_in_another_of_the_same_name_keeps_its_pools_apart() {
    ascendcl::names! { Same }
    let alone = alone();
    with_device(acl(), |device, thread| {
        device
            .named_context::<Same, _, _>(thread, |a, thread| {
                let theirs = a.enter(thread, |current| PoolAllocator::new(current, 4096).unwrap()).unwrap();
                device
                    .named_context::<Same, _, _>(thread, |b, thread| {
                        b.enter(thread, |current| {
                            let failed = AllocatorGroup::new(current, theirs).unwrap_err();
                            assert!(matches!(failed.error, Error::AllocatorOfOtherContext { .. }), "{}", failed.error);
                        })
                        .unwrap();
                    })
                    .unwrap();
            })
            .unwrap();
    });
    alone.assert_nothing_lives();
}

/// Asserts that a program that waits while it looks at its allocator comes back, and that the model got its memory.
fn looks_and(
    waits: impl for<'c> FnOnce(&Current<Scoped<'c>>, &Stream<Scoped<'c>, CustomAllocator<PoolAllocator>>) + Send + 'static,
) {
    comes_back(|| {
        let alone = alone();
        inside(|current| {
            let stream = pooled(current);
            let running = slow_model(current, &stream);
            let used = stream.with_allocator(|pool| {
                waits(current, &stream);
                pool.statistics()
            });
            let used = used.unwrap();
            assert!(used.misses > 0 && used.blocks_in_use == 0, "{used:?}");
            assert!(!stream.allocator_misbehaved());
            let digits = running.wait(current).unwrap().read::<f32>(current, 0).unwrap();
            assert_eq!(digits.len(), 3000);
        });
        alone.assert_nothing_lives();
    });
}

#[proves(ALLOC_18)]
#[test]
fn a_program_that_waits_for_its_stream_while_it_looks_at_its_allocator_comes_back() {
    looks_and(|current, stream| stream.synchronize(current).unwrap());
}

#[test]
fn a_program_that_waits_for_its_context_while_it_looks_at_its_allocator_comes_back() {
    looks_and(|current, _| current.synchronize().unwrap());
}

#[test]
fn a_program_that_looks_at_its_allocator_while_it_looks_at_it_comes_back() {
    looks_and(|current, stream| {
        let inner = stream.with_allocator(|_| stream.with_allocator(|_| stream.synchronize(current).unwrap()));
        assert_eq!(inner, Some(Some(())));
    });
}

#[test]
fn a_program_that_panics_while_it_looks_at_its_allocator_waits_for_its_stream_afterwards() {
    looks_and(|current, stream| {
        let panicked = catch_unwind(AssertUnwindSafe(|| stream.with_allocator(|_| panic_any("while looking"))));
        assert!(panicked.is_err());
        stream.synchronize(current).unwrap();
    });
}

#[test]
fn a_program_that_runs_more_work_while_it_looks_at_its_allocator_comes_back() {
    looks_and(|current, stream| {
        let matrix = || current.upload_tensor(&[4, 4], &[1.0_f32; 16]).unwrap();
        let product = stream.launch(current, mat_mul(current, matrix(), matrix()).unwrap()).unwrap();
        let (_, product) = product.wait(current).unwrap().into_tensors(current).unwrap();
        assert_eq!(product.to_vec(current).unwrap(), [4.0; 16]);
    });
}

#[test]
fn a_look_that_joins_a_thread_which_waits_for_the_work_comes_back() {
    comes_back(|| {
        let alone = alone();
        in_context(|context, thread| {
            context
                .enter(thread, |current| {
                    let stream = pooled(current);
                    let running = slow_model(current, &stream);
                    let model = stream.with_allocator(|_| {
                        std::thread::scope(|scope| {
                            let waits = scope.spawn(move || {
                                let mut thread = Thread::new().unwrap();
                                context.enter(&mut thread, |current| running.wait(current).unwrap()).unwrap()
                            });
                            waits.join().unwrap()
                        })
                    });
                    assert_eq!(model.unwrap().read::<f32>(current, 0).unwrap().len(), 3000);
                })
                .unwrap();
        });
        alone.assert_nothing_lives();
    });
}

#[proves(ALLOC_11)]
#[test]
fn a_proof_of_idleness_and_a_permit_may_call_the_library_while_they_look() {
    comes_back(|| {
        let alone = alone();
        inside(|current| {
            let mut stream = pooled(current);
            drop(slow_model(current, &stream));
            let idle = stream.idle(current).unwrap();
            idle.with_allocator(|_| assert_eq!(current.collect().len(), 0)).unwrap();
            assert_eq!(idle.trim(current).unwrap(), 1 << 20);

            let mut group = AllocatorGroup::new(current, pool(current)).unwrap();
            let member = group.attach(current, current.stream().unwrap()).unwrap();
            group.with_allocator(|_| current.synchronize().unwrap()).unwrap();
            group.idle().with_allocator(|_| current.synchronize().unwrap()).unwrap();
            drop(member.detach(current).unwrap());
            group.into_allocator().unwrap().release(current).unwrap();
        });
        alone.assert_nothing_lives();
    });
}

/// Reports each block that comes back, and waits inside that call until it is released.
struct WaitsInFree {
    inside: Sender<()>,
    until: Mutex<Receiver<()>>,
}

impl Watch for WaitsInFree {
    fn frees(&self) {
        let _ = self.inside.send(());
        let _ = self.until.lock().unwrap().recv();
    }
}

#[test]
fn an_allocator_is_looked_at_while_the_library_is_inside_it() {
    comes_back(|| {
        let alone = alone();
        inside(|current| {
            let ((lets_go, until), (inside, comes_in)) = (channel(), channel());
            let allocator = Watched { pool: pool(current), watch: WaitsInFree { inside, until: Mutex::new(until) } };
            let stream = current.stream().unwrap().register(current, allocator).unwrap();
            let running = slow_model(current, &stream);
            comes_in.recv().unwrap();
            let out = stream.with_allocator(|own| own.pool.statistics().blocks_in_use).unwrap();
            assert!(out > 0, "the library gives a block back now");
            drop(lets_go);
            drop(running.wait(current).unwrap());
            assert_eq!(stream.with_allocator(|own| own.pool.statistics().blocks_in_use), Some(0));
        });
        alone.assert_nothing_lives();
    });
}

#[proves(ALLOC_09, ALLOC_12)]
#[test]
fn an_allocator_whose_replacement_was_refused_twice_comes_back() {
    comes_back(|| {
        let alone = alone();
        inside(|current| {
            let stream = pooled(current);
            let plan = "aclrtAllocatorRegister#1=507899, aclrtAllocatorRegister#2=507899";
            crate::fail(plan);
            let (stream, other) = stream.replace(current, pool(current)).unwrap_err().value;
            crate::nothing_fails();
            other.release(current).unwrap();
            assert_lives!(allocator_descriptors, 2, "the library may call either: both have a row");
            let (stream, first) = stream.unregister(current).unwrap();
            assert_lives!(allocator_descriptors, 0);
            first.release(current).unwrap();
            stream.destroy(current).unwrap();
        });
        alone.assert_nothing_lives();
    });
}

#[proves(ALLOC_08)]
#[test]
fn a_descriptor_that_the_library_keeps_stays_with_its_stream_and_then_with_the_scope() {
    let alone = alone();
    inside(|current| {
        let (stream, other) = (pooled(current), pool(current));
        crate::fail("aclrtAllocatorDestroyDesc=507899");
        let (stream, first) = stream.replace(current, other).unwrap();
        let (stream, second) = stream.unregister(current).unwrap();
        stream.destroy(current).unwrap();
        assert_eq!((control::live().streams, control::live().allocator_descriptors), (0, 2));
        let errors = current.collect();
        assert!(matches!(&*errors, [Error::Vendor(error)] if error.call == "aclrtAllocatorDestroyDesc"), "{errors:?}");
        crate::nothing_fails();
        assert_eq!(current.collect().len(), 0);
        assert_lives!(allocator_descriptors, 0);
        first.release(current).unwrap();
        second.release(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(ALLOC_08, DEV_10)]
#[test]
fn a_descriptor_that_the_library_keeps_keeps_its_context_and_the_device() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let device = acl.device(&mut thread, 0).unwrap();
    let ended = device.with_current(&mut thread, |current| {
        std::mem::forget(pooled(current));
        crate::fail("aclrtAllocatorDestroyDesc=507899");
    });
    let Err(ScopeError::Teardown { errors, .. }) = ended else { panic!("{ended:?}") };
    assert!(matches!(&*errors, [Error::Vendor(error)] if error.call == "aclrtAllocatorDestroyDesc"), "{errors:?}");
    assert_lives!(contexts, 1);
    let failed = device.reset(&mut thread).unwrap_err();
    let stuck = "1 destroyed stream(s) with allocator descriptors";
    assert!(
        matches!(&failed.error, Error::ObjectsLeft { stuck: said, .. } if said.starts_with(stuck)),
        "{}",
        failed.error
    );
    let device = failed.value;
    crate::nothing_fails();
    device.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(ALLOC_10, ALLOC_12)]
#[test]
fn a_permit_of_which_an_attachment_is_in_doubt_gives_its_allocator_back_when_that_stream_has_gone() {
    let alone = alone();
    inside(|current| {
        let group = AllocatorGroup::new(current, pool(current)).unwrap();
        let plan = "aclrtAllocatorRegister#1=after:507899, aclrtAllocatorUnregister#1=507899";
        crate::fail(plan);
        let stream = group.attach(current, current.stream().unwrap()).unwrap_err().value;
        crate::nothing_fails();
        let group = group.into_allocator().unwrap_err().value;
        stream.destroy(current).unwrap();
        group.into_allocator().unwrap().release(current).unwrap();
    });
    alone.assert_nothing_lives();
}
