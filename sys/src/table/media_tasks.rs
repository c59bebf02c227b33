//! Media processing: queued tasks, with their look-up tables, borders and histograms.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! media_tasks_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] media_tasks ["libacl_dvpp.so"]

        [optional sim] fn acldvppJpegGetImageInfo(
            data: *const c_void, size: u32, width: *mut u32, height: *mut u32, components: *mut i32
        ) -> aclError;
        [optional] fn acldvppJpegGetImageInfoV2(
            data: *const c_void, size: u32, width: *mut u32, height: *mut u32, components: *mut i32,
            format: *mut acldvppJpegFormat
        ) -> aclError;
        [optional sim] fn acldvppJpegPredictEncSize(
            input_desc: *const acldvppPicDesc, config: *const acldvppJpegeConfig, size: *mut u32
        ) -> aclError;
        [optional sim] fn acldvppJpegPredictDecSize(
            data: *const c_void, data_size: u32, output_pixel_format: acldvppPixelFormat, dec_size: *mut u32
        ) -> aclError;
        [optional sim] fn acldvppJpegDecodeAsync(
            channel_desc: *mut acldvppChannelDesc, data: *const c_void, size: u32, output_desc: *mut acldvppPicDesc,
            stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppJpegEncodeAsync(
            channel_desc: *mut acldvppChannelDesc, input_desc: *mut acldvppPicDesc, data: *const c_void, size: *mut u32,
            config: *mut acldvppJpegeConfig, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppPngGetImageInfo(
            data: *const c_void, size: u32, width: *mut u32, height: *mut u32, components: *mut i32
        ) -> aclError;
        [optional sim] fn acldvppPngPredictDecSize(
            data: *const c_void, data_size: u32, output_pixel_format: acldvppPixelFormat, dec_size: *mut u32
        ) -> aclError;
        [optional sim] fn acldvppPngDecodeAsync(
            channel_desc: *mut acldvppChannelDesc, data: *const c_void, size: u32, output_desc: *mut acldvppPicDesc,
            stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppVpcResizeAsync(
            channel_desc: *mut acldvppChannelDesc, input_desc: *mut acldvppPicDesc, output_desc: *mut acldvppPicDesc,
            resize_config: *mut acldvppResizeConfig, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppVpcCropAsync(
            channel_desc: *mut acldvppChannelDesc, input_desc: *mut acldvppPicDesc, output_desc: *mut acldvppPicDesc,
            crop_area: *mut acldvppRoiConfig, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppVpcCropResizeAsync(
            channel_desc: *mut acldvppChannelDesc, input_desc: *mut acldvppPicDesc, output_desc: *mut acldvppPicDesc,
            crop_area: *mut acldvppRoiConfig, resize_config: *mut acldvppResizeConfig, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppVpcCropAndPasteAsync(
            channel_desc: *mut acldvppChannelDesc, input_desc: *mut acldvppPicDesc, output_desc: *mut acldvppPicDesc,
            crop_area: *mut acldvppRoiConfig, paste_area: *mut acldvppRoiConfig, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppVpcCropResizePasteAsync(
            channel_desc: *mut acldvppChannelDesc, input_desc: *mut acldvppPicDesc, output_desc: *mut acldvppPicDesc,
            crop_area: *mut acldvppRoiConfig, paste_area: *mut acldvppRoiConfig,
            resize_config: *mut acldvppResizeConfig, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppVpcConvertColorAsync(
            channel_desc: *mut acldvppChannelDesc, input_desc: *mut acldvppPicDesc, output_desc: *mut acldvppPicDesc,
            stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppVpcBatchCropAsync(
            channel_desc: *mut acldvppChannelDesc, src_batch_pic_descs: *mut acldvppBatchPicDesc, roi_nums: *mut u32,
            size: u32, dst_batch_pic_descs: *mut acldvppBatchPicDesc, crop_areas: *mut *mut acldvppRoiConfig,
            stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppVpcBatchCropResizeAsync(
            channel_desc: *mut acldvppChannelDesc, src_batch_pic_descs: *mut acldvppBatchPicDesc, roi_nums: *mut u32,
            size: u32, dst_batch_pic_descs: *mut acldvppBatchPicDesc, crop_areas: *mut *mut acldvppRoiConfig,
            resize_config: *mut acldvppResizeConfig, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppVpcBatchCropAndPasteAsync(
            channel_desc: *mut acldvppChannelDesc, src_batch_pic_descs: *mut acldvppBatchPicDesc, roi_nums: *mut u32,
            size: u32, dst_batch_pic_descs: *mut acldvppBatchPicDesc, crop_areas: *mut *mut acldvppRoiConfig,
            paste_areas: *mut *mut acldvppRoiConfig, stream: aclrtStream
        ) -> aclError;
        [optional sim] fn acldvppVpcBatchCropResizePasteAsync(
            channel_desc: *mut acldvppChannelDesc, src_batch_pic_descs: *mut acldvppBatchPicDesc, roi_nums: *mut u32,
            size: u32, dst_batch_pic_descs: *mut acldvppBatchPicDesc, crop_areas: *mut *mut acldvppRoiConfig,
            paste_areas: *mut *mut acldvppRoiConfig, resize_config: *mut acldvppResizeConfig, stream: aclrtStream
        ) -> aclError;
        [optional] fn acldvppVpcBatchCropResizeMakeBorderAsync(
            channel_desc: *mut acldvppChannelDesc, src_batch_pic_descs: *mut acldvppBatchPicDesc, roi_nums: *mut u32,
            size: u32, dst_batch_pic_descs: *mut acldvppBatchPicDesc, crop_areas: *mut *mut acldvppRoiConfig,
            border_cfgs: *mut *mut acldvppBorderConfig, resize_config: *mut acldvppResizeConfig, stream: aclrtStream
        ) -> aclError;
        [optional] fn acldvppVpcPyrDownAsync(
            channel_desc: *mut acldvppChannelDesc, input_desc: *mut acldvppPicDesc, output_desc: *mut acldvppPicDesc,
            reserve: *mut c_void, stream: aclrtStream
        ) -> aclError;
        [optional] fn acldvppCreateLutMap() -> *mut acldvppLutMap;
        [optional] fn acldvppDestroyLutMap(lut_map: *mut acldvppLutMap) -> aclError;
        [optional] fn acldvppGetLutMapDims(lut_map: *const acldvppLutMap) -> u32;
        [optional] fn acldvppGetLutMapData(
            lut_map: *const acldvppLutMap, dim: u32, data: *mut *mut u8, len: *mut u32
        ) -> aclError;
        [optional] fn acldvppVpcEqualizeHistAsync(
            channel_desc: *const acldvppChannelDesc, input_desc: *const acldvppPicDesc,
            output_desc: *mut acldvppPicDesc, lut_map: *const acldvppLutMap, stream: aclrtStream
        ) -> aclError;
        [optional] fn acldvppCreateBorderConfig() -> *mut acldvppBorderConfig;
        [optional] fn acldvppDestroyBorderConfig(border_config: *mut acldvppBorderConfig) -> aclError;
        [optional] fn acldvppSetBorderConfigValue(
            border_config: *mut acldvppBorderConfig, index: u32, value: f64
        ) -> aclError;
        [optional] fn acldvppGetBorderConfigValue(border_config: *const acldvppBorderConfig, index: u32) -> f64;
        [optional] fn acldvppSetBorderConfigBorderType(
            border_config: *mut acldvppBorderConfig, border_type: acldvppBorderType
        ) -> aclError;
        [optional] fn acldvppGetBorderConfigBorderType(border_config: *const acldvppBorderConfig) -> acldvppBorderType;
        [optional] fn acldvppSetBorderConfigTop(border_config: *mut acldvppBorderConfig, top: u32) -> aclError;
        [optional] fn acldvppGetBorderConfigTop(border_config: *const acldvppBorderConfig) -> u32;
        [optional] fn acldvppSetBorderConfigBottom(border_config: *mut acldvppBorderConfig, bottom: u32) -> aclError;
        [optional] fn acldvppGetBorderConfigBottom(border_config: *const acldvppBorderConfig) -> u32;
        [optional] fn acldvppSetBorderConfigLeft(border_config: *mut acldvppBorderConfig, left: u32) -> aclError;
        [optional] fn acldvppGetBorderConfigLeft(border_config: *const acldvppBorderConfig) -> u32;
        [optional] fn acldvppSetBorderConfigRight(border_config: *mut acldvppBorderConfig, right: u32) -> aclError;
        [optional] fn acldvppGetBorderConfigRight(border_config: *const acldvppBorderConfig) -> u32;
        [optional] fn acldvppVpcMakeBorderAsync(
            channel_desc: *const acldvppChannelDesc, input_desc: *const acldvppPicDesc,
            output_desc: *mut acldvppPicDesc, border_config: *const acldvppBorderConfig, stream: aclrtStream
        ) -> aclError;
        [optional] fn acldvppCreateHist() -> *mut acldvppHist;
        [optional] fn acldvppDestroyHist(hist: *mut acldvppHist) -> aclError;
        [optional] fn acldvppGetHistDims(hist: *mut acldvppHist) -> u32;
        [optional] fn acldvppGetHistData(
            hist: *mut acldvppHist, dim: u32, data: *mut *mut u32, len: *mut u16
        ) -> aclError;
        [optional] fn acldvppGetHistRetCode(hist: *mut acldvppHist) -> u32;
        [optional] fn acldvppClearHist(hist: *mut acldvppHist) -> aclError;
        [optional] fn acldvppVpcCalcHistAsync(
            channel_desc: *mut acldvppChannelDesc, src_pic_desc: *mut acldvppPicDesc, hist: *mut acldvppHist,
            reserve: *mut c_void, stream: aclrtStream
        ) -> aclError;
    } };
}
