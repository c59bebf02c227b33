//! Calls that the library refuses, what is found then, and what follows from it.

use crate::support::*;
use ascendcl_sim::exports::model_instance::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const GLOBAL: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

/// An event that tells its time.
fn timed() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    event
}

#[test]
fn the_host_asks_nothing_of_an_event_that_a_capture_has_recorded() {
    let captured = |ask: fn(aclrtEvent, aclrtEvent) -> aclError, during: bool| {
        broken_by(|| {
            let (stream, other, own, before) = (stream(), stream(), timed(), timed());
            ok!(aclrtRecordEvent(before, other));
            sync(other);
            ok!(aclmdlRICaptureBegin(stream, GLOBAL));
            ok!(aclrtRecordEvent(own, stream));
            if during {
                assert_eq!(ask(own, before), ACL_ERROR_RT_EVENT_CAPTURED);
            } else {
                let other = Shared::new((own, before));
                let code = std::thread::spawn(move || ask(other.get().0, other.get().1)).join().unwrap();
                assert_eq!(code, ACL_ERROR_RT_EVENT_CAPTURED);
            }
            let mut instance = aclmdlRI::NULL;
            ok!(aclmdlRICaptureEnd(stream, &mut instance));
            ok!(aclmdlRIDestroy(instance));
        })
    };
    let asks: [(fn(aclrtEvent, aclrtEvent) -> aclError, &str); 4] = [
        (|own, _| acl!(aclrtSynchronizeEvent(own)), "aclrtSynchronizeEvent"),
        (|own, _| acl!(aclrtSynchronizeEventWithTimeout(own, 5)), "aclrtSynchronizeEventWithTimeout"),
        (
            |own, _| {
                let mut status = aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE;
                acl!(aclrtQueryEventStatus(own, &mut status))
            },
            "aclrtQueryEventStatus",
        ),
        (|own, before| acl!(aclrtEventElapsedTime(&mut 0.0, before, own)), "aclrtEventElapsedTime"),
    ];
    for (ask, name) in asks {
        assert_eq!(captured(ask, true), [(rules::GRAPH_04, name)]);
        assert_eq!(captured(ask, false), [], "{name}: another thread cannot know of the capture");
    }
}

#[test]
fn a_device_that_is_not_there_is_one_mistake() {
    let work = || {
        let mut stream = aclrtStream::NULL;
        acl!(aclrtCreateStream(&mut stream));
        acl!(aclrtMalloc(&mut null_mut(), 64, aclrtMemMallocPolicy(0)));
    };
    for id in [7, -1] {
        let set = || {
            on_a_thread(move || {
                assert_eq!(acl!(aclrtSetDevice(id)), ACL_ERROR_RT_INVALID_DEVICEID);
                work();
            })
        };
        assert_eq!(broken_by(set), [(rules::DEV_11, "aclrtSetDevice")]);
    }
    let create = || {
        let mut context = aclrtContext::NULL;
        assert_eq!(acl!(aclrtCreateContext(&mut context, 7)), ACL_ERROR_RT_INVALID_DEVICEID);
    };
    assert_eq!(broken_by(create), [(rules::DEV_11, "aclrtCreateContext")]);
    assert_eq!(broken(|| on_a_thread(work)), [rules::THREAD_01]);
}

#[test]
fn an_event_is_asked_by_the_query_of_its_kind() {
    breaks_without(rules::EVENT_03, |own| {
        let (stream, event) = (stream(), timed());
        ok!(aclrtRecordEvent(event, stream));
        sync(stream);
        if own {
            let mut status = aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY;
            ok!(aclrtQueryEventStatus(event, &mut status));
        } else {
            let mut status = aclrtEventStatus::ACL_EVENT_STATUS_NOT_READY;
            assert_eq!(acl!(aclrtQueryEvent(event, &mut status)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        }
    });
    let waits = broken_by(|| {
        let mut status = aclrtEventWaitStatus::ACL_EVENT_WAIT_STATUS_NOT_READY;
        acl!(aclrtQueryEventWaitStatus(timed(), &mut status));
    });
    assert_eq!(waits, [(rules::EVENT_03, "aclrtQueryEventWaitStatus")]);
}

#[test]
fn a_stream_copies_nothing_from_host_to_host() {
    breaks_without(rules::COPY_06, |at_once| {
        let (from, to, stream) = (malloc_host(64), malloc_host(64), stream());
        if at_once {
            ok!(aclrtMemcpy(to, 64, from, 64, aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST));
        } else {
            let kind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST;
            assert_eq!(acl!(aclrtMemcpyAsync(to, 64, from, 64, kind, stream)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
        }
    });
}

#[test]
fn a_plane_that_is_too_wide_for_its_pitch_is_found() {
    for (width, height, kind) in [(17, 1, TO_DEVICE), (8, 1, aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_HOST)] {
        let found = broken(|| {
            let (to, from) = (malloc(64), malloc_host(64));
            assert_ne!(acl!(aclrtMemcpy2d(to, 16, from, 16, width, height, kind)), 0);
        });
        assert_eq!(found, [rules::COPY_10], "{width} {kind:?}");
    }
}

#[test]
fn a_batch_that_is_refused_as_a_whole_is_found() {
    let batch = |count: usize, first: usize, to_device: bool| {
        broken(|| {
            let of =
                |block: *mut std::ffi::c_void| (0..count).map(|at| block.wrapping_byte_add(8 * at)).collect::<Vec<_>>();
            let (mut to, mut from) = (of(malloc(8 * count)), of(malloc_host(8 * count)));
            if !to_device {
                to.clone_from(&from);
            }
            let (mut sizes, mut first, mut failed) = (vec![8; count], [first], 0);
            let place = |device| aclrtMemLocation { id: 0, kind: aclrtMemLocationType(u32::from(device)) };
            let mut sides = [aclrtMemcpyBatchAttr { dstLoc: place(to_device), srcLoc: place(false), rsv: [0; 16] }];
            acl!(aclrtMemcpyBatch(
                to.as_mut_ptr(),
                sizes.as_mut_ptr(),
                from.as_mut_ptr(),
                sizes.as_mut_ptr(),
                count,
                sides.as_mut_ptr(),
                first.as_mut_ptr(),
                1,
                &mut failed,
            ));
        })
    };
    assert_eq!(batch(4096, 0, true), []);
    assert_eq!(batch(4097, 0, true), [rules::COPY_11]);
    assert_eq!(batch(2, 1, true), [rules::COPY_11]);
    assert_eq!(batch(2, 0, false), [rules::COPY_11]);
}

#[test]
fn calls_on_a_thread_without_a_context_are_found_whatever_they_concern() {
    let calls: [(&str, fn() -> aclError); 6] = [
        ("aclmdlRICaptureBegin", || acl!(aclmdlRICaptureBegin(SHARED.get().0, GLOBAL))),
        ("aclmdlRIExecuteAsync", || acl!(aclmdlRIExecuteAsync(SHARED.get().1, SHARED.get().0))),
        ("aclrtHostUnregister", || acl!(aclrtHostUnregister(SHARED.get().2))),
        ("aclrtDeviceEnablePeerAccess", || acl!(aclrtDeviceEnablePeerAccess(1, 0))),
        ("aclrtIpcMemClose", || acl!(aclrtIpcMemClose(c"key".as_ptr()))),
        ("aclrtGetStreamAvailableNum", || acl!(aclrtGetStreamAvailableNum(&mut 0))),
    ];
    for (name, call) in calls {
        let found = broken_by(|| {
            let (stream, mut instance) = (stream(), aclmdlRI::NULL);
            ok!(aclmdlRICaptureBegin(stream, GLOBAL));
            ok!(aclmdlRICaptureEnd(stream, &mut instance));
            SHARED.set((stream, instance, malloc_host(64)));
            on_a_thread(move || {
                assert_eq!(call(), ACL_ERROR_RT_CONTEXT_NULL, "{name}");
                assert_eq!(call(), ACL_ERROR_RT_CONTEXT_NULL, "{name}");
            });
            ok!(aclmdlRIDestroy(instance));
        });
        assert_eq!(found, [(rules::THREAD_01, name)]);
    }
    let asked = broken(|| {
        on_a_thread(|| {
            assert_eq!(acl!(aclrtGetDevice(&mut 0)), ACL_ERROR_RT_CONTEXT_NULL);
            let mut context = aclrtContext::NULL;
            assert_eq!(acl!(aclrtGetCurrentContext(&mut context)), ACL_ERROR_RT_CONTEXT_NULL);
        });
    });
    assert_eq!(asked, [], "programs ask whether there is a context");
}

static SHARED: Cell = Cell(std::sync::Mutex::new(None));

/// What the calls of a table name.
struct Cell(std::sync::Mutex<Option<Shared<(aclrtStream, aclmdlRI, *mut std::ffi::c_void)>>>);

impl Cell {
    fn set(&self, value: (aclrtStream, aclmdlRI, *mut std::ffi::c_void)) {
        *self.0.lock().unwrap() = Some(Shared::new(value));
    }

    fn get(&self) -> (aclrtStream, aclmdlRI, *mut std::ffi::c_void) {
        self.0.lock().unwrap().as_ref().unwrap().get()
    }
}

/// Copies of one batch have no order.
#[test]
fn no_copy_of_a_batch_reads_what_another_one_writes() {
    let batch = |overlap: usize, bytes: usize| {
        broken(|| {
            let (block, host) = (malloc(128), malloc_host(128));
            ok!(aclrtMemset(block, 128, 0, 128));
            // Up to the device, and down again to host memory of its own, from where the first one writes or behind it.
            let down = block.wrapping_byte_add(64 - overlap);
            let (mut to, mut from) = ([block, host.wrapping_byte_add(64)], [host, down]);
            let (mut sizes, mut first, mut failed) = ([64, bytes], [0, 1], 0);
            let place = |device| aclrtMemLocation { id: 0, kind: aclrtMemLocationType(u32::from(device)) };
            let side = |to_device: bool| aclrtMemcpyBatchAttr {
                dstLoc: place(to_device),
                srcLoc: place(!to_device),
                rsv: [0; 16],
            };
            let mut sides = [side(true), side(false)];
            ok!(aclrtMemcpyBatch(
                to.as_mut_ptr(),
                sizes.as_mut_ptr(),
                from.as_mut_ptr(),
                sizes.as_mut_ptr(),
                2,
                sides.as_mut_ptr(),
                first.as_mut_ptr(),
                2,
                &mut failed,
            ));
        })
    };
    assert_eq!(batch(1, 64), [rules::COPY_11]);
    assert_eq!(batch(64, 64), [rules::COPY_11]);
    assert_eq!(batch(0, 64), []);
    assert_eq!(batch(32, 0), [], "a copy of nothing reads nothing");
}

#[test]
fn data_buffers_outlive_their_dataset_until_they_are_destroyed() {
    let run = |each: bool| {
        broken_by(|| {
            let dataset = acl!(aclmdlCreateDataset());
            let buffers = [malloc(64), malloc(64)].map(|block| (block, acl!(aclCreateDataBuffer(block, 64))));
            buffers.iter().for_each(|(_, buffer)| ok!(aclmdlAddDatasetBuffer(dataset, *buffer)));
            ok!(aclmdlDestroyDataset(dataset));
            for (block, buffer) in buffers {
                if each {
                    ok!(aclDestroyDataBuffer(buffer));
                }
                ok!(aclrtFree(block));
            }
            ok!(aclrtResetDevice(0));
            ok!(aclFinalize());
        })
    };
    assert_eq!(run(false), [(rules::DATA_04, "aclFinalize")]);
    assert_eq!(run(true), []);
    let null = broken(|| {
        let dataset = acl!(aclmdlCreateDataset());
        assert_ne!(acl!(aclmdlAddDatasetBuffer(dataset, null_mut())), 0);
    });
    assert_eq!(null, [rules::DATA_07]);
}

#[test]
fn a_queued_copy_onto_itself_has_living_memory_and_leaves_nothing_in_flight() {
    let onto_itself = |block: *mut std::ffi::c_void, stream| queue_copy(block, block, ON_DEVICE, stream);
    breaks_without(rules::MEM_01, |alive| {
        let (block, stream) = (malloc(64), stream());
        ok!(aclrtMemset(block, 64, 1, 64));
        if !alive {
            ok!(aclrtFree(block));
        }
        onto_itself(block, stream);
    });
    let idle = || {
        let (block, stream) = (malloc(64), stream());
        ok!(aclrtMemset(block, 64, 1, 64));
        onto_itself(block, stream);
        ok!(aclrtFree(block));
        ok!(aclrtDestroyStream(stream));
    };
    assert_eq!(broken(idle), []);
    let busy = || {
        let (block, stream) = (malloc(64), stream());
        ok!(aclrtMemsetAsync(block, 64, 1, 64, stream));
        onto_itself(block, stream);
        sync(stream);
        ok!(aclrtFree(block));
    };
    assert_eq!(broken(busy), []);
}

#[test]
fn nothing_is_set_on_a_descriptor_that_was_not_created() {
    unsafe extern "C" fn none(_: aclrtAllocator, _: usize) -> *mut c_void {
        null_mut()
    }
    let run = |created: bool| {
        broken_by(|| {
            let descriptor = if created { acl!(aclrtAllocatorCreateDesc()) } else { aclrtAllocatorDesc::NULL };
            acl!(aclrtAllocatorSetAllocFuncToDesc(descriptor, Some(none)));
            acl!(aclrtAllocatorSetAllocFuncToDesc(descriptor, Some(none)));
            if !created {
                acl!(aclrtAllocatorRegister(stream(), descriptor));
            }
            acl!(aclrtAllocatorDestroyDesc(descriptor));
        })
    };
    assert_eq!(run(false), [(rules::ALLOC_06, "aclrtAllocatorSetAllocFuncToDesc")]);
    assert_eq!(run(true), []);
}

/// A program asks for the description of the model first, and goes on with the number.
#[test]
fn a_model_that_does_not_exist_is_described_and_run_as_one_mistake() {
    let run = |loads: bool| {
        broken_by(|| {
            let (file, mut id) = (crate::files::sum("64", None), 77);
            if loads {
                ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
            }
            let description = acl!(aclmdlCreateDesc());
            assert_eq!(acl!(aclmdlGetDesc(description, id)) == 0, loads);
            ok!(aclmdlDestroyDesc(description));
            acl!(aclmdlUnload(id));
        })
    };
    assert_eq!(run(false), [(rules::MODEL_12, "aclmdlGetDesc")]);
    assert_eq!(run(true), []);
}

#[test]
fn a_stream_keeps_its_mode_and_has_flags_that_go_together() {
    let modes = |modes: &[u64]| {
        broken(|| {
            let stream = stream();
            for mode in modes {
                acl!(aclrtSetStreamFailureMode(stream, *mode));
            }
        })
    };
    assert_eq!(modes(&[1, 0]), [rules::STREAM_15]);
    assert_eq!(modes(&[1, 1]), []);
    let both = broken(|| {
        let mut stream = aclrtStream::NULL;
        let flags = ACL_STREAM_PERSISTENT | ACL_STREAM_DEVICE_USE_ONLY;
        assert_ne!(acl!(aclrtCreateStreamWithConfig(&mut stream, 0, flags)), 0);
    });
    assert_eq!(both, [rules::STREAM_14]);
}

#[test]
fn a_time_limit_is_minus_one_or_positive() {
    for limit in [0, -5] {
        let found = broken(|| assert_ne!(acl!(aclrtSynchronizeStreamWithTimeout(stream(), limit)), 0));
        assert_eq!(found, [rules::STREAM_16]);
        let found = broken(|| {
            let (stream, event) = (stream(), event());
            ok!(aclrtRecordEvent(event, stream));
            assert_eq!(acl!(aclrtSynchronizeEventWithTimeout(event, limit)), ACL_ERROR_RT_PARAM_INVALID);
        });
        assert_eq!(found, [rules::EVENT_11]);
    }
    assert_eq!(broken(|| assert_eq!(acl!(aclrtProcessReport(0)), ACL_ERROR_INVALID_PARAM)), [rules::CB_05]);
    assert_eq!(broken(|| ok!(aclrtSynchronizeStreamWithTimeout(stream(), -1))), []);
}

#[test]
fn access_to_a_device_is_enabled_for_another_one_and_without_flags() {
    let enable = |peer: i32, flags: u32| {
        broken(|| {
            acl!(aclrtDeviceEnablePeerAccess(peer, flags));
        })
    };
    assert_eq!(enable(0, 0), [rules::DEV_13]);
    assert_eq!(enable(1, 1), [rules::DEV_13]);
    assert_eq!(enable(1, 0), []);
    let asks = broken(|| assert_ne!(acl!(aclrtDeviceCanAccessPeer(&mut 0, 0, 0)), 0));
    assert_eq!(asks, [], "programs ask about every pair");
}

#[test]
fn a_copy_has_a_direction_that_there_is() {
    let copies = |kind: u32| {
        broken(|| {
            let (block, host) = (malloc(64), malloc_host(64));
            acl!(aclrtMemcpy(block, 64, host, 64, aclrtMemcpyKind(kind)));
        })
    };
    assert_eq!(copies(99), [rules::COPY_02]);
    assert_eq!(copies(1), []);
}
