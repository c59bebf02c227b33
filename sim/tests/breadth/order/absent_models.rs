//! Functions of models and of profiling that the simulator does not have: what they look at before their own work.

use super::*;
use core::ffi::{c_char, c_void};
use core::ptr::{null, null_mut};

const NO_BUNDLE: i32 = ACL_ERROR_INVALID_BUNDLE_MODEL_ID;

/// Something that no function here looks at.
fn place<T>() -> *mut T {
    core::ptr::without_provenance_mut(0x1000)
}

fn set<T>() -> *const T {
    place()
}

#[test]
fn bundles_of_models_look_at_their_arguments_and_there_is_none() {
    let _world = world();
    check([
        row!(Own, model_aipp::aclmdlBundleDestroyQueryInfo(null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleGetModelId(1, 0, null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleGetModelId(1, 0, place()) => NO_BUNDLE),
        row!(Own, model_aipp::aclmdlBundleGetModelNum(1, null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleGetModelNum(1, place()) => NO_BUNDLE),
        row!(Own, model_aipp::aclmdlBundleGetQueryModelNum(null(), place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleGetQueryModelNum(set(), null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleGetSize(null(), 0, place(), place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleGetSize(set(), 0, null_mut(), place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleGetSize(set(), 0, place(), null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleGetVarWeightSize(null(), place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleGetVarWeightSize(set(), null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleInitFromFile(null(), null_mut(), 0, place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleInitFromFile(c"x".as_ptr(), null_mut(), 0, null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleInitFromMem(null(), 8, null_mut(), 0, place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleInitFromMem(set(), 8, null_mut(), 0, null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleLoadFromFile(null(), place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleLoadFromFile(c"x".as_ptr(), null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleLoadFromFile(c"x".as_ptr(), place()) => UNSUPPORTED),
        row!(Own, model_aipp::aclmdlBundleLoadFromMem(null(), 8, place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleLoadFromMem(set(), 0, place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleLoadFromMem(set(), 8, null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleLoadModel(1, 0, null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleLoadModel(1, 0, place()) => NO_BUNDLE),
        row!(Own, model_aipp::aclmdlBundleLoadModelWithConfig(1, 0, null_mut(), place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleLoadModelWithConfig(1, 0, place(), null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleLoadModelWithMem(1, 0, null_mut(), 0, null_mut(), 0, null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleLoadModelWithMem(1, 0, null_mut(), 0, null_mut(), 0, place()) => NO_BUNDLE),
        row!(Own, model_aipp::aclmdlBundleQueryInfoFromFile(null(), place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleQueryInfoFromFile(c"x".as_ptr(), null_mut()) => NULL),
        row!(Own, model_aipp::aclmdlBundleQueryInfoFromMem(null(), 8, place()) => NULL),
        row!(Own, model_aipp::aclmdlBundleQueryInfoFromMem(set(), 8, null_mut()) => NULL),
    ]);
}

#[test]
fn models_with_queues_have_some_at_both_ends() {
    let _world = world();
    let name = c"x".as_ptr();
    check([
        row!(Own, model::aclmdlLoadFromFileWithQ(null(), place(), set(), 1, set(), 1) => NULL),
        row!(Own, model::aclmdlLoadFromFileWithQ(name, null_mut(), set(), 1, set(), 1) => NULL),
        row!(Own, model::aclmdlLoadFromFileWithQ(name, place(), null(), 1, set(), 1) => NULL),
        row!(Own, model::aclmdlLoadFromFileWithQ(name, place(), set(), 0, set(), 1) => NULL),
        row!(Own, model::aclmdlLoadFromFileWithQ(name, place(), set(), 1, null(), 1) => NULL),
        row!(Own, model::aclmdlLoadFromFileWithQ(name, place(), set(), 1, set(), 0) => NULL),
        row!(Own, model::aclmdlLoadFromFileWithQ(name, place(), set(), 1, set(), 1) => UNSUPPORTED),
        row!(Own, model::aclmdlLoadFromMemWithQ(null(), 8, place(), set(), 1, set(), 1) => NULL),
        row!(Own, model::aclmdlLoadFromMemWithQ(set(), 0, place(), set(), 1, set(), 1) => NULL),
        row!(Own, model::aclmdlLoadFromMemWithQ(set(), 8, null_mut(), set(), 1, set(), 1) => NULL),
        row!(Own, model::aclmdlLoadFromMemWithQ(set(), 8, place(), null(), 1, set(), 1) => NULL),
        row!(Own, model::aclmdlLoadFromMemWithQ(set(), 8, place(), set(), 0, set(), 1) => NULL),
        row!(Own, model::aclmdlLoadFromMemWithQ(set(), 8, place(), set(), 1, null(), 1) => NULL),
        row!(Own, model::aclmdlLoadFromMemWithQ(set(), 8, place(), set(), 1, set(), 0) => NULL),
        row!(Own, model::aclmdlLoadFromMemWithQ(set(), 8, place(), set(), 1, set(), 1) => UNSUPPORTED),
    ]);
}

#[test]
fn weights_in_memory_of_the_program_have_a_name_and_a_size() {
    let _world = world();
    let (settings, name) = (call!(model::aclmdlCreateConfigHandle()), c"weights.bin".as_ptr());
    let call = |settings: *mut aclmdlConfigHandle, name: *const c_char, memory: *mut c_void, size: usize| {
        call!(model::aclmdlSetExternalWeightAddress(settings, name, memory, size))
    };
    assert_eq!(call(null_mut(), name, place(), 32), NULL);
    assert_eq!(call(settings, null(), place(), 32), NULL);
    assert_eq!(call(settings, name, null_mut(), 32), NULL);
    assert_eq!((call(settings, name, place(), 0), call(settings, name, place(), 33)), (NULL, NULL));
    assert_eq!(call(settings, name, place(), 64), UNSUPPORTED);
    ok!(model::aclmdlDestroyConfigHandle(settings));
}

#[test]
fn subscriptions_of_profiling_look_for_null() {
    let _world = world();
    check([
        row!(Own, profiling::aclprofDestroySubscribeConfig(null()) => NULL),
        row!(Own, profiling::aclprofModelSubscribe(1, null()) => NULL),
        row!(Own, profiling::aclprofGetOpDescSize(null_mut()) => NULL),
        row!(Own, profiling::aclprofGetOpNum(null(), 8, place()) => NULL),
        row!(Own, profiling::aclprofGetOpNum(set(), 8, null_mut()) => NULL),
        row!(Own, profiling::aclprofGetOpName(null(), 8, 0, place(), 8) => NULL),
        row!(Own, profiling::aclprofGetOpName(set(), 8, 0, null_mut(), 8) => NULL),
        row!(Own, profiling::aclprofGetOpNameLen(null(), 8, 0, place()) => NULL),
        row!(Own, profiling::aclprofGetOpNameLen(set(), 8, 0, null_mut()) => NULL),
        row!(Own, profiling::aclprofGetOpType(null(), 8, 0, place(), 8) => NULL),
        row!(Own, profiling::aclprofGetOpType(set(), 8, 0, null_mut(), 8) => NULL),
        row!(Own, profiling::aclprofGetOpTypeLen(null(), 8, 0, place()) => NULL),
        row!(Own, profiling::aclprofGetOpTypeLen(set(), 8, 0, null_mut()) => NULL),
        row!(Own, profiling::aclprofGetOpTypeLen(set(), 8, 0, place()) => UNSUPPORTED),
    ]);
}
