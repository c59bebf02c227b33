//! Programs of public projects that are right, or that make one mistake and go on.

use crate::files;
use crate::pools::pool;
use crate::support::*;
use ascendcl_rules::RuleId;
use ascendcl_sim::exports::{model_instance::*, op_compiler::*, operator::*, profiling::*, tensor_desc::*};
use ascendcl_sim::{Checks, control};
use std::ffi::c_void;
use std::ptr::null_mut;

const GLOBAL: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

/// A model of 64 rows of four columns, loaded on device 0.
fn model() -> u32 {
    let (file, mut id) = (files::sum("64", None), 0);
    ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
    id
}

/// A program that measures collective work opens a gate by an event in each round: the stream waits for the next record,
/// and resets the event behind the wait.
#[test]
fn a_stream_that_resets_behind_its_wait_waits_at_a_gate() {
    let run = |resets: bool| {
        broken_by(|| {
            let (works, opens, block) = (stream(), stream(), malloc(64));
            let mut gate = aclrtEvent::NULL;
            ok!(aclrtCreateEventWithFlag(&mut gate, ACL_EVENT_SYNC));
            for round in 1..4 {
                ok!(aclrtStreamWaitEvent(works, gate));
                if resets {
                    ok!(aclrtResetEvent(gate, works));
                }
                ok!(aclrtMemsetAsync(block, 64, round, 64, works));
                if resets {
                    let waits = acl!(aclrtSynchronizeStreamWithTimeout(works, 20));
                    assert_eq!(waits, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the gate is closed in round {round}");
                }
                ok!(aclrtRecordEvent(gate, opens));
                sync(works);
                if !resets {
                    sync(opens);
                }
            }
            ok!(aclrtDestroyStream(opens));
            ok!(aclrtDestroyEvent(gate));
            ok!(aclrtDestroyStream(works));
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [(rules::EVENT_05, "aclrtStreamWaitEvent")]);
}

/// Lets the stream wait for the event, always from here.
#[inline(never)]
fn wait(stream: aclrtStream, event: aclrtEvent) -> aclError {
    acl!(aclrtStreamWaitEvent(stream, event))
}

/// What follows decides whether such a wait is a mistake.
#[test]
fn a_wait_before_the_record_is_found_where_it_is_and_nothing_else_is_refused_for_it() {
    for checks in [Checks::Report, Checks::Strict] {
        let _machine = machine(checks);
        ok!(aclInit(std::ptr::null()));
        ok!(aclrtSetDevice(0));
        let (first, second, mut event) = (stream(), stream(), aclrtEvent::NULL);
        ok!(aclrtCreateEventWithFlag(&mut event, ACL_EVENT_SYNC));
        assert_eq!([first, second].map(|stream| wait(stream, event)), [0, 0], "{checks:?}");
        // The second wait shows that the first one is a mistake, and this what the second one is.
        let [found] = &*control::take_findings() else { panic!("one place, two waits") };
        assert_eq!((found.rule, found.call.name), (rules::EVENT_05, "aclrtStreamWaitEvent"));
        let at_once = {
            let mut event = aclrtEvent::NULL;
            ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_SYNC));
            assert_eq!(wait(first, event) == 0, checks == Checks::Report);
            control::take_findings()
        };
        assert!(found.caller.is_some());
        assert_eq!(found.caller, at_once[0].caller, "{checks:?}");
    }
}

/// That there is no memory was found when it was not allocated.
#[test]
fn a_data_buffer_over_memory_that_was_not_made_is_no_second_mistake() {
    let run = |size: usize| {
        broken(|| {
            let mut block = null_mut();
            acl!(aclrtMalloc(&mut block, size, aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST));
            let buffer = acl!(aclCreateDataBuffer(block, 64));
            ok!(aclDestroyDataBuffer(buffer));
            acl!(aclrtFree(block));
        })
    };
    assert_eq!(run(0), [rules::MEM_04]);
    assert_eq!(run(64), []);
}

#[test]
fn a_device_that_is_reset_too_early_is_one_mistake() {
    let run = |early: bool| {
        broken_by(|| {
            let (stream, event, block, id) = (stream(), event(), malloc(64), model());
            sync(stream);
            if early {
                ok!(aclrtResetDevice(0));
            }
            for code in [
                acl!(aclmdlUnload(id)),
                acl!(aclrtDestroyEvent(event)),
                acl!(aclrtDestroyStream(stream)),
                acl!(aclrtFree(block)),
            ] {
                assert!(early || code == 0);
            }
            if !early {
                ok!(aclrtResetDevice(0));
            }
            ok!(aclFinalize());
        })
    };
    assert_eq!(run(true), [(rules::DEV_02, "aclrtResetDevice")]);
    assert_eq!(run(false), []);
}

#[test]
fn a_graph_is_destroyed_before_what_it_belongs_to() {
    let run = |destroyed: bool, ends: fn(aclrtContext)| {
        broken_by(|| {
            let context = context(0);
            let (stream, mut graph) = (stream(), aclmdlRI::NULL);
            ok!(aclmdlRICaptureBegin(stream, GLOBAL));
            ok!(aclmdlRICaptureEnd(stream, &mut graph));
            ok!(aclrtDestroyStream(stream));
            if destroyed {
                ok!(aclmdlRIDestroy(graph));
            }
            ends(context);
        })
    };
    let context: fn(aclrtContext) = |context| ok!(aclrtDestroyContext(context));
    assert_eq!(run(false, context), [(rules::MODEL_14, "aclrtDestroyContext")]);
    assert_eq!(run(true, context), []);
}

#[test]
fn profiling_is_finalised_before_the_library() {
    let folder = std::env::temp_dir().join(format!("ascendcl-sim-projects-{}", std::process::id()));
    let path = std::ffi::CString::new(folder.to_str().unwrap()).unwrap();
    let run = |finalised: bool| {
        broken_by(|| {
            ok!(aclprofInit(path.as_ptr(), path.as_bytes().len()));
            if finalised {
                ok!(aclprofFinalize());
            }
            ok!(aclrtResetDevice(0));
            ok!(aclFinalize());
        })
    };
    assert_eq!(run(false), [(rules::INIT_13, "aclFinalize")]);
    assert_eq!(run(true), []);
    let _ = std::fs::remove_dir_all(folder);
}

/// A program that chooses its device too late goes on with handles that no call has made.
#[test]
fn what_could_not_be_made_for_a_reported_reason_is_no_second_mistake() {
    let run = |early: bool| {
        broken_by(|| {
            let program = move || {
                let (mut stream, mut event, mut block) = (aclrtStream::NULL, aclrtEvent::NULL, null_mut());
                if early {
                    ok!(aclrtSetDevice(0));
                }
                acl!(aclrtCreateStream(&mut stream));
                acl!(aclrtCreateEvent(&mut event));
                acl!(aclrtMalloc(&mut block, 64, aclrtMemMallocPolicy(0)));
                ok!(aclrtSetDevice(0));
                acl!(aclrtRecordEvent(event, stream));
                acl!(aclrtSynchronizeEvent(event));
                acl!(aclrtSynchronizeStream(stream));
                acl!(aclrtDestroyEvent(event));
                acl!(aclrtDestroyStream(stream));
                acl!(aclrtFree(block));
            };
            on_a_thread(program);
        })
    };
    assert_eq!(run(false), [(rules::THREAD_01, "aclrtCreateStream")]);
    assert_eq!(run(true), []);
    // More is destroyed than was to be made.
    let twice = broken(|| {
        on_a_thread(|| {
            acl!(aclrtCreateStream(&mut aclrtStream(null_mut())));
            ok!(aclrtSetDevice(0));
            for _ in 0..2 {
                acl!(aclrtDestroyStream(aclrtStream::NULL));
            }
        });
    });
    assert_eq!(twice, [rules::THREAD_01, rules::STREAM_02]);
}

/// The library runs callbacks on threads of its own, which have no context.
#[test]
fn a_callback_that_calls_the_library_is_one_mistake_without_a_context_too() {
    static STREAM: std::sync::Mutex<Option<Shared<aclrtStream>>> = std::sync::Mutex::new(None);
    let calls: [(fn(aclrtStream) -> aclError, &str); 4] = [
        (|stream| acl!(aclrtSynchronizeStream(stream)), "aclrtSynchronizeStream"),
        (|_| acl!(aclrtMalloc(&mut null_mut(), 64, aclrtMemMallocPolicy(0))), "aclrtMalloc"),
        (|_| acl!(aclrtMemcpy([0_u8; 8].as_mut_ptr().cast(), 8, [0_u8; 8].as_ptr().cast(), 8, TO_HOST)), "aclrtMemcpy"),
        (|_| acl!(aclrtCreateEvent(&mut aclrtEvent(null_mut()))), "aclrtCreateEvent"),
    ];
    for (call, name) in calls {
        let found = broken_by(|| {
            let stream = stream();
            *STREAM.lock().unwrap() = Some(Shared(stream));
            launch(stream, move || {
                call(STREAM.lock().unwrap().unwrap().get());
            });
            sync(stream);
        });
        assert_eq!(found, [(rules::CB_01, name)]);
    }
}

#[test]
fn a_library_that_was_finalised_under_another_part_of_the_program_is_one_mistake() {
    let run = |counted: bool| {
        broken_by(|| {
            let own = stream();
            assert_eq!(acl!(aclInit(std::ptr::null())), ACL_ERROR_REPEAT_INITIALIZE);
            ok!(aclrtDestroyStream(own));
            match counted {
                true => ok!(aclFinalizeReference(&mut 0)),
                false => ok!(aclFinalize()),
            }
            let mut block = null_mut();
            acl!(aclrtMalloc(&mut block, 64, aclrtMemMallocPolicy(0)));
            acl!(aclrtFree(block));
            acl!(aclrtResetDevice(0));
            acl!(aclFinalize());
        })
    };
    assert_eq!(run(false), [(rules::INIT_07, "aclFinalize")]);
    assert_eq!(run(true), []);
}

#[test]
fn a_stream_whose_callbacks_were_discarded_is_unsubscribed() {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    let run = |aborts: bool| {
        broken_by(|| {
            let stream = stream();
            ok!(aclrtSubscribeReport(7, stream));
            let kind = aclrtCallbackBlockType::ACL_CALLBACK_NO_BLOCK;
            ok!(aclrtLaunchCallback(Some(nothing), null_mut(), kind, stream));
            if aborts {
                ok!(aclrtStreamAbort(stream));
            }
            sync(stream);
            ok!(aclrtUnSubscribeReport(7, stream));
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [(rules::CB_06, "aclrtUnSubscribeReport")]);
}

/// What is found when the tensors of an operator are used behind it, without a wait or with one.
#[test]
fn a_missing_wait_behind_an_operator_is_named_as_what_it_is() {
    let uses: [(fn(*mut c_void, *mut c_void, *mut c_void) -> aclError, RuleId); 3] = [
        (|_, output, host| acl!(aclrtMemcpy(host, 64, output, 64, TO_HOST)), rules::OP_03),
        (|input, _, _| acl!(aclrtFree(input)), rules::MEM_02),
        (|input, _, host| acl!(aclrtMemcpy(input, 64, host, 64, TO_DEVICE)), rules::COPY_04),
    ];
    for (uses, rule) in uses {
        let run = |waits: bool| {
            broken(|| {
                let (stream, input, output, host) = (stream(), malloc(64), malloc(64), malloc_host(64));
                ok!(aclrtMemset(input, 64, 0, 64));
                let description = || {
                    acl!(aclCreateTensorDesc(aclDataType::ACL_FLOAT, 1, [16_i64].as_ptr(), aclFormat::ACL_FORMAT_ND))
                };
                let (mut x, mut y) = ([description().cast_const()], [description().cast_const()]);
                let (mut from, mut to) =
                    ([acl!(aclCreateDataBuffer(input, 64)).cast_const()], [acl!(aclCreateDataBuffer(output, 64))]);
                ok!(aclopCompileAndExecute(
                    c"Relu".as_ptr(),
                    1,
                    x.as_mut_ptr(),
                    from.as_mut_ptr(),
                    1,
                    y.as_mut_ptr(),
                    to.as_mut_ptr(),
                    acl!(aclopCreateAttr()),
                    aclopEngineType::ACL_ENGINE_SYS,
                    aclopCompileType::ACL_COMPILE_SYS,
                    std::ptr::null(),
                    stream,
                ));
                if waits {
                    sync(stream);
                }
                uses(input, output, host);
                sync(stream);
            })
        };
        assert_eq!(run(false), [rule]);
        assert_eq!(run(true), []);
    }
}

#[test]
fn weights_that_another_model_shares_are_not_freed_with_the_first() {
    let run = |models: usize, all: bool| {
        broken(|| {
            let (file, weights) = (files::sum("64", None), malloc(4096));
            let ids: Vec<u32> = (0..models)
                .map(|_| {
                    let (image, size, mut id) = (file.as_ptr().cast(), file.len(), 0);
                    ok!(aclmdlLoadFromMemWithMem(image, size, &mut id, null_mut(), 0, weights, 4096));
                    id
                })
                .collect();
            let unloaded = if all { models } else { models - 1 };
            ids.iter().take(unloaded).for_each(|id| ok!(aclmdlUnload(*id)));
            acl!(aclrtFree(weights));
            for id in ids.iter().skip(unloaded) {
                acl!(aclmdlUnload(*id));
            }
        })
    };
    assert_eq!(run(2, false), [rules::MODEL_09]);
    assert_eq!(run(1, false), [rules::MODEL_03]);
    assert_eq!(run(2, true), []);
}

/// An older flag for events, which the library still takes.
#[test]
fn an_event_across_devices_is_waited_for_and_reset() {
    let found = broken(|| {
        let (first, second, mut event) = (stream(), stream(), aclrtEvent::NULL);
        ok!(aclrtCreateEventWithFlag(&mut event, 4));
        ok!(aclrtRecordEvent(event, first));
        ok!(aclrtStreamWaitEvent(second, event));
        ok!(aclrtResetEvent(event, second));
        sync(second);
    });
    assert_eq!(found, []);
}

/// A captured stream takes memory of a pool at once, and gives it back when its graph is destroyed.
#[test]
fn memory_of_a_pool_is_taken_and_given_back_in_a_capture() {
    let run = |in_capture: bool| {
        broken(|| {
            let (stream, pool) = (stream(), pool());
            let (mut block, mut graph) = (null_mut(), aclmdlRI::NULL);
            if !in_capture {
                ok!(aclrtMemPoolMallocAsync(&mut block, 64, pool, stream));
            }
            ok!(aclmdlRICaptureBegin(stream, GLOBAL));
            if in_capture {
                ok!(aclrtMemPoolMallocAsync(&mut block, 64, pool, stream));
            }
            ok!(aclrtMemsetAsync(block, 64, 1, 64, stream));
            if !in_capture {
                ok!(aclrtMemPoolFreeAsync(block, stream));
            }
            ok!(aclmdlRICaptureEnd(stream, &mut graph));
            ok!(aclmdlRIExecuteAsync(graph, stream));
            sync(stream);
            if in_capture {
                ok!(aclrtMemcpy([0_u8; 64].as_mut_ptr().cast(), 64, block, 64, TO_HOST));
            }
            ok!(aclmdlRIDestroy(graph));
            if in_capture {
                ok!(aclrtMemPoolFreeAsync(block, stream));
                sync(stream);
            }
            ok!(aclrtMemPoolDestroy(pool));
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), []);
}
