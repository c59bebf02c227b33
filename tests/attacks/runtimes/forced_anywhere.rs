//! Closing by force, from places where a runtime cannot be closed, and under what the library refuses to end.

use super::*;
use ascendcl::capture::{CaptureMode, CapturedGraph};
use ascendcl::stream::DefaultAllocator;
use ascendcl_sim::{Checks, Config};

/// As in `forcing`: a device that no other test leaves taken.
const DEVICE: i32 = 2;

const LONG: Duration = Duration::from_secs(20);
const BRIEFLY: Duration = Duration::from_millis(20);

fn alone_on_three() -> crate::common::Alone {
    let alone = alone();
    control::configure(crate::common::under_watch(Config::new().devices(3))).unwrap();
    alone
}

fn open_there() -> Runtime<Worker> {
    Runtime::open(Setup::builder().library(library()).device(DEVICE).build()).unwrap()
}

/// Work that hangs, and cannot be discarded.
fn hang() {
    fail("aclrtMemsetAsync=hang,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000");
}

#[proves(CB_01, DEV_08, THREAD_05)]
#[test]
fn it_is_not_closed_by_force_in_a_callback_or_a_forked_child() {
    let alone = alone_on_three();
    let runtime = Arc::new(open_there());
    let answer = runtime
        .with(|current| {
            let (stream, own) = (current.stream().unwrap(), Arc::clone(&runtime));
            let closes = move || own.close_by_force(Duration::ZERO);
            stream.launch_host_fn(current, closes).unwrap().wait(current).unwrap().into_result().unwrap()
        })
        .unwrap();
    assert!(matches!(answer, Err(CloseError::Refused(Error::InsideCallback))), "{answer:?}");
    let runtime = in_a_forked_child(runtime, |runtime| {
        let forced = runtime.close_by_force(Duration::ZERO);
        let swept = runtime::sweep(None);
        drop(runtime);
        matches!(forced, Err(CloseError::Refused(error)) if is_forked(&error)) && swept.iter().all(is_forked)
    });
    runtime.with(|current| drop(current.upload(&[1_u8]).unwrap())).unwrap();
    assert_eq!(runtime.close_by_force(LONG).unwrap(), [""; 0]);
    alone.assert_nothing_lives();
}

/// Closes its runtime by force when it is dropped.
struct Forces(Arc<Mutex<Vec<CloseError>>>, Arc<Runtime<Worker>>);

impl Drop for Forces {
    fn drop(&mut self) {
        let refused = self.1.close_by_force(Duration::ZERO).unwrap_err();
        self.0.lock().unwrap().push(refused);
    }
}

#[proves(ALLOC_16, DEV_08)]
#[test]
fn values_that_are_dropped_while_it_is_closed_by_force_do_not_close_it() {
    let alone = alone_on_three();
    for hangs in [false, true] {
        let (runtime, told) = (Arc::new(open_there()), Arc::default());
        runtime
            .with(|current| {
                let own = Forces(Arc::clone(&told), Arc::clone(&runtime));
                mem::forget(current.stream().unwrap().register(current, Empty(own)).unwrap());
                let state = Mutex::new(Some(Forces(Arc::clone(&told), Arc::clone(&runtime))));
                let mut stream = current.stream().unwrap().without_allocator();
                let graph = stream.capture(current, CaptureMode::Relaxed, (), |capture, ()| {
                    capture.launch_host_fn(state, |state| assert!(state.lock().unwrap().is_some()))
                });
                mem::forget(graph.unwrap());
                if hangs {
                    hang();
                    mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap());
                }
            })
            .unwrap();
        assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), [""; 0]);
        nothing_fails();
        let told = mem::take(&mut *told.lock().unwrap());
        assert!(told.iter().all(|told| matches!(told, CloseError::Refused(_) | CloseError::Closing)), "{told:?}");
        assert_eq!(told.len(), 2);
        drop(runtime);
        sweep();
        assert_eq!(control::live().contexts, 0);
    }
    drop(alone);
}

#[proves(DEV_08, DEV_09, DEV_10)]
#[test]
fn threads_that_close_it_by_force_at_a_time_reset_the_device_once() {
    let alone = alone_on_three();
    let begun = Instant::now();
    for _ in 0..4 {
        let runtime = open_there();
        runtime
            .with(|current| {
                let stream = current.stream().unwrap();
                hang();
                mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap());
            })
            .unwrap();
        let together = Barrier::new(3);
        thread::scope(|scope| {
            let forces = || {
                together.wait();
                loop {
                    match runtime.close_by_force(BRIEFLY) {
                        Err(CloseError::Closing) => thread::yield_now(),
                        closed => break closed.unwrap(),
                    }
                }
            };
            let threads = [scope.spawn(forces), scope.spawn(forces)];
            together.wait();
            threads.into_iter().for_each(|thread| drop(thread.join().unwrap()));
        });
        nothing_fails();
        // The device is taken once: it can be reset by force again.
        let next = open_there();
        next.with(|current| assert_eq!(current.upload(&[7_u8]).unwrap().to_vec(current).unwrap(), [7])).unwrap();
        fail("aclrtDestroyContext#1=507899");
        assert_eq!(next.close_by_force(LONG).unwrap(), [""; 0]);
        nothing_fails();
        alone.assert_nothing_lives();
    }
    // Neither keeps the other from it, again and again.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

type Given = (HostBuffer<Worker, u8>, ascendcl::DeviceBuffer<Worker, u8>);

/// Operands of a capture that failed, and whose instance the library keeps.
fn given_back(current: &mut Current<Worker>, own: &mut Stream<Worker, DefaultAllocator>) -> Given {
    let operands = (current.host_buffer(8).unwrap(), current.upload(&[0_u8; 8]).unwrap());
    let refused = own.capture(current, CaptureMode::Relaxed, operands, |capture, (input, mut device)| {
        capture.copy_to_device(&input, &mut device)?;
        Err(Error::NotExecuted)
    });
    refused.unwrap_err().value
}

/// An instance that the library refuses to destroy, or a capture that it refuses to end, in a runtime that hangs.
#[proves(GRAPH_05, GRAPH_07, DEV_09)]
#[test]
fn what_an_undestroyed_instance_has_ends_with_it_when_its_device_is_reset() {
    let alone = alone_on_three();
    for refused in ["aclmdlRIDestroy", "aclmdlRICaptureEnd"] {
        for hangs in [false, true] {
            let runtime = open_there();
            let (own, operands) = runtime
                .with(|current| {
                    let (mut own, other) = (current.stream().unwrap().without_allocator(), current.stream().unwrap());
                    fail(&format!("{refused}=507899"));
                    let operands = given_back(current, &mut own);
                    if hangs {
                        fail(&format!(
                            "{refused}#1=507899,{refused}#2=507899,aclrtMemsetAsync=hang,\
                             aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000"
                        ));
                        mem::forget(other.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap());
                    } else {
                        fail(&format!("{refused}#1=507899,{refused}#2=507899"));
                    }
                    (own, operands)
                })
                .unwrap();
            assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), [""; 0], "{refused} {hangs}");
            nothing_fails();
            let next = open_there();
            next.with(|current| {
                let (host, device) = operands;
                assert!(device.free(current).is_err() && host.slice(current).is_err());
                assert!(own.synchronize(current).is_err());
            })
            .unwrap();
            next.close().unwrap();
            drop(runtime);
            sweep();
            alone.assert_nothing_lives();
        }
    }
}

/// A graph in the state of its own callback.
#[proves(GRAPH_07, DEV_10)]
#[test]
fn a_graph_that_its_own_callback_has_ends_with_its_runtime() {
    type Place = Arc<Mutex<Option<CapturedGraph<Worker, HostBuffer<Worker, u8>>>>>;
    let alone = alone_on_three();
    for hangs in [false, true] {
        let runtime = open_there();
        runtime
            .with(|current| {
                let mut stream = current.stream().unwrap().without_allocator();
                let place = Place::default();
                let own = Arc::clone(&place);
                let operands = current.host_buffer(8).unwrap();
                let graph = stream.capture(current, CaptureMode::Relaxed, operands, |capture, _| {
                    capture.launch_host_fn(own, |own| drop(own.lock().unwrap().take()))
                });
                let graph = stream.replay(current, graph.unwrap()).unwrap().wait(current).unwrap();
                *place.lock().unwrap() = Some(graph);
                drop(current.collect());
                if hangs {
                    hang();
                    mem::forget(stream.set_bytes(current, current.device_buffer::<u8>(8).unwrap(), 1).unwrap());
                }
            })
            .unwrap();
        assert_eq!(runtime.close_by_force(BRIEFLY).unwrap(), [""; 0]);
        nothing_fails();
        drop(runtime);
        sweep();
        alone.assert_nothing_lives();
    }
}

/// The library refuses the forced reset. So nothing is lost yet, and the allocator is there as before.
#[proves(ALLOC_16, DEV_09)]
#[test]
fn an_allocator_is_there_until_its_device_is_reset() {
    let alone = alone_on_three();
    control::configure(Config::new().devices(3).checks(Checks::Report)).unwrap();
    for resets in [false, true] {
        let setup = Setup::builder().library(library()).device(DEVICE).default_context(true).build();
        let runtime = Runtime::<Worker>::open(setup).unwrap();
        let own = runtime.with(|current| {
            let own = current.stream().unwrap().register(current, Empty(())).unwrap();
            let (stream, memory) = (current.stream().unwrap(), current.device_buffer::<u8>(8).unwrap());
            let refused = if resets { "" } else { ",aclrtResetDeviceForce=507899" };
            fail(&format!("aclrtMemsetAsync=hang,aclrtStreamAbort=207000,aclrtDeviceTaskAbort=207000{refused}"));
            mem::forget(stream.set_bytes(current, memory, 1).unwrap());
            own
        });
        let own = own.unwrap();
        assert_eq!(runtime.close_by_force(BRIEFLY).is_ok(), resets);
        assert_eq!(own.with_allocator(|_| ()).is_some(), !resets);
        nothing_fails();
        if !resets {
            assert_eq!(runtime.close_by_force(LONG).unwrap(), [""; 0]);
            assert!(own.with_allocator(|_| ()).is_none(), "it ended with its stream");
        }
        drop(runtime);
        sweep();
    }
    // The library is finalised over the descriptor of the lost stream.
    alone.assert_nothing_but_the_end_was_found();
}
