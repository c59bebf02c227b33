//! Parameters of preprocessing inside of models, which no model here has.

use crate::world::*;
use ascendcl_sim::control;
use ascendcl_sys::error_codes::*;
use ascendcl_sys::types::*;
use core::ptr::null_mut;

fn parameters(batch: u64) -> *mut aclmdlAIPP {
    let parameters = call!(model_aipp::aclmdlCreateAIPP(batch));
    assert!(!parameters.is_null(), "{}", text());
    parameters
}

/// What a program that sets an image up for a dynamic model calls, and the bounds of each value.
#[test]
fn parameters_are_taken_within_their_bounds() {
    let _world = world();
    let set = parameters(2);
    ok!(model_aipp::aclmdlSetAIPPSrcImageSize(set, 416, 416));
    ok!(model_aipp::aclmdlSetAIPPInputFormat(set, aclAippInputFormat::ACL_YUV420SP_U8));
    ok!(model_aipp::aclmdlSetAIPPCscParams(set, 1, 298, 516, 0, 298, -100, -208, 298, 0, 409, 16, 128, 128, 0, 0, 0));
    ok!(model_aipp::aclmdlSetAIPPRbuvSwapSwitch(set, 0));
    ok!(model_aipp::aclmdlSetAIPPAxSwapSwitch(set, 1));
    ok!(model_aipp::aclmdlSetAIPPCropParams(set, 1, 0, 0, 224, 224, 1));
    ok!(model_aipp::aclmdlSetAIPPScfParams(set, 1, 416, 416, 224, 224, 0));
    ok!(model_aipp::aclmdlSetAIPPPaddingParams(set, 1, 0, 0, 32, 32, 0));
    ok!(model_aipp::aclmdlSetAIPPDtcPixelMean(set, 104, 117, 123, 0, 0));
    ok!(model_aipp::aclmdlSetAIPPDtcPixelMin(set, 0.0, 0.0, 255.0, 0.0, 0));
    ok!(model_aipp::aclmdlSetAIPPPixelVarReci(set, 0.004, 0.004, 0.004, 1.0, 0));

    // A switch that is off leaves the rest out.
    ok!(model_aipp::aclmdlSetAIPPCropParams(set, 0, -1, -1, 0, 0, 0));
    let invalid = ACL_ERROR_INVALID_PARAM;
    fails!(invalid, "the size 0", model_aipp::aclmdlSetAIPPCropParams(set, 1, 0, 0, 0, 1, 0));
    fails!(invalid, "the switch 2", model_aipp::aclmdlSetAIPPAxSwapSwitch(set, 2));
    fails!(invalid, "2 pictures", model_aipp::aclmdlSetAIPPDtcPixelMean(set, 0, 0, 0, 0, 2));
    fails!(invalid, "the mean 256", model_aipp::aclmdlSetAIPPDtcPixelMean(set, 0, 0, 256, 0, 1));
    fails!(invalid, "the minimum -1", model_aipp::aclmdlSetAIPPDtcPixelMin(set, -1.0, 0.0, 0.0, 0.0, 0));
    fails!(invalid, "the factor NaN", model_aipp::aclmdlSetAIPPPixelVarReci(set, f32::NAN, 0.0, 0.0, 0.0, 0));
    fails!(invalid, "the width 1", model_aipp::aclmdlSetAIPPSrcImageSize(set, 1, 1));
    fails!(invalid, "the width 1921", model_aipp::aclmdlSetAIPPScfParams(set, 1, 16, 16, 1921, 16, 0));
    fails!(invalid, "the padding 33", model_aipp::aclmdlSetAIPPPaddingParams(set, 1, 33, 0, 0, 0, 0));
    let none = aclAippInputFormat::ACL_AIPP_RESERVED;
    fails!(invalid, "the format 65535", model_aipp::aclmdlSetAIPPInputFormat(set, none));
    fails!(invalid, "null", model_aipp::aclmdlSetAIPPInputFormat(null_mut(), none));
    assert!(call!(model_aipp::aclmdlCreateAIPP(0)).is_null());
    let mut size = 0;
    ok!(model_aipp::aclmdlGetAippDataSize(1, &mut size));
    assert_eq!(size, 160);
    fails!(invalid, "0 is no size", model_aipp::aclmdlGetAippDataSize(0, &mut size));
    ok!(model_aipp::aclmdlDestroyAIPP(set));
    fails!(invalid, "destroyed", model_aipp::aclmdlDestroyAIPP(set));
    assert!(control::live().is_empty());
}

#[test]
fn a_model_says_that_it_has_no_preprocessing() {
    let _world = world();
    let model = digits();
    let (mut kind, mut attached) = (aclmdlInputAippType::ACL_DYNAMIC_AIPP_NODE, 0);
    ok!(model_aipp::aclmdlGetAippType(model, 0, &mut kind, &mut attached));
    assert_eq!((kind, attached), (aclmdlInputAippType::ACL_DATA_WITHOUT_AIPP, 0xffff_ffff));
    let invalid = ACL_ERROR_INVALID_PARAM;
    fails!(invalid, "none with the index 1", model_aipp::aclmdlGetAippType(model, 1, &mut kind, &mut attached));
    let mut info = core::mem::MaybeUninit::<aclAippInfo>::uninit();
    let info = info.as_mut_ptr();
    fails!(ACL_ERROR_GE_AIPP_NOT_EXIST, "no preproc", model_aipp::aclmdlGetFirstAippInfo(model, 0, info));
    let (empty, set) = (call!(model::aclmdlCreateDataset()), parameters(1));
    let two = dataset(&[(null_mut(), 0), (null_mut(), 0)]);
    let for_input = |dataset, index, set| call!(model_aipp::aclmdlSetInputAIPP(model, dataset, index, set));
    let for_picture = |dataset, index, set| call!(model_aipp::aclmdlSetAIPPByInputIndex(model, dataset, index, set));
    fails!(invalid, "not the one for parameters", model_aipp::aclmdlSetInputAIPP(model, empty, 0, set));
    fails!(invalid, "none with the index 1", model_aipp::aclmdlSetInputAIPP(model, empty, 1, set));
    assert_eq!([for_input(null_mut(), 0, set), for_input(empty, 0, null_mut())], [invalid; 2]);
    fails!(ACL_ERROR_FAILURE, "takes no parameters", model_aipp::aclmdlSetAIPPByInputIndex(model, two, 0, set));
    // The dataset comes before the model.
    fails!(invalid, "the dataset has 0 buffers", model_aipp::aclmdlSetAIPPByInputIndex(99, empty, 0, set));
    fails!(invalid, "the model has 1 inputs", model_aipp::aclmdlSetAIPPByInputIndex(model, two, 1, set));
    assert_eq!([for_picture(null_mut(), 0, set), for_picture(two, 0, null_mut())], [invalid; 2]);
    destroy(two);
}
