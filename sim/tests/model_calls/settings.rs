//! Loading and running by a list of settings.

use crate::files;
use crate::world::*;
use ascendcl_macros::proves;
use ascendcl_sim::control;
use ascendcl_sys::types::aclmdlConfigAttr as Load;
use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::null_mut;

const FROM_FILE: usize = 1;
const FROM_FILE_WITH_MEMORY: usize = 2;
const FROM_MEMORY: usize = 3;
const FROM_MEMORY_WITH_MEMORY: usize = 4;

/// Sets the value, which is passed by its address. Answers the code.
fn set<T>(handle: *mut aclmdlConfigHandle, attr: Load, value: &T) -> i32 {
    call!(model::aclmdlSetConfigOpt(handle, attr, core::ptr::from_ref(value).cast(), size_of::<T>()))
}

#[track_caller]
fn sets<T>(handle: *mut aclmdlConfigHandle, attr: Load, value: &T) {
    assert_eq!(set(handle, attr, value), 0, "{}", text());
}

fn settings(kind: usize) -> *mut aclmdlConfigHandle {
    let handle = call!(model::aclmdlCreateConfigHandle());
    assert!(!handle.is_null());
    sets(handle, Load::ACL_MDL_LOAD_TYPE_SIZET, &kind);
    handle
}

/// Settings for an image in memory, which stays in place.
fn settings_of_an_image(kind: usize, file: &[u8]) -> *mut aclmdlConfigHandle {
    let handle = settings(kind);
    sets(handle, Load::ACL_MDL_MEM_ADDR_PTR, &file.as_ptr());
    sets(handle, Load::ACL_MDL_MEM_SIZET, &file.len());
    handle
}

fn loaded(handle: *mut aclmdlConfigHandle) -> u32 {
    let mut id = 0;
    ok!(model::aclmdlLoadWithConfig(handle, &mut id));
    id
}

/// Runs `y = x + 10` of 2 × 4 elements.
fn runs(id: u32) {
    let (x, y) = (on_device(&bytes(&[1.0; 8])), device_memory(32));
    let (input, output) = (dataset(&[(x, 32)]), dataset(&[(y, 32)]));
    ok!(model::aclmdlExecute(id, input, output));
    assert_eq!(floats(&from_device(y, 32)), [11.0; 8]);
    destroy(input);
    destroy(output);
    ok!(memory::aclrtFree(x));
    ok!(memory::aclrtFree(y));
}

#[test]
fn a_loaded_model_keeps_its_priority() {
    let _world = world();
    let file = files::sum("2", None);
    let settings = settings_of_an_image(FROM_MEMORY, &file);
    let plain = loaded(settings);
    sets(settings, Load::ACL_MDL_PRIORITY_INT32, &5_i32);
    let chosen = loaded(settings);
    let priority = aclmdlAttr::ACL_MDL_ATTR_PRIORITY_INT32;
    let unwritten = || aclmdlAttrValue_t { reserved: [9; 8] };
    let ask = |id| {
        let mut value = unwritten();
        ok!(model::aclmdlGetAttribute(id, priority, &mut value));
        // SAFETY: every bit pattern is a number, and the member is as large as the union.
        unsafe { value.reserved }
    };
    assert_eq!((ask(plain)[0], ask(chosen)[0]), (0, 5));
    assert_eq!(ask(plain)[1..], [9; 7], "nothing else is written");
    let mut value = aclmdlAttrValue_t { mdlPriority: 7 };
    ok!(model::aclmdlSetAttribute(plain, priority, &mut value));
    assert_eq!(ask(plain)[0], 7);
    value.mdlPriority = 8;
    fails!(100000, "8 is no priority", model::aclmdlSetAttribute(plain, priority, &mut value));
    fails!(100000, "8 is no priority", model::aclmdlSetAttribute(4711, priority, &mut value));
    fails!(100000, "null", model::aclmdlSetAttribute(plain, priority, null_mut()));
    fails!(100000, "attribute 1", model::aclmdlSetAttribute(plain, aclmdlAttr(1), &mut value));
    fails!(100000, "no place", model::aclmdlGetAttribute(4711, priority, null_mut()));
    fails!(100000, "attribute 1", model::aclmdlGetAttribute(4711, aclmdlAttr(1), &mut value));
    fails!(145003, "no model", model::aclmdlGetAttribute(4711, priority, &mut value));
    value.mdlPriority = 1;
    fails!(145003, "no model", model::aclmdlSetAttribute(4711, priority, &mut value));
    assert_eq!(ask(plain)[0], 7);
    runs(plain);
    for id in [plain, chosen] {
        ok!(model::aclmdlUnload(id));
    }
    ok!(model::aclmdlDestroyConfigHandle(settings));
}

#[proves(MODEL_21)]
#[test]
fn a_model_is_loaded_in_each_way_with_the_settings_of_that_way() {
    let _world = world();
    let digits = settings(FROM_FILE);
    {
        // The text is copied when it is set.
        let path = c(DIGITS);
        sets(digits, Load::ACL_MDL_PATH_PTR, &path.as_ptr());
    }
    ok!(model::aclmdlUnload(loaded(digits)));
    let file = files::sum("2", None);
    let image = settings_of_an_image(FROM_MEMORY, &file);
    sets(image, Load::ACL_MDL_PRIORITY_INT32, &7_i32);
    sets(image, Load::ACL_MDL_WORKSPACE_MEM_OPTIMIZE, &1_usize);
    // One object loads as many models as wanted, and is not needed afterwards.
    let (first, second) = (loaded(image), loaded(image));
    ok!(model::aclmdlDestroyConfigHandle(image));
    for id in [first, second] {
        runs(id);
        ok!(model::aclmdlUnload(id));
    }
    ok!(model::aclmdlDestroyConfigHandle(digits));
    assert!(control::live().is_empty(), "{:?}", control::live());
}

#[proves(MODEL_07, MODEL_21)]
#[test]
fn memory_of_the_caller_is_used_by_the_ways_that_take_it() {
    let _world = world();
    let file = files::sum("2", None);
    let (mut work, mut weight) = (0, 0);
    ok!(model::aclmdlQuerySizeFromMem(file.as_ptr().cast(), file.len(), &mut work, &mut weight));
    let (w, g) = (device_memory(work), device_memory(weight));
    let with_memory = |kind: usize, bytes: usize| {
        let handle = settings_of_an_image(kind, &file);
        sets(handle, Load::ACL_MDL_WORKSPACE_ADDR_PTR, &w);
        sets(handle, Load::ACL_MDL_WORKSPACE_SIZET, &bytes);
        sets(handle, Load::ACL_MDL_WEIGHT_ADDR_PTR, &g);
        sets(handle, Load::ACL_MDL_WEIGHT_SIZET, &weight);
        handle
    };
    let mut id = 0;
    let too_short = with_memory(FROM_MEMORY_WITH_MEMORY, work - 1);
    fails!(145000, "64 bytes of working memory, and 63", model::aclmdlLoadWithConfig(too_short, &mut id));
    let id = loaded(with_memory(FROM_MEMORY_WITH_MEMORY, work));
    assert_eq!(control::live().device_blocks, 2, "nothing is allocated beside it");
    runs(id);
    // This way takes none: the library allocates.
    let own = loaded(with_memory(FROM_MEMORY, work));
    assert_eq!(control::live().device_blocks, 4);
    runs(own);
    // Without addresses the library allocates, whatever the sizes are (MODEL-08).
    let none = settings_of_an_image(FROM_MEMORY_WITH_MEMORY, &file);
    sets(none, Load::ACL_MDL_WORKSPACE_ADDR_PTR, &null_mut::<c_void>());
    sets(none, Load::ACL_MDL_WORKSPACE_SIZET, &7_usize);
    runs(loaded(none));
    let (x, y) = (on_device(&bytes(&[1.0; 8])), device_memory(32));
    let (input, output) = (dataset(&[(x, 32)]), dataset(&[(y, 32)]));
    ok!(memory::aclrtFree(g));
    fails!(145007, "weight memory", model::aclmdlExecute(id, input, output));
}

#[proves(MODEL_21)]
#[test]
fn what_a_way_needs_is_set_before_the_load() {
    let _world = world();
    let file = files::sum("2", None);
    let mut id = 7;
    let empty = call!(model::aclmdlCreateConfigHandle());
    fails!(100000, "ACL_MDL_LOAD_TYPE_SIZET", model::aclmdlLoadWithConfig(empty, &mut id));
    for kind in [FROM_FILE, FROM_FILE_WITH_MEMORY] {
        fails!(100000, "ACL_MDL_PATH_PTR", model::aclmdlLoadWithConfig(settings(kind), &mut id));
    }
    for kind in [FROM_MEMORY, FROM_MEMORY_WITH_MEMORY] {
        fails!(100000, "ACL_MDL_MEM_ADDR_PTR", model::aclmdlLoadWithConfig(settings(kind), &mut id));
        let without_size = settings(kind);
        sets(without_size, Load::ACL_MDL_MEM_ADDR_PTR, &file.as_ptr());
        fails!(100000, "ACL_MDL_MEM_SIZET", model::aclmdlLoadWithConfig(without_size, &mut id));
    }
    fails!(100000, "null", model::aclmdlLoadWithConfig(settings_of_an_image(FROM_MEMORY, &file), null_mut()));
    fails!(100000, "no object", model::aclmdlLoadWithConfig(bogus(), &mut id));
    let gone = settings_of_an_image(FROM_MEMORY, &file);
    ok!(model::aclmdlDestroyConfigHandle(gone));
    fails!(100000, "destroyed", model::aclmdlLoadWithConfig(gone, &mut id));
    fails!(100000, "destroyed", model::aclmdlDestroyConfigHandle(gone));
    let nowhere = settings(FROM_FILE);
    sets(nowhere, Load::ACL_MDL_PATH_PTR, &c("/no/such/file").as_ptr());
    fails!(145002, "/no/such/file", model::aclmdlLoadWithConfig(nowhere, &mut id));
    assert_eq!((id, control::live().models), (7, 0));
}

#[test]
fn a_setting_that_makes_no_sense_is_refused() {
    let _world = world();
    let handle = call!(model::aclmdlCreateConfigHandle());
    let refused = [
        (set(handle, Load::ACL_MDL_LOAD_TYPE_SIZET, &0_usize), "0"),
        (set(handle, Load::ACL_MDL_LOAD_TYPE_SIZET, &99_usize), "99"),
        (set(handle, Load::ACL_MDL_LOAD_TYPE_SIZET, &1_u32), "size"),
        (set(handle, Load::ACL_MDL_PATH_PTR, &null_mut::<c_void>()), "null path"),
        (set(handle, Load::ACL_MDL_MEM_ADDR_PTR, &null_mut::<c_void>()), "null image"),
        (set(handle, Load::ACL_MDL_PRIORITY_INT32, &8_i32), "priority"),
        (set(handle, Load::ACL_MDL_WORKSPACE_MEM_OPTIMIZE, &2_usize), "neither"),
        (set(handle, Load::ACL_MDL_INPUTQ_NUM_SIZET, &1_u32), "size of a number"),
        (set(handle, Load::ACL_MDL_OUTPUTQ_NUM_SIZET, &1_u32), "size of a number"),
        (set(handle, Load::ACL_MDL_INPUTQ_ADDR_PTR, &null_mut::<c_void>()), "null queues"),
        (set(handle, Load::ACL_MDL_OUTPUTQ_ADDR_PTR, &null_mut::<c_void>()), "null queues"),
        (set(handle, Load::ACL_MDL_WITHOUT_GRAPH_INT32, &2_i32), "neither"),
        (set(handle, Load::ACL_MDL_WITHOUT_GRAPH_INT32, &1_usize), "size"),
        (set(handle, Load::ACL_MDL_MODEL_DESC_PTR, &(&raw const handle)), "of another product"),
        (set(handle, Load::ACL_MDL_MEM_MALLOC_POLICY_SIZET, &1_usize), "of another product"),
        (set(handle, Load::ACL_NPU_PERF_MODE, &1_usize), "of another product"),
        (set(handle, Load(77), &1_usize), "no setting"),
    ];
    for (code, what) in refused {
        assert_eq!(code, 100000, "{what}");
    }
    sets(handle, Load::ACL_MDL_WITHOUT_GRAPH_INT32, &1_i32);
    let attr = Load::ACL_MDL_MEM_SIZET;
    fails!(100000, "null", model::aclmdlSetConfigOpt(handle, attr, core::ptr::null(), size_of::<usize>()));
    fails!(100000, "no object", model::aclmdlSetConfigOpt(bogus(), attr, (&raw const attr).cast(), 8));
}

#[test]
fn a_model_with_queues_needs_them_and_is_refused() {
    let _world = world();
    let (mut id, queues) = (7, [1_u32]);
    for (way, settings) in [(5, settings(5)), (6, settings_of_an_image(6, &files::sum("2", None)))] {
        if way == 5 {
            fails!(100000, "the path", model::aclmdlLoadWithConfig(settings, &mut id));
            sets(settings, Load::ACL_MDL_PATH_PTR, &c(DIGITS).as_ptr());
        }
        for attr in [Load::ACL_MDL_INPUTQ_ADDR_PTR, Load::ACL_MDL_OUTPUTQ_ADDR_PTR] {
            fails!(100000, "the queues", model::aclmdlLoadWithConfig(settings, &mut id));
            sets(settings, attr, &queues.as_ptr());
        }
        for attr in [Load::ACL_MDL_INPUTQ_NUM_SIZET, Load::ACL_MDL_OUTPUTQ_NUM_SIZET] {
            fails!(100000, "the queues", model::aclmdlLoadWithConfig(settings, &mut id));
            sets(settings, attr, &1_usize);
        }
        fails!(207000, "queues", model::aclmdlLoadWithConfig(settings, &mut id));
    }
    assert_eq!(id, 7);
}

#[test]
fn a_folder_of_weights_is_for_an_image_without_memory_alone() {
    let _world = world();
    let (mut id, folder, file) = (7, c("/tmp"), files::sum("2", None));
    for kind in [FROM_FILE, FROM_FILE_WITH_MEMORY, FROM_MEMORY_WITH_MEMORY] {
        let settings = settings_of_an_image(kind, &file);
        sets(settings, Load::ACL_MDL_PATH_PTR, &c(DIGITS).as_ptr());
        sets(settings, Load::ACL_MDL_WEIGHT_PATH_PTR, &folder.as_ptr());
        fails!(100000, "folder of weights", model::aclmdlLoadWithConfig(settings, &mut id));
    }
    assert_eq!(id, 7);
}

#[test]
fn weights_in_other_files_are_found_in_the_folder_that_is_set() {
    let _world = world();
    let folder = std::env::temp_dir().join(format!("ascendcl-model-settings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("model.onnx.data"), bytes(&[0.0, 10.0, 10.0, 10.0, 10.0])).unwrap();
    let file = files::sum_with_weights_elsewhere();
    let handle = settings_of_an_image(FROM_MEMORY, &file);
    let mut id = 0;
    fails!(100013, "load it from its file", model::aclmdlLoadWithConfig(handle, &mut id));
    sets(handle, Load::ACL_MDL_WEIGHT_PATH_PTR, &c(folder.to_str().unwrap()).as_ptr());
    runs(loaded(handle));
    std::fs::remove_dir_all(folder).unwrap();
}

fn run_settings() -> *mut aclmdlExecConfigHandle {
    let handle = call!(model::aclmdlCreateExecConfigHandle());
    assert!(!handle.is_null());
    handle
}

#[test]
fn a_model_runs_with_settings_at_once_and_on_a_stream() {
    use aclmdlExecConfigAttr as Run;
    let _world = world();
    let id = load(&files::sum("2", None));
    let mut stream = aclrtStream::NULL;
    ok!(stream::aclrtCreateStream(&mut stream));
    let (x, y) = (on_device(&bytes(&[1.0; 8])), device_memory(32));
    let (input, output) = (dataset(&[(x, 32)]), dataset(&[(y, 32)]));
    let handle = run_settings();
    let set = |attr: Run, value: i32, size: usize| {
        call!(model::aclmdlSetExecConfigOpt(handle, attr, (&raw const value).cast(), size))
    };
    for limit in [-1, 0, 5000, i32::MAX] {
        assert_eq!(set(Run::ACL_MDL_STREAM_SYNC_TIMEOUT, limit, 4), 0, "{}", text());
        assert_eq!(set(Run::ACL_MDL_EVENT_SYNC_TIMEOUT, limit, 4), 0, "{}", text());
    }
    assert_eq!(set(Run::ACL_MDL_STREAM_SYNC_TIMEOUT, -2, 4), 100000);
    assert_eq!(set(Run::ACL_MDL_EVENT_SYNC_TIMEOUT, -2, 4), 100000);
    assert_eq!(set(Run::ACL_MDL_STREAM_SYNC_TIMEOUT, 5, 2), 100000);
    assert_eq!(set(Run::ACL_MDL_WORK_SIZET, 5, 4), 100000);
    assert_eq!(set(Run::ACL_MDL_MPAIMID_SIZET, 5, 4), 100000);
    assert_eq!(set(Run(99), 5, 4), 100000);
    fails!(
        100000,
        "null",
        model::aclmdlSetExecConfigOpt(handle, Run::ACL_MDL_STREAM_SYNC_TIMEOUT, core::ptr::null(), 4)
    );
    for stream in [stream, aclrtStream::NULL] {
        ok!(copy::aclrtMemset(y, 32, 0, 32));
        ok!(model::aclmdlExecuteV2(id, input, output, stream, handle));
        assert_eq!(floats(&from_device(y, 32)), [11.0; 8]);
    }
    ok!(copy::aclrtMemset(y, 32, 0, 32));
    ok!(model::aclmdlExecuteAsyncV2(id, input, output, stream, handle));
    ok!(stream::aclrtSynchronizeStream(stream));
    assert_eq!(floats(&from_device(y, 32)), [11.0; 8]);
    fails!(100000, "are null", model::aclmdlExecuteV2(id, input, output, stream, null_mut()));
    fails!(100000, "no object", model::aclmdlExecuteAsyncV2(id, input, output, stream, bogus()));
    ok!(model::aclmdlDestroyExecConfigHandle(handle));
    fails!(100000, "destroyed", model::aclmdlDestroyExecConfigHandle(handle));
    fails!(100000, "destroyed", model::aclmdlExecuteV2(id, input, output, stream, handle));
    ok!(stream::aclrtDestroyStream(stream));
    let handle = run_settings();
    assert_ne!(call!(model::aclmdlExecuteV2(id, input, output, stream, handle)), 0, "the stream is gone");
    fails!(145003, "no model", model::aclmdlExecuteV2(id + 1, input, output, aclrtStream::NULL, handle));
}

#[proves(MODEL_08, MODEL_19)]
#[test]
fn a_run_takes_working_memory_of_the_caller() {
    use aclmdlExecConfigAttr as Run;
    let _world = world();
    let file = files::sum("2", None);
    let (mut work, mut weight) = (0, 0);
    ok!(model::aclmdlQuerySizeFromMem(file.as_ptr().cast(), file.len(), &mut work, &mut weight));
    let (id, area) = (load(&file), device_memory(work));
    let (x, y) = (on_device(&bytes(&[1.0; 8])), device_memory(32));
    let (input, output, handle) = (dataset(&[(x, 32)]), dataset(&[(y, 32)]), run_settings());
    let none = aclrtStream::NULL;
    let size = |bytes: usize| {
        ok!(model::aclmdlSetExecConfigOpt(handle, Run::ACL_MDL_WORK_SIZET, (&raw const bytes).cast(), 8));
    };
    let address = |start: *mut c_void| {
        ok!(model::aclmdlSetExecConfigOpt(handle, Run::ACL_MDL_WORK_ADDR_PTR, (&raw const start).cast(), 8));
    };
    address(area);
    fails!(145000, "64 bytes of working memory, and 0 were", model::aclmdlExecuteV2(id, input, output, none, handle));
    size(work - 1);
    let mut queue = none;
    ok!(stream::aclrtCreateStream(&mut queue));
    fails!(145000, "64 bytes of working memory, and 63", model::aclmdlExecuteAsyncV2(id, input, output, queue, handle));
    fails!(100000, "the stream is null", model::aclmdlExecuteAsyncV2(id, input, output, none, handle));
    size(work);
    ok!(model::aclmdlExecuteV2(id, input, output, none, handle));
    assert_eq!(floats(&from_device(y, 32)), [11.0; 8]);
    // Without an address the library has the memory, and the size is ignored.
    address(null_mut());
    size(1);
    ok!(model::aclmdlExecuteV2(id, input, output, none, handle));
    // How much a model with open shapes needs is not known before the run.
    let open = load(&files::sum("rows", None));
    address(area);
    size(work);
    fails!(145021, "MODEL-19", model::aclmdlExecuteV2(open, input, output, none, handle));
}
