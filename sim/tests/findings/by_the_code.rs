//! Misuse that the library refuses, and of which nothing but the code of the call tells.

use crate::files;
use crate::support::*;
use ascendcl_rules::RuleId;
use ascendcl_sim::exports::{kernel::*, model_instance::*, op_compiler::*, tensor_desc::*};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

unsafe extern "C" fn hears_of_streams(_: aclrtStream, _: aclrtStreamState, _: *mut c_void) {}

unsafe extern "C" fn hears_of_devices(_: i32, _: aclrtDeviceState, _: *mut c_void) {}

/// Each is run as a program has it, and as it is right.
#[test]
fn a_refusal_names_its_rule_and_the_right_call_is_silent() {
    type Program = fn(right: bool);
    let programs: [(RuleId, &str, Program); 11] = [
        (rules::STREAM_20, "aclrtActiveStream", |right| started(right, |to, on| acl!(aclrtActiveStream(to, on)))),
        (rules::STREAM_20, "aclrtSetLabel", |right| {
            started(right, |_, on| {
                let label = label();
                let code = acl!(aclrtSetLabel(label, on));
                ok!(aclrtDestroyLabel(label));
                code
            });
        }),
        (rules::STREAM_20, "aclrtSwitchStream", |right| {
            started(right, |to, on| {
                let [left, other] = [(); 2].map(|()| malloc(8));
                let (equal, wide) = (aclrtCondition::ACL_RT_EQUAL, aclrtCompareDataType::ACL_RT_SWITCH_INT64);
                acl!(aclrtSwitchStream(left, equal, other, wide, to, aclrtStream::NULL, on))
            });
        }),
        (rules::DATA_05, "aclrtDestroyLabel", |right| {
            let label = label();
            ok!(aclrtDestroyLabel(label));
            assert!(right || acl!(aclrtDestroyLabel(label)) != 0);
        }),
        (rules::CTX_13, "aclrtCtxGetSysParamOpt", |right| {
            let (option, mut value) = (aclSysParamOpt::ACL_OPT_DETERMINISTIC, 0);
            if right {
                ok!(aclrtCtxSetSysParamOpt(option, 1));
            }
            assert_eq!(acl!(aclrtCtxGetSysParamOpt(option, &mut value)) == 0, right);
        }),
        (rules::CB_11, "aclrtRegStreamStateCallback", |right| {
            let set = |name: &std::ffi::CStr| {
                acl!(aclrtRegStreamStateCallback(name.as_ptr(), Some(hears_of_streams), null_mut()))
            };
            assert_eq!(set(c"first"), 0);
            assert_eq!(set(if right { c"second" } else { c"first" }) == 0, right);
        }),
        (rules::CB_11, "aclrtRegDeviceStateCallback", |right| {
            let set = || acl!(aclrtRegDeviceStateCallback(c"first".as_ptr(), Some(hears_of_devices), null_mut()));
            assert_eq!(set(), 0);
            if right {
                ok!(aclrtRegDeviceStateCallback(c"first".as_ptr(), None, null_mut()));
            }
            assert_eq!(set() == 0, right);
        }),
        (rules::COPY_12, "aclrtSetMemcpyDesc", |right| {
            copied_by_description(if right { malloc } else { malloc_host }, true)
        }),
        (rules::COPY_12, "aclrtSynchronizeStream", |right| copied_by_description(malloc, right)),
        (rules::OP_02, "aclopCompileAndExecuteV2", |right| {
            assert_eq!(added(if right { 2 } else { 1 }, true) == 0, right);
        }),
        (rules::OP_02, "aclopCompileAndExecuteV2", |right| assert_eq!(added(2, right) == 0, right)),
    ];
    for (rule, name, program) in programs {
        assert_eq!(broken_by(|| program(false)), [(rule, name)]);
        assert_eq!(broken_by(|| program(true)), [], "{name}");
    }
}

/// Gives a stream a task that only streams of a model instance take, which starts another one.
fn started(built: bool, give: impl Fn(aclrtStream, aclrtStream) -> aclError) {
    let streams = [(); 2].map(|()| {
        let mut stream = aclrtStream::NULL;
        ok!(aclrtCreateStreamWithConfig(&mut stream, 0, if built { ACL_STREAM_PERSISTENT } else { 0 }));
        stream
    });
    let [to, on] = streams;
    if !built {
        assert_ne!(give(to, on), 0);
        return;
    }
    let mut instance = aclmdlRI::NULL;
    ok!(aclmdlRIBuildBegin(&mut instance, 0));
    for (stream, flag) in [(on, ACL_MODEL_STREAM_FLAG_HEAD), (to, ACL_MODEL_STREAM_FLAG_DEFAULT)] {
        ok!(aclmdlRIBindStream(instance, stream, flag));
    }
    assert_eq!(give(to, on), 0, "{}", crate::common::message());
    streams.into_iter().for_each(|stream| ok!(aclmdlRIEndTask(instance, stream)));
    ok!(aclmdlRIBuildEnd(instance, null_mut()));
    streams.into_iter().for_each(|stream| ok!(aclmdlRIUnbindStream(instance, stream)));
    ok!(aclmdlRIDestroy(instance));
}

fn label() -> aclrtLabel {
    let mut label = aclrtLabel::NULL;
    ok!(aclrtCreateLabel(&mut label));
    label
}

/// A copy whose addresses stand in a descriptor, which is in memory of `allocate`, and set or not.
fn copied_by_description(allocate: fn(usize) -> *mut c_void, set: bool) {
    let (kind, mut size) = (aclrtMemcpyKind::ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, 0);
    ok!(aclrtGetMemcpyDescSize(kind, &mut size));
    let (descriptor, stream, [from, to]) = (allocate(size), stream(), [(); 2].map(|()| malloc(64)));
    ok!(aclrtMemset(descriptor, size, 0, size));
    if set {
        acl!(aclrtSetMemcpyDesc(descriptor, kind, from, to, 64, null_mut()));
    }
    acl!(aclrtMemcpyAsyncWithDesc(descriptor, kind, stream));
    acl!(aclrtSynchronizeStream(stream));
}

/// Adds two tensors, of which the program counts so many. `both`: the second one has a buffer.
fn added(count: i32, both: bool) -> aclError {
    let dims = [16];
    let desc = acl!(aclCreateTensorDesc(aclDataType::ACL_FLOAT, 1, dims.as_ptr(), aclFormat::ACL_FORMAT_ND));
    let [a, b, sum] = [(); 3].map(|()| {
        let memory = malloc(64);
        ok!(aclrtMemset(memory, 64, 0, 64));
        acl!(aclCreateDataBuffer(memory, 64))
    });
    let second = if both { b } else { null_mut() };
    let (mut descs, mut inputs, mut outputs) = ([desc; 2], [a, second], [sum]);
    let code = acl!(aclopCompileAndExecuteV2(
        c"Add".as_ptr(),
        count,
        descs.as_mut_ptr(),
        inputs.as_mut_ptr(),
        1,
        descs.as_mut_ptr(),
        outputs.as_mut_ptr(),
        null_mut(),
        aclopEngineType::ACL_ENGINE_SYS,
        aclopCompileType::ACL_COMPILE_SYS,
        null(),
        aclrtStream::NULL
    ));
    sync(aclrtStream::NULL);
    code
}

/// The data buffer got a size and no address. That its run is refused is the same mistake.
#[test]
fn a_buffer_without_an_address_is_one_mistake() {
    let file = files::sum("64", None);
    let run = |address: bool, size: usize| {
        broken_by(|| {
            let mut id = 0;
            ok!(aclmdlLoadFromMem(file.as_ptr().cast(), file.len(), &mut id));
            let [input, output] = [address, true].map(|there| {
                let (dataset, memory) = (acl!(aclmdlCreateDataset()), if there { malloc(1024) } else { null_mut() });
                if there {
                    ok!(aclrtMemset(memory, 1024, 0, 1024));
                }
                ok!(aclmdlAddDatasetBuffer(dataset, acl!(aclCreateDataBuffer(memory, size))));
                dataset
            });
            assert_eq!(acl!(aclmdlExecute(id, input, output)) == 0, address);
        })
    };
    assert_eq!(run(false, 1024), [(rules::DATA_03, "aclCreateDataBuffer")]);
    assert_eq!(run(false, 0), [(rules::DATA_07, "aclmdlExecute")]);
    assert_eq!(run(true, 1024), []);
}
