//! Misuse that the arguments of one call show, and the calls beside it that are right.

use crate::files;
use crate::support::*;
use ascendcl_rules::RuleId;
use ascendcl_sim::exports::{op_compiler::*, operator::*, profiling::*, tensor_desc::*};
use std::ptr::{null, null_mut};

/// Each is run as a program has it, and as it is right.
fn each_is_found(programs: &[(RuleId, &'static str, fn(right: bool))]) {
    for (rule, name, program) in programs {
        assert_eq!(broken_by(|| program(false)), [(*rule, *name)]);
        assert_eq!(broken_by(|| program(true)), [], "{name}");
    }
}

#[test]
fn settings_of_streams_stamps_and_steps_are_destroyed_once_after_their_last_use() {
    let settings = |right: bool| {
        let settings = acl!(aclrtCreateStreamConfigHandle());
        ok!(aclrtDestroyStreamConfigHandle(settings));
        assert!(right || acl!(aclrtDestroyStreamConfigHandle(settings)) != 0);
    };
    let used_settings = |right: bool| {
        let (settings, mut stream) = (acl!(aclrtCreateStreamConfigHandle()), aclrtStream::NULL);
        if right {
            ok!(aclrtCreateStreamV2(&mut stream, settings));
            ok!(aclrtDestroyStream(stream));
        }
        ok!(aclrtDestroyStreamConfigHandle(settings));
        assert!(right || acl!(aclrtCreateStreamV2(&mut stream, settings)) != 0);
    };
    let stamp = |right: bool| {
        let stamp = acl!(aclprofCreateStamp());
        acl!(aclprofDestroyStamp(stamp));
        if !right {
            acl!(aclprofDestroyStamp(stamp));
        }
    };
    let used_stamp = |right: bool| {
        let stamp = acl!(aclprofCreateStamp());
        if right {
            ok!(aclprofMark(stamp));
        }
        acl!(aclprofDestroyStamp(stamp));
        assert!(right || acl!(aclprofMark(stamp)) != 0);
    };
    let step = |right: bool| {
        let step = acl!(aclprofCreateStepInfo());
        acl!(aclprofDestroyStepInfo(step));
        if !right {
            acl!(aclprofDestroyStepInfo(step));
        }
    };
    each_is_found(&[
        (rules::DATA_05, "aclrtDestroyStreamConfigHandle", settings),
        (rules::DATA_05, "aclrtCreateStreamV2", used_settings),
        (rules::DATA_05, "aclprofDestroyStamp", stamp),
        (rules::DATA_05, "aclprofMark", used_stamp),
        (rules::DATA_05, "aclprofDestroyStepInfo", step),
    ]);
}

/// Of the documented combinations each is taken without a word.
#[test]
fn a_policy_is_one_of_pages_with_at_most_one_bandwidth() {
    use aclrtMemMallocPolicy as P;
    let found = |policy: u32| {
        broken_by(|| {
            let mut place = null_mut();
            ok!(aclrtMalloc(&mut place, 64, P(policy)));
            ok!(aclrtFree(place));
        })
    };
    let (low, high) = (P::ACL_MEM_TYPE_LOW_BAND_WIDTH.0, P::ACL_MEM_TYPE_HIGH_BAND_WIDTH.0);
    for pages in 0..=P::ACL_MEM_MALLOC_HUGE1G_ONLY_P2P.0 {
        for bandwidth in [0, low, high] {
            assert_eq!(found(pages | bandwidth), [], "{pages} {bandwidth:#x}");
        }
    }
    assert_eq!(found(P::ACL_MEM_ACCESS_USER_SPACE_READONLY.0), []);
    for policy in [low | high, 8, 77, low | 9, 0x2000, u32::MAX] {
        assert_eq!(found(policy), [(rules::MEM_09, "aclrtMalloc")], "{policy:#x}");
    }
}

/// With strict checks nothing is allocated, and the null pointer is no second mistake.
#[test]
fn a_policy_that_there_is_not_is_refused_by_strict_checks() {
    let found = found_with(ascendcl_sim::Checks::Strict, || {
        let mut place = null_mut();
        assert_ne!(acl!(aclrtMalloc(&mut place, 64, aclrtMemMallocPolicy(77))), 0);
        let text = message();
        assert!(text.contains("MEM-09"), "{text}");
        assert_ne!(acl!(aclrtFree(place)), 0);
    });
    assert_eq!(found, [(rules::MEM_09, "aclrtMalloc")]);
}

#[test]
fn a_run_with_settings_has_settings_and_a_stream() {
    let run = |asynchronous: bool, has_settings: bool, has_stream: bool| {
        broken_by(|| {
            let (id, input, output) = model();
            let settings = acl!(aclmdlCreateExecConfigHandle());
            let stream = if has_stream { stream() } else { aclrtStream::NULL };
            let given = if has_settings { settings } else { null_mut() };
            let code = if asynchronous {
                acl!(aclmdlExecuteAsyncV2(id, input, output, stream, given))
            } else {
                acl!(aclmdlExecuteV2(id, input, output, stream, given))
            };
            assert_eq!(code == 0, has_settings && (has_stream || !asynchronous), "{}", message());
            sync(stream);
            ok!(aclmdlDestroyExecConfigHandle(settings));
        })
    };
    assert_eq!(run(true, true, true), []);
    assert_eq!(run(false, true, true), []);
    assert_eq!(run(false, true, false), []);
    assert_eq!(run(true, false, true), [(rules::MODEL_26, "aclmdlExecuteAsyncV2")]);
    assert_eq!(run(true, true, false), [(rules::MODEL_26, "aclmdlExecuteAsyncV2")]);
    assert_eq!(run(false, false, true), [(rules::MODEL_26, "aclmdlExecuteV2")]);
}

fn model() -> (u32, *mut aclmdlDataset, *mut aclmdlDataset) {
    let file = files::sum("2", None);
    let mut id = 0;
    ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
    let set = |bytes: usize| {
        let (set, memory) = (acl!(aclmdlCreateDataset()), malloc(bytes));
        ok!(aclrtMemset(memory, bytes, 0, bytes));
        ok!(aclmdlAddDatasetBuffer(set, acl!(aclCreateDataBuffer(memory, bytes))));
        set
    };
    (id, set(32), set(32))
}

/// The second input is a constant, or not, when the operator is compiled and when it is executed.
#[test]
fn the_constants_of_an_operator_are_those_that_it_was_compiled_with() {
    let run = |compiled: Option<f32>, executed: Option<f32>| {
        broken_by(|| {
            let dims = [16];
            let describe = |constant: Option<f32>| {
                let (ty, format) = (aclDataType::ACL_FLOAT, aclFormat::ACL_FORMAT_ND);
                let desc = acl!(aclCreateTensorDesc(ty, 1, dims.as_ptr(), format));
                if let Some(value) = constant {
                    ok!(aclSetTensorConst(desc, [value; 16].as_mut_ptr().cast(), 64));
                }
                desc
            };
            let [a, b, sum] = [(); 3].map(|()| {
                let memory = malloc(64);
                ok!(aclrtMemset(memory, 64, 0, 64));
                acl!(aclCreateDataBuffer(memory, 64))
            });
            let (plain, name, none) = (describe(None), c"Add".as_ptr(), null_mut());
            let inputs = [plain.cast_const(), describe(compiled)];
            let (engine, kind) = (aclopEngineType::ACL_ENGINE_SYS, aclopCompileType::ACL_COMPILE_SYS);
            let outputs = [plain.cast_const()];
            ok!(aclopCompile(name, 2, inputs.as_ptr(), 1, outputs.as_ptr(), none, engine, kind, null()));
            let (mut inputs, mut outputs) = ([plain, describe(executed)], [plain]);
            let (mut read, mut written) = ([a, b], [sum]);
            let stream = stream();
            ok!(aclopExecuteV2(
                name,
                2,
                inputs.as_mut_ptr(),
                read.as_mut_ptr(),
                1,
                outputs.as_mut_ptr(),
                written.as_mut_ptr(),
                none,
                stream
            ));
            sync(stream);
        })
    };
    let found = [(rules::OP_04, "aclopExecuteV2")];
    assert_eq!(run(Some(1.0), Some(2.0)), found);
    assert_eq!(run(None, Some(1.0)), found);
    assert_eq!(run(Some(1.0), Some(1.0)), []);
    assert_eq!(run(None, None), []);
    // The memory of the input may have the elements.
    assert_eq!(run(Some(1.0), None), []);
}

#[test]
fn the_time_of_an_event_is_asked_for_after_a_wait() {
    breaks_without(rules::EVENT_04, |waits| {
        let (stream, mut event, mut time) = (stream(), aclrtEvent::NULL, 0);
        ok!(aclrtCreateEventWithFlag(&mut event, ACL_EVENT_TIME_LINE));
        let gate = Gate::close(stream);
        ok!(aclrtRecordEvent(event, stream));
        if waits {
            gate.open();
            ok!(aclrtSynchronizeEvent(event));
        }
        assert_eq!(acl!(aclrtEventGetTimestamp(event, &mut time)) == 0, waits);
        gate.open();
        sync(stream);
    });
}

#[test]
fn a_stream_waits_for_an_event_with_a_limit_that_there_is() {
    let run = |limit: i32| {
        broken_by(|| {
            let (stream, mut event) = (stream(), aclrtEvent::NULL);
            ok!(aclrtCreateEventWithFlag(&mut event, ACL_EVENT_SYNC));
            ok!(aclrtRecordEvent(event, stream));
            assert_eq!(acl!(aclrtStreamWaitEventWithTimeout(stream, event, limit)) == 0, limit >= 0);
            sync(stream);
        })
    };
    assert_eq!(run(-2), [(rules::EVENT_11, "aclrtStreamWaitEventWithTimeout")]);
    assert_eq!(run(-1), [(rules::EVENT_11, "aclrtStreamWaitEventWithTimeout")]);
    assert_eq!(run(0), []);
    assert_eq!(run(1000), []);
}

#[test]
fn access_is_enabled_for_a_device_that_there_is() {
    let run = |peer: i32| {
        broken_by(|| {
            let enabled = acl!(aclrtDeviceEnablePeerAccess(peer, 0)) == 0;
            assert_eq!(enabled, peer == 1);
        })
    };
    assert_eq!(run(9), [(rules::DEV_11, "aclrtDeviceEnablePeerAccess")]);
    assert_eq!(run(1), []);
    let import = |device: i32| {
        broken_by(|| {
            let mut handle = aclrtDrvMemHandle::NULL;
            assert_ne!(acl!(aclrtMemImportFromShareableHandle(4711, device, &mut handle)), 0);
        })
    };
    assert_eq!(import(9), [(rules::DEV_11, "aclrtMemImportFromShareableHandle")]);
    assert_eq!(
        import(0),
        [(rules::IPC_01, "aclrtMemImportFromShareableHandle")],
        "the device is right, and the key is not"
    );
    // A program may ask about any number.
    assert_eq!(broken_by(|| assert_ne!(acl!(aclrtDeviceCanAccessPeer(&mut 0, 0, 9)), 0)), []);
}
