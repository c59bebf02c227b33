//! Calls that the library answers with a code, and the rule that they break.

use crate::files;
use crate::support::*;
use ascendcl_rules::RuleId;
use ascendcl_sim::exports::{media::*, model_instance::*, profiling::*, tensor_desc::*};
use std::ffi::CString;
use std::ptr::null;

/// What is found when profiling is used so: `i`nit, `s`tart, `e`nd (stop), `f`inalise, `d`estroy the configuration, with
/// codes that are not looked at.
fn profiled(steps: &str) -> Vec<(RuleId, &'static str)> {
    let folder = std::env::temp_dir().join(format!("ascendcl-sim-refused-{}", std::process::id()));
    let path = CString::new(folder.to_str().unwrap()).unwrap();
    let found = broken_by(|| {
        let mut devices = [0];
        let metrics = aclprofAicoreMetrics::ACL_AICORE_NONE;
        let config = acl!(aclprofCreateConfig(devices.as_mut_ptr(), 1, metrics, null(), 3));
        for step in steps.chars() {
            match step {
                'i' => acl!(aclprofInit(path.as_ptr(), path.as_bytes().len())),
                's' => acl!(aclprofStart(config)),
                'e' => acl!(aclprofStop(config)),
                'f' => acl!(aclprofFinalize()),
                _ => acl!(aclprofDestroyConfig(config)),
            };
        }
    });
    let _ = std::fs::remove_dir_all(folder);
    found
}

#[test]
fn profiling_calls_nest() {
    for right in ["isefd", "isesefd", "ifd", "isefisefd"] {
        assert_eq!(profiled(right), [], "{right}");
    }
    let wrong = [
        ("sefd", "aclprofStart"),
        ("iefd", "aclprofStop"),
        ("isseefd", "aclprofStart"),
        ("iseefd", "aclprofStop"),
        ("iisefd", "aclprofInit"),
        ("isfed", "aclprofFinalize"),
        ("isfd", "aclprofFinalize"),
        ("iseffd", "aclprofFinalize"),
        ("isdef", "aclprofDestroyConfig"),
    ];
    for (steps, by) in wrong {
        assert_eq!(profiled(steps), [(rules::INIT_13, by)], "{steps}");
    }
    assert_eq!(profiled("isefdd"), [(rules::DATA_05, "aclprofDestroyConfig")]);
    assert_eq!(profiled("idsef"), [(rules::DATA_05, "aclprofStart")]);
    assert_eq!(profiled("idef"), [(rules::DATA_05, "aclprofStop")]);
}

#[test]
fn what_follows_from_a_refused_load_is_no_second_mistake() {
    let found = broken_by(|| {
        let (settings, mut id) = (acl!(aclmdlCreateConfigHandle()), 77);
        acl!(aclmdlDestroyConfigHandle(settings));
        acl!(aclmdlLoadWithConfig(settings, &mut id));
        acl!(aclmdlExecute(id, set_of(&[]), set_of(&[])));
        acl!(aclmdlUnload(id));
    });
    assert_eq!(found, [(rules::DATA_05, "aclmdlLoadWithConfig")]);
}

#[test]
fn memory_that_is_shorter_than_its_data_buffer_says_is_found() {
    for reads in [true, false] {
        breaks_without(rules::DATA_08, |is_enough| {
            let (file, mut id) = (files::sum("64", None), 0);
            ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
            let [short, other] = [if is_enough { 1024 } else { 512 }, 1024].map(|size| {
                let (memory, dataset) = (malloc(size), acl!(aclmdlCreateDataset()));
                ok!(aclrtMemset(memory, size, 0, size));
                ok!(aclmdlAddDatasetBuffer(dataset, acl!(aclCreateDataBuffer(memory, 1024))));
                dataset
            });
            let (input, output) = if reads { (short, other) } else { (other, short) };
            assert_eq!(acl!(aclmdlExecute(id, input, output)), if is_enough { 0 } else { 145007 });
        });
    }
}

/// A model with the gears 1, 8 and 2 for its rows, loaded.
fn geared() -> u32 {
    let (file, mut id) = (files::sum("rows", Some(("ascendcl.dynamic_batch", "1,8,2"))), 0);
    ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
    id
}

/// A dataset of buffers on the device with these sizes.
fn set_of(sizes: &[usize]) -> *mut aclmdlDataset {
    let dataset = acl!(aclmdlCreateDataset());
    for size in sizes {
        let block = malloc(*size);
        ok!(aclrtMemset(block, *size, 0, *size));
        ok!(aclmdlAddDatasetBuffer(dataset, acl!(aclCreateDataBuffer(block, *size))));
    }
    dataset
}

/// What is found when a shape is chosen so for 8 rows, and the model is run: the codes are not looked at.
fn chosen(choose: impl FnOnce(u32, *mut aclmdlDataset, *mut aclmdlDataset)) -> Vec<(RuleId, &'static str)> {
    broken_by(|| {
        let (id, input, output) = (geared(), set_of(&[128, 8]), set_of(&[128]));
        choose(id, input, output);
        acl!(aclmdlExecute(id, input, output));
        let stream = stream();
        acl!(aclmdlExecuteAsync(id, input, output, stream));
        sync(stream);
    })
}

#[test]
fn a_shape_is_chosen_as_the_model_has_it_and_before_the_run() {
    assert_eq!(chosen(|id, input, _| ok!(aclmdlSetDynamicBatchSize(id, input, 1, 8))), []);
    assert_eq!(chosen(|_, _, _| ()), [(rules::MODEL_20, "aclmdlExecute")]);
    let batch: [fn(u32, *mut aclmdlDataset, *mut aclmdlDataset) -> aclError; 4] = [
        |id, input, _| acl!(aclmdlSetDynamicBatchSize(id, input, 1, 3)),
        |id, input, _| acl!(aclmdlSetDynamicBatchSize(id, input, 1, 0)),
        |id, input, _| acl!(aclmdlSetDynamicBatchSize(id, input, 0, 8)),
        |id, _, output| acl!(aclmdlSetDynamicBatchSize(id, output, 1, 8)),
    ];
    for choose in batch {
        let found = chosen(|id, input, output| assert_ne!(choose(id, input, output), 0));
        assert_eq!(found, [(rules::MODEL_20, "aclmdlSetDynamicBatchSize")]);
    }
    let size = |id, input: *mut aclmdlDataset, _: *mut aclmdlDataset| {
        assert_ne!(acl!(aclmdlSetDynamicHWSize(id, input, 1, 8, 8)), 0)
    };
    assert_eq!(chosen(size), [(rules::MODEL_20, "aclmdlSetDynamicHWSize")]);
    let late = |id, input: *mut aclmdlDataset, output: *mut aclmdlDataset| {
        acl!(aclmdlExecute(id, input, output));
        ok!(aclmdlSetDynamicBatchSize(id, input, 1, 8));
    };
    assert_eq!(chosen(late), [(rules::MODEL_20, "aclmdlExecute")]);
}

#[test]
fn a_dataset_has_the_buffers_of_the_model() {
    let run = |inputs: &[usize], outputs: &[usize]| {
        broken_by(|| {
            let (id, input, output) = (geared(), set_of(inputs), set_of(outputs));
            acl!(aclmdlSetDynamicBatchSize(id, input, 1, 8));
            acl!(aclmdlExecute(id, input, output));
        })
    };
    assert_eq!(run(&[128, 8], &[128]), []);
    assert_eq!(run(&[128, 8, 8], &[128]), [(rules::DATA_07, "aclmdlExecute")]);
    assert_eq!(run(&[128, 8], &[]), [(rules::DATA_07, "aclmdlExecute")]);
    assert_eq!(run(&[64, 8], &[128]), [(rules::DATA_08, "aclmdlExecute")]);
    assert_eq!(run(&[128, 8], &[64]), [(rules::DATA_08, "aclmdlExecute")]);
    assert_eq!(run(&[128, 4], &[128]), [(rules::DATA_08, "aclmdlSetDynamicBatchSize")]);
    let attached = || {
        let input = set_of(&[128]);
        let desc = tensor();
        assert_ne!(acl!(aclmdlSetDatasetTensorDesc(input, desc, 1)), 0);
        ok!(aclmdlSetDatasetTensorDesc(input, desc, 0));
    };
    assert_eq!(broken_by(attached), [(rules::DATA_09, "aclmdlSetDatasetTensorDesc")]);
}

fn tensor() -> *mut aclTensorDesc {
    let dims = [8_i64, 4];
    acl!(aclCreateTensorDesc(aclDataType::ACL_FLOAT, 2, dims.as_ptr(), aclFormat::ACL_FORMAT_ND))
}

#[test]
fn descriptions_are_destroyed_once_after_their_last_use() {
    let picture = |steps: &str| {
        broken_by(|| {
            let picture = acl!(acldvppCreatePicDesc());
            for step in steps.chars() {
                match step {
                    's' => acl!(acldvppSetPicDescWidth(picture, 8)),
                    'g' => acl!(acldvppGetPicDescWidth(picture)) as aclError,
                    _ => acl!(acldvppDestroyPicDesc(picture)),
                };
            }
        })
    };
    assert_eq!(picture("sgd"), []);
    assert_eq!(picture("sdsgd"), [(rules::DATA_05, "acldvppSetPicDescWidth")]);
    assert_eq!(picture("sdg"), [(rules::DATA_05, "acldvppGetPicDescWidth")]);
    assert_eq!(picture("sdd"), [(rules::DATA_05, "acldvppDestroyPicDesc")]);
    let model = |early: bool| {
        broken_by(|| {
            let (id, desc) = (geared(), acl!(aclmdlCreateDesc()));
            ok!(aclmdlGetDesc(desc, id));
            if early {
                ok!(aclmdlDestroyDesc(desc));
            }
            acl!(aclmdlGetNumInputs(desc));
            acl!(aclmdlDestroyDesc(desc));
        })
    };
    assert_eq!(model(false), []);
    assert_eq!(model(true), [(rules::DATA_05, "aclmdlGetNumInputs")]);
    let tensor = |twice: bool| {
        broken_by(|| {
            let desc = tensor();
            acl!(aclDestroyTensorDesc(desc));
            if twice {
                acl!(aclDestroyTensorDesc(desc));
            }
        })
    };
    assert_eq!(tensor(false), []);
    assert_eq!(tensor(true), [(rules::DATA_05, "aclDestroyTensorDesc")]);
}

#[test]
fn an_event_for_other_processes_has_its_flag_alone_and_few_calls() {
    let shared = |flag: u32| {
        let mut event = aclrtEvent::NULL;
        acl!(aclrtCreateEventExWithFlag(&mut event, flag));
        event
    };
    let key = |event| {
        let mut handle = aclrtIpcEventHandle { reserved: [0; 64] };
        acl!(aclrtIpcGetEventHandle(event, &mut handle))
    };
    let right = || {
        let (event, stream) = (shared(ACL_EVENT_IPC), stream());
        assert_eq!(key(event), 0);
        ok!(aclrtRecordEvent(event, stream));
        ok!(aclrtStreamWaitEvent(stream, event));
        sync(stream);
        ok!(aclrtDestroyEvent(event));
    };
    assert_eq!(broken_by(right), []);
    assert_eq!(broken_by(|| assert_ne!(key(event()), 0)), [(rules::IPC_02, "aclrtIpcGetEventHandle")]);
    let both = || assert!(shared(ACL_EVENT_IPC | ACL_EVENT_SYNC).is_null());
    assert_eq!(broken_by(both), [(rules::IPC_02, "aclrtCreateEventExWithFlag")]);
    let mut id = 0;
    let numbered = || assert_ne!(acl!(aclrtGetEventId(shared(ACL_EVENT_IPC), &mut id)), 0);
    assert_eq!(broken_by(numbered), [(rules::IPC_02, "aclrtGetEventId")]);
    let mut time = 0;
    let timed = || assert_ne!(acl!(aclrtEventGetTimestamp(shared(ACL_EVENT_IPC), &mut time)), 0);
    assert_eq!(broken_by(timed), [(rules::IPC_02, "aclrtEventGetTimestamp")]);
    let reset = || assert_ne!(acl!(aclrtResetEvent(shared(ACL_EVENT_IPC), stream())), 0);
    assert_eq!(broken_by(reset), [(rules::IPC_02, "aclrtResetEvent")]);
}

/// What is found while a stream is captured: the code of the step is not looked at, and the capture is ended.
fn while_captured(mode: aclmdlRICaptureMode, step: impl FnOnce(aclrtStream)) -> Vec<(RuleId, &'static str)> {
    broken_by(|| {
        let (stream, mut graph) = (stream(), aclmdlRI::NULL);
        ok!(aclmdlRICaptureBegin(stream, mode));
        step(stream);
        acl!(aclmdlRICaptureEnd(stream, &mut graph));
        acl!(aclmdlRIExecuteAsync(graph, stream));
        acl!(aclrtSynchronizeStream(stream));
        if !graph.is_null() {
            ok!(aclmdlRIDestroy(graph));
        }
        acl!(aclrtDestroyStream(stream));
        ok!(aclrtResetDevice(0));
        ok!(aclFinalize());
    })
}

#[test]
fn a_capture_has_the_calls_of_a_capture() {
    const GLOBAL: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    const RELAXED: aclmdlRICaptureMode = aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    assert_eq!(while_captured(GLOBAL, |_| ()), []);
    let wait = while_captured(GLOBAL, |stream| assert_ne!(acl!(aclrtSynchronizeStream(stream)), 0));
    assert_eq!(wait, [(rules::GRAPH_04, "aclrtSynchronizeStream")]);
    let destroy = while_captured(GLOBAL, |stream| assert_ne!(acl!(aclrtDestroyStream(stream)), 0));
    assert_eq!(destroy, [(rules::STREAM_18, "aclrtDestroyStream")]);
    let fill = |_| {
        let block = malloc(64);
        acl!(aclrtMemset(block, 64, 0, 64));
        ok!(aclrtFree(block));
    };
    assert_eq!(while_captured(GLOBAL, fill), [(rules::GRAPH_04, "aclrtMemset")]);
    assert_eq!(while_captured(RELAXED, fill), []);
    let again = while_captured(GLOBAL, |stream| assert_ne!(acl!(aclmdlRICaptureBegin(stream, GLOBAL)), 0));
    assert_eq!(again, [(rules::GRAPH_01, "aclmdlRICaptureBegin")]);
    let pageable = |stream| {
        let (own, block) = ([0_u8; 64], malloc(64));
        assert_ne!(acl!(aclrtMemcpyAsync(block, 64, own.as_ptr().cast(), 64, TO_DEVICE, stream)), 0);
        ok!(aclrtFree(block));
    };
    assert_eq!(while_captured(GLOBAL, pageable), [(rules::GRAPH_05, "aclrtMemcpyAsync")]);
    let ended = |stream| {
        let mut graph = aclmdlRI::NULL;
        ok!(aclmdlRICaptureEnd(stream, &mut graph));
        ok!(aclmdlRIDestroy(graph));
    };
    assert_eq!(while_captured(GLOBAL, ended), [(rules::GRAPH_01, "aclmdlRICaptureEnd")]);
    let elsewhere = |stream| {
        let (stream, here) = (Shared(stream), Shared(current()));
        on_a_thread(move || {
            let mut graph = aclmdlRI::NULL;
            ok!(aclrtSetCurrentContext({ here }.0));
            assert_ne!(acl!(aclmdlRICaptureEnd({ stream }.0, &mut graph)), 0);
        });
    };
    let found = while_captured(GLOBAL, elsewhere);
    assert_eq!(found, [(rules::GRAPH_02, "aclmdlRICaptureEnd")]);
    let default = || {
        let mut graph = aclmdlRI::NULL;
        assert_ne!(acl!(aclmdlRICaptureBegin(aclrtStream::NULL, GLOBAL)), 0);
        assert_ne!(acl!(aclmdlRICaptureEnd(aclrtStream::NULL, &mut graph)), 0);
    };
    assert_eq!(broken_by(default), [(rules::GRAPH_03, "aclmdlRICaptureBegin")]);
    let open = |stream| ok!(aclmdlRICaptureTaskGrpBegin(stream));
    assert_eq!(while_captured(GLOBAL, open), [(rules::GRAPH_09, "aclmdlRICaptureEnd")]);
}

#[test]
fn a_stream_that_joins_a_capture_leads_back() {
    let run = |back: bool| {
        broken_by(|| {
            let ([origin, side], mut graph) = ([stream(), stream()], aclmdlRI::NULL);
            let [to, from] = [(), ()].map(|()| {
                let mut event = aclrtEvent::NULL;
                ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_SYNC));
                event
            });
            ok!(aclmdlRICaptureBegin(origin, aclmdlRICaptureMode::ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
            ok!(aclrtRecordEvent(to, origin));
            ok!(aclrtStreamWaitEvent(side, to));
            ok!(aclrtMemsetAsync(malloc(64), 64, 1, 64, side));
            ok!(aclrtRecordEvent(from, side));
            if back {
                ok!(aclrtStreamWaitEvent(origin, from));
            }
            assert_eq!(acl!(aclmdlRICaptureEnd(origin, &mut graph)) == 0, back);
            acl!(aclmdlRIDestroy(graph));
        })
    };
    assert_eq!(run(true), []);
    assert_eq!(run(false), [(rules::GRAPH_06, "aclmdlRICaptureEnd")]);
}

#[test]
fn a_channel_of_tensors_is_stopped_before_it_is_destroyed() {
    use ascendcl_sim::exports::tensor_channel::*;
    breaks_without(rules::ERR_09, |stopped| {
        let channel = Shared(acl!(acltdtCreateChannel(0, c"TF_RECEIVE_tensors".as_ptr())));
        let handle = channel.0;
        let receiver = std::thread::spawn(move || {
            let dataset = acl!(acltdtCreateDataset());
            assert_ne!(acl!(acltdtReceiveTensor({ channel }.0, dataset, -1)), 0);
            ok!(acltdtDestroyDataset(dataset));
        });
        std::thread::sleep(std::time::Duration::from_millis(100));
        if stopped {
            ok!(acltdtStopChannel(handle));
            receiver.join().unwrap();
            ok!(acltdtDestroyChannel(handle));
        } else {
            ok!(acltdtDestroyChannel(handle));
            receiver.join().unwrap();
        }
    });
    let twice = || {
        let dataset = acl!(acltdtCreateDataset());
        ok!(acltdtDestroyDataset(dataset));
        assert_ne!(acl!(acltdtDestroyDataset(dataset)), 0);
    };
    assert_eq!(broken_by(twice), [(rules::DATA_05, "acltdtDestroyDataset")]);
}

#[test]
fn memory_has_a_size_and_registered_memory_a_page() {
    let nothing = || {
        let mut block = std::ptr::null_mut();
        let policy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;
        assert_ne!(acl!(aclrtMalloc(&mut block, 0, policy)), 0);
    };
    assert_eq!(broken_by(nothing), [(rules::MEM_04, "aclrtMalloc")]);
    let page = Box::leak(vec![0_u8; 3 * 4096].into_boxed_slice());
    let start = page.as_mut_ptr().wrapping_add(page.as_ptr().align_offset(4096));
    let register = |from: *mut u8| acl!(aclrtHostRegisterV2(from.cast(), 4096, ACL_HOST_REG_MAPPED as u32));
    breaks(
        rules::MEM_14,
        || assert_ne!(register(start.wrapping_add(8)), 0),
        || {
            assert_eq!(register(start), 0);
            ok!(aclrtHostUnregister(start.cast()));
        },
    );
    let twice = || {
        assert_eq!(register(start), 0);
        assert_ne!(register(start), 0);
        ok!(aclrtHostUnregister(start.cast()));
    };
    assert_eq!(broken_by(twice), [(rules::MEM_14, "aclrtHostRegisterV2")]);
}
