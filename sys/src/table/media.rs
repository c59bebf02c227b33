//! Media processing: memory, pictures, regions, configurations.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! media_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] media ["libacl_dvpp.so"]

        [optional sim] fn acldvppMalloc(dev_ptr: *mut *mut c_void, size: usize) -> aclError;
        [optional sim] fn acldvppFree(dev_ptr: *mut c_void) -> aclError;
        [optional sim] fn acldvppCreateChannelDesc() -> *mut acldvppChannelDesc;
        [optional sim] fn acldvppDestroyChannelDesc(channel_desc: *mut acldvppChannelDesc) -> aclError;
        [optional sim] fn acldvppGetChannelDescChannelId(channel_desc: *const acldvppChannelDesc) -> u64;
        [optional sim] fn acldvppSetChannelDescMode(channel_desc: *mut acldvppChannelDesc, mode: u32) -> aclError;
        [optional] fn acldvppSetChannelDescParam(
            channel_desc: *mut acldvppChannelDesc, param_type: acldvppChannelDescParamType, length: usize,
            param: *const c_void
        ) -> aclError;
        [optional] fn acldvppGetChannelDescParam(
            channel_desc: *const acldvppChannelDesc, param_type: acldvppChannelDescParamType, length: usize,
            param_ret_size: *mut usize, param: *mut c_void
        ) -> aclError;
        [optional sim] fn acldvppCreateChannel(channel_desc: *mut acldvppChannelDesc) -> aclError;
        [optional sim] fn acldvppDestroyChannel(channel_desc: *mut acldvppChannelDesc) -> aclError;
        [optional sim] fn acldvppCreatePicDesc() -> *mut acldvppPicDesc;
        [optional sim] fn acldvppDestroyPicDesc(pic_desc: *mut acldvppPicDesc) -> aclError;
        [optional sim] fn acldvppSetPicDescData(pic_desc: *mut acldvppPicDesc, data_dev: *mut c_void) -> aclError;
        [optional sim] fn acldvppGetPicDescData(pic_desc: *const acldvppPicDesc) -> *mut c_void;
        [optional sim] fn acldvppSetPicDescSize(pic_desc: *mut acldvppPicDesc, size: u32) -> aclError;
        [optional sim] fn acldvppGetPicDescSize(pic_desc: *const acldvppPicDesc) -> u32;
        [optional sim] fn acldvppSetPicDescFormat(
            pic_desc: *mut acldvppPicDesc, format: acldvppPixelFormat
        ) -> aclError;
        [optional sim] fn acldvppGetPicDescFormat(pic_desc: *const acldvppPicDesc) -> acldvppPixelFormat;
        [optional sim] fn acldvppSetPicDescWidth(pic_desc: *mut acldvppPicDesc, width: u32) -> aclError;
        [optional sim] fn acldvppGetPicDescWidth(pic_desc: *const acldvppPicDesc) -> u32;
        [optional sim] fn acldvppSetPicDescHeight(pic_desc: *mut acldvppPicDesc, height: u32) -> aclError;
        [optional sim] fn acldvppGetPicDescHeight(pic_desc: *const acldvppPicDesc) -> u32;
        [optional sim] fn acldvppSetPicDescWidthStride(pic_desc: *mut acldvppPicDesc, width_stride: u32) -> aclError;
        [optional sim] fn acldvppGetPicDescWidthStride(pic_desc: *const acldvppPicDesc) -> u32;
        [optional sim] fn acldvppSetPicDescHeightStride(pic_desc: *mut acldvppPicDesc, height_stride: u32) -> aclError;
        [optional sim] fn acldvppGetPicDescHeightStride(pic_desc: *const acldvppPicDesc) -> u32;
        [optional sim] fn acldvppSetPicDescRetCode(pic_desc: *mut acldvppPicDesc, ret_code: u32) -> aclError;
        [optional sim] fn acldvppGetPicDescRetCode(pic_desc: *const acldvppPicDesc) -> u32;
        [optional sim] fn acldvppCreateBatchPicDesc(batch_size: u32) -> *mut acldvppBatchPicDesc;
        [optional sim] fn acldvppGetPicDesc(
            batch_pic_desc: *mut acldvppBatchPicDesc, index: u32
        ) -> *mut acldvppPicDesc;
        [optional sim] fn acldvppDestroyBatchPicDesc(batch_pic_desc: *mut acldvppBatchPicDesc) -> aclError;
        [optional sim] fn acldvppCreateStreamDesc() -> *mut acldvppStreamDesc;
        [optional sim] fn acldvppDestroyStreamDesc(stream_desc: *mut acldvppStreamDesc) -> aclError;
        [optional sim] fn acldvppSetStreamDescData(
            stream_desc: *mut acldvppStreamDesc, data_dev: *mut c_void
        ) -> aclError;
        [optional sim] fn acldvppGetStreamDescData(stream_desc: *const acldvppStreamDesc) -> *mut c_void;
        [optional sim] fn acldvppSetStreamDescSize(stream_desc: *mut acldvppStreamDesc, size: u32) -> aclError;
        [optional sim] fn acldvppGetStreamDescSize(stream_desc: *const acldvppStreamDesc) -> u32;
        [optional sim] fn acldvppSetStreamDescFormat(
            stream_desc: *mut acldvppStreamDesc, format: acldvppStreamFormat
        ) -> aclError;
        [optional sim] fn acldvppGetStreamDescFormat(stream_desc: *const acldvppStreamDesc) -> acldvppStreamFormat;
        [optional sim] fn acldvppSetStreamDescTimestamp(
            stream_desc: *mut acldvppStreamDesc, timestamp: u64
        ) -> aclError;
        [optional sim] fn acldvppGetStreamDescTimestamp(stream_desc: *const acldvppStreamDesc) -> u64;
        [optional sim] fn acldvppSetStreamDescRetCode(stream_desc: *mut acldvppStreamDesc, ret_code: u32) -> aclError;
        [optional sim] fn acldvppGetStreamDescRetCode(stream_desc: *const acldvppStreamDesc) -> u32;
        [optional sim] fn acldvppSetStreamDescEos(stream_desc: *mut acldvppStreamDesc, eos: u8) -> aclError;
        [optional sim] fn acldvppGetStreamDescEos(stream_desc: *const acldvppStreamDesc) -> u8;
        [optional sim] fn acldvppCreateRoiConfig(left: u32, right: u32, top: u32, bottom: u32) -> *mut acldvppRoiConfig;
        [optional sim] fn acldvppDestroyRoiConfig(roi_config: *mut acldvppRoiConfig) -> aclError;
        [optional sim] fn acldvppSetRoiConfigLeft(config: *mut acldvppRoiConfig, left: u32) -> aclError;
        [optional sim] fn acldvppSetRoiConfigRight(config: *mut acldvppRoiConfig, right: u32) -> aclError;
        [optional sim] fn acldvppSetRoiConfigTop(config: *mut acldvppRoiConfig, top: u32) -> aclError;
        [optional sim] fn acldvppSetRoiConfigBottom(config: *mut acldvppRoiConfig, bottom: u32) -> aclError;
        [optional sim] fn acldvppSetRoiConfig(
            config: *mut acldvppRoiConfig, left: u32, right: u32, top: u32, bottom: u32
        ) -> aclError;
        [optional sim] fn acldvppCreateResizeConfig() -> *mut acldvppResizeConfig;
        [optional sim] fn acldvppDestroyResizeConfig(resize_config: *mut acldvppResizeConfig) -> aclError;
        [optional sim] fn acldvppSetResizeConfigInterpolation(
            resize_config: *mut acldvppResizeConfig, interpolation: u32
        ) -> aclError;
        [optional sim] fn acldvppGetResizeConfigInterpolation(resize_config: *const acldvppResizeConfig) -> u32;
        [optional sim] fn acldvppCreateJpegeConfig() -> *mut acldvppJpegeConfig;
        [optional sim] fn acldvppDestroyJpegeConfig(jpege_config: *mut acldvppJpegeConfig) -> aclError;
        [optional sim] fn acldvppSetJpegeConfigLevel(jpege_config: *mut acldvppJpegeConfig, level: u32) -> aclError;
        [optional sim] fn acldvppGetJpegeConfigLevel(jpege_config: *const acldvppJpegeConfig) -> u32;
    } };
}
