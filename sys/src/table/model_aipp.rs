//! Image preprocessing inside a model (AIPP) and model bundles.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! model_aipp_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] model_aipp ["libacl_mdl.so" "libascendcl.so"]

        [optional] fn aclmdlBundleCreateQueryInfo() -> *mut aclmdlBundleQueryInfo;
        [optional] fn aclmdlBundleDestroyQueryInfo(query_info: *mut aclmdlBundleQueryInfo) -> aclError;
        [optional] fn aclmdlBundleGetModelId(bundle_id: u32, index: usize, model_id: *mut u32) -> aclError;
        [optional] fn aclmdlBundleGetModelNum(bundle_id: u32, model_num: *mut usize) -> aclError;
        [optional] fn aclmdlBundleGetQueryModelNum(
            query_info: *const aclmdlBundleQueryInfo, model_num: *mut usize
        ) -> aclError;
        [optional] fn aclmdlBundleGetSize(
            query_info: *const aclmdlBundleQueryInfo, index: usize, work_size: *mut usize, const_weight_size: *mut usize
        ) -> aclError;
        [optional] fn aclmdlBundleGetVarWeightSize(
            query_info: *const aclmdlBundleQueryInfo, variable_weight_size: *mut usize
        ) -> aclError;
        [optional] fn aclmdlBundleInitFromFile(
            model_path: *const c_char, var_weight_ptr: *mut c_void, var_weight_size: usize, bundle_id: *mut u32
        ) -> aclError;
        [optional] fn aclmdlBundleInitFromMem(
            model: *const c_void, model_size: usize, var_weight_ptr: *mut c_void, var_weight_size: usize,
            bundle_id: *mut u32
        ) -> aclError;
        [optional] fn aclmdlBundleLoadFromFile(model_path: *const c_char, bundle_id: *mut u32) -> aclError;
        [optional] fn aclmdlBundleLoadFromMem(model: *const c_void, model_size: usize, bundle_id: *mut u32) -> aclError;
        [optional] fn aclmdlBundleLoadModel(bundle_id: u32, index: usize, model_id: *mut u32) -> aclError;
        [optional] fn aclmdlBundleLoadModelWithConfig(
            bundle_id: u32, index: usize, handle: *mut aclmdlConfigHandle, model_id: *mut u32
        ) -> aclError;
        [optional] fn aclmdlBundleLoadModelWithMem(
            bundle_id: u32, index: usize, work_ptr: *mut c_void, work_size: usize, weight_ptr: *mut c_void,
            weight_size: usize, model_id: *mut u32
        ) -> aclError;
        [optional] fn aclmdlBundleQueryInfoFromFile(
            file_name: *const c_char, query_info: *mut aclmdlBundleQueryInfo
        ) -> aclError;
        [optional] fn aclmdlBundleQueryInfoFromMem(
            model: *const c_void, model_size: usize, query_info: *mut aclmdlBundleQueryInfo
        ) -> aclError;
        [optional] fn aclmdlBundleUnload(bundle_id: u32) -> aclError;
        [optional] fn aclmdlBundleUnloadModel(bundle_id: u32, model_id: u32) -> aclError;
        [optional sim] fn aclmdlCreateAIPP(batch_size: u64) -> *mut aclmdlAIPP;
        [optional sim] fn aclmdlDestroyAIPP(aipp_parms_set: *const aclmdlAIPP) -> aclError;
        [optional sim] fn aclmdlGetAippDataSize(batch_size: u64, size: *mut usize) -> aclError;
        [optional sim] fn aclmdlGetAippType(
            model_id: u32, index: usize, kind: *mut aclmdlInputAippType, dynamic_attached_data_index: *mut usize
        ) -> aclError;
        [optional sim] fn aclmdlGetFirstAippInfo(model_id: u32, index: usize, aipp_info: *mut aclAippInfo) -> aclError;
        [optional sim] fn aclmdlSetAIPPAxSwapSwitch(aipp_parms_set: *mut aclmdlAIPP, ax_swap_switch: i8) -> aclError;
        [optional sim] fn aclmdlSetAIPPByInputIndex(
            model_id: u32, dataset: *mut aclmdlDataset, index: usize, aipp_parms_set: *const aclmdlAIPP
        ) -> aclError;
        [optional sim] fn aclmdlSetAIPPCropParams(
            aipp_parms_set: *mut aclmdlAIPP, crop_switch: i8, crop_start_pos_w: i32, crop_start_pos_h: i32,
            crop_size_w: i32, crop_size_h: i32, batch_index: u64
        ) -> aclError;
        [optional sim] fn aclmdlSetAIPPCscParams(
            aipp_parms_set: *mut aclmdlAIPP, csc_switch: i8, csc_matrix_r0_c0: i16, csc_matrix_r0_c1: i16,
            csc_matrix_r0_c2: i16, csc_matrix_r1_c0: i16, csc_matrix_r1_c1: i16, csc_matrix_r1_c2: i16,
            csc_matrix_r2_c0: i16, csc_matrix_r2_c1: i16, csc_matrix_r2_c2: i16, csc_output_bias_r0: u8,
            csc_output_bias_r1: u8, csc_output_bias_r2: u8, csc_input_bias_r0: u8, csc_input_bias_r1: u8,
            csc_input_bias_r2: u8
        ) -> aclError;
        [optional sim] fn aclmdlSetAIPPDtcPixelMean(
            aipp_parms_set: *mut aclmdlAIPP, dtc_pixel_mean_chn0: i16, dtc_pixel_mean_chn1: i16,
            dtc_pixel_mean_chn2: i16, dtc_pixel_mean_chn3: i16, batch_index: u64
        ) -> aclError;
        [optional sim] fn aclmdlSetAIPPDtcPixelMin(
            aipp_parms_set: *mut aclmdlAIPP, dtc_pixel_min_chn0: f32, dtc_pixel_min_chn1: f32, dtc_pixel_min_chn2: f32,
            dtc_pixel_min_chn3: f32, batch_index: u64
        ) -> aclError;
        [optional sim] fn aclmdlSetAIPPInputFormat(
            aipp_parms_set: *mut aclmdlAIPP, input_format: aclAippInputFormat
        ) -> aclError;
        [optional sim] fn aclmdlSetAIPPPaddingParams(
            aipp_parms_set: *mut aclmdlAIPP, padding_switch: i8, padding_size_top: i32, padding_size_bottom: i32,
            padding_size_left: i32, padding_size_right: i32, batch_index: u64
        ) -> aclError;
        [optional sim] fn aclmdlSetAIPPPixelVarReci(
            aipp_parms_set: *mut aclmdlAIPP, dtc_pixel_var_reci_chn0: f32, dtc_pixel_var_reci_chn1: f32,
            dtc_pixel_var_reci_chn2: f32, dtc_pixel_var_reci_chn3: f32, batch_index: u64
        ) -> aclError;
        [optional sim] fn aclmdlSetAIPPRbuvSwapSwitch(aipp_parms_set: *mut aclmdlAIPP, rbuv_swap_switch: i8) -> aclError;
        [optional sim] fn aclmdlSetAIPPScfParams(
            aipp_parms_set: *mut aclmdlAIPP, scf_switch: i8, scf_input_size_w: i32, scf_input_size_h: i32,
            scf_output_size_w: i32, scf_output_size_h: i32, batch_index: u64
        ) -> aclError;
        [optional sim] fn aclmdlSetAIPPSrcImageSize(
            aipp_parms_set: *mut aclmdlAIPP, src_image_size_w: i32, src_image_size_h: i32
        ) -> aclError;
        [optional sim] fn aclmdlSetInputAIPP(
            model_id: u32, dataset: *mut aclmdlDataset, index: usize, aipp_parms_set: *const aclmdlAIPP
        ) -> aclError;
    } };
}
