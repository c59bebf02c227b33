//! What callbacks, allocators and wakers do with values of runtimes: they are `'static` and `Send`, so they get there.

use super::*;
use crate::common::allocators::{Watch, Watched};
use ascendcl::model::OutputBuffer;
use ascendcl::runtime::Actor;
use ascendcl_macros::proves;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

#[proves(CB_01, MEM_02, STREAM_08)]
#[test]
fn a_callback_drops_values_of_its_own_context_and_asks_them_what_needs_no_library() {
    let alone = alone();
    let (runtime, theirs) = (open(), open());
    // All callbacks of a context run one after the other, so another context holds the stream up.
    let (release, held) = theirs
        .with(|current| {
            let held = stream(current);
            (hold(current, &held), held.record(current, current.event().unwrap()).unwrap())
        })
        .unwrap();
    runtime
        .with(|current| {
            let (own, other) = (stream(current), stream(current));
            other.wait_across_contexts(current, &held).unwrap();
            let shared = current.upload(&[1_u8; 256]).unwrap().into_shared();
            let host = current.host_buffer::<u8>(256).unwrap();
            let copy = other.copy_to_host(current, shared.clone(), host).unwrap();
            let mut future = copy.when_done(current, &other).unwrap();
            let bound = model(current).bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
            let arena = current.device_arena(1024).unwrap();
            let event = other.record(current, current.event().unwrap()).unwrap();
            let told = own.launch_host_fn(current, move || {
                let part = shared.slice(64..128).unwrap().cast::<u32>().unwrap();
                let poll = std::pin::Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop()));
                let asked = (part.len(), part.clone().len(), poll.is_pending(), arena.remaining());
                drop((shared, part, future, bound, arena, event));
                asked
            });
            let told = told.unwrap().wait(current).unwrap().into_result().unwrap();
            assert_eq!(told, (16, 16, true, 1024));
            // What the copy uses is still there.
            collect(current);
            release.send(()).unwrap();
            other.synchronize(current).unwrap();
            collect(current);
        })
        .unwrap();
    runtime.close().unwrap();
    theirs.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CB_01, ALLOC_18)]
#[test]
fn a_callback_enters_opens_closes_and_sweeps_no_runtime_and_calls_no_actor() {
    let alone = alone();
    let (runtime, other) = (Arc::new(open()), Arc::new(open()));
    let actor = Arc::new(Actor::<Other, ()>::open(library(), |_| Ok(())).unwrap());
    let (theirs, calls, own) = (Arc::clone(&other), Arc::clone(&actor), Arc::clone(&runtime));
    runtime
        .with(|current| {
            let stream = stream(current);
            let told = stream.launch_host_fn(current, move || {
                let inside = |error: Error| matches!(error, Error::InsideCallback);
                let refused = |error: CloseError| matches!(error, CloseError::Refused(Error::InsideCallback));
                let told = [
                    theirs.with(|_| ()).is_err_and(inside),
                    own.with(|_| ()).is_err_and(inside),
                    Runtime::<Other>::open(library()).is_err_and(inside),
                    Actor::<Other, ()>::open(library(), |_| Ok(())).is_err_and(inside),
                    calls.call(|_, ()| ()).is_err_and(inside),
                    theirs.close().is_err_and(refused),
                    own.close().is_err_and(refused),
                    matches!(runtime::sweep(None).as_slice(), [Error::InsideCallback]),
                    ascendcl::Acl::init(library()).is_err_and(inside),
                ];
                drop((theirs, calls, own));
                told
            });
            assert_eq!(told.unwrap().wait(current).unwrap().into_result().unwrap(), [true; 9]);
        })
        .unwrap();
    Arc::into_inner(actor).unwrap().close().unwrap();
    Arc::into_inner(other).unwrap().close().unwrap();
    Arc::into_inner(runtime).unwrap().close().unwrap();
    alone.assert_nothing_lives();
}

/// Drops what it has, and tries what an allocator must not do, when the library asks it for memory.
struct Hostile {
    kept: Mutex<Option<(Arc<Runtime<Other>>, HostBuffer<Worker, u8>)>>,
    refused: Arc<Mutex<Vec<bool>>>,
}

impl Watch for Hostile {
    fn allocates(&self) {
        let Some((runtime, host)) = self.kept.lock().unwrap().take() else { return };
        let mut refused = self.refused.lock().unwrap();
        refused.push(matches!(runtime.with(|_| ()), Err(Error::InsideCallback)));
        refused.push(!runtime::sweep(None).is_empty());
        drop((runtime, host));
    }
}

#[proves(ALLOC_18)]
#[test]
fn an_allocator_that_drops_a_runtime_and_memory_of_its_own_context_is_served() {
    let alone = alone();
    let (runtime, refused) = (open(), Arc::new(Mutex::new(Vec::new())));
    let dropped = Arc::new(Runtime::<Other>::open(library()).unwrap());
    runtime
        .with(|current| {
            let kept = Mutex::new(Some((dropped, current.host_buffer(8).unwrap())));
            let pool = Watched::new(current, 1 << 20, Hostile { kept, refused: Arc::clone(&refused) });
            let own = current.stream().unwrap().register(current, pool).unwrap();
            let x = current.upload_tensor(&[64], &[-1.0_f32; 64]).unwrap();
            let work = own.launch(current, ascendcl::operator::relu(current, x).unwrap()).unwrap();
            drop(work.wait(current).unwrap());
            let unknown = model(current).bind_with(current, &[&[1, 64]], &[OutputBuffer::ByLibrary]).unwrap();
            let executed = own.execute(current, unknown).unwrap();
            drop(executed.wait(current));
            collect(current);
        })
        .unwrap();
    let told = refused.lock().unwrap().clone();
    assert!(told.is_empty() || told == [true, true], "{told:?}");
    runtime.close().unwrap();
    sweep();
    alone.assert_nothing_lives();
}

/// A waker whose clones and wakes drop the runtime.
struct DropsRuntime(Mutex<Option<Runtime<Other>>>);

impl std::task::Wake for DropsRuntime {
    fn wake(self: Arc<Self>) {
        drop(self.0.lock().unwrap().take());
    }
}

#[proves(ALLOC_18, DEV_10)]
#[test]
fn a_waker_drops_the_last_pointer_to_a_runtime() {
    let alone = alone();
    let runtime = open();
    let waker = Arc::new(DropsRuntime(Mutex::new(Some(Runtime::open(library()).unwrap()))));
    let release = runtime
        .with(|current| {
            let held = stream(current);
            let release = hold(current, &held);
            let work = held.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap();
            let mut future = Box::pin(work.when_done(current, &held).unwrap());
            let task = Waker::from(Arc::clone(&waker));
            assert!(matches!(future.as_mut().poll(&mut Context::from_waker(&task)), Poll::Pending));
            release.send(()).unwrap();
            let pending = finish(future);
            pending.wait(current).unwrap();
            release
        })
        .unwrap();
    drop(release);
    let until = std::time::Instant::now() + LONG;
    while waker.0.lock().unwrap().is_some() && std::time::Instant::now() < until {
        std::thread::yield_now();
    }
    sweep();
    drop(waker);
    sweep();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(CB_08, CB_09)]
#[test]
fn a_callback_that_panics_with_values_of_its_context_drops_them_where_nothing_is_called() {
    let alone = alone();
    let runtime = open();
    runtime
        .with(|current| {
            let own = stream(current);
            let (host, digits) = (current.host_buffer::<u8>(8).unwrap(), model(current));
            let work = upload(current, &current.stream().unwrap());
            let told = own.launch_host_fn(current, move || {
                let _kept = (host, digits, work);
                panic!("with values of the context");
            });
            let told: ascendcl::stream::HostFnResult<()> = told.unwrap().wait(current).unwrap();
            assert!(matches!(told.into_result(), Err(Error::CallbackPanicked { .. })));
            current.synchronize().unwrap();
            collect(current);
        })
        .unwrap();
    runtime.close().unwrap();
    alone.assert_nothing_lives();
}
