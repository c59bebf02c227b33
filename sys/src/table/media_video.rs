//! Video decoding and encoding.

/// Hands the declarations of this group to `$callback!`; see [`for_each_group!`](crate::for_each_group).
#[macro_export]
macro_rules! media_video_functions {
    ($callback:path $(, $extra:tt)*) => { $callback! {
        [$($extra)*] media_video "libacl_dvpp.so"

        [optional] fn aclvdecCreateChannelDesc() -> *mut aclvdecChannelDesc;
        [optional] fn aclvdecDestroyChannelDesc(channel_desc: *mut aclvdecChannelDesc) -> aclError;
        [optional] fn aclvdecSetChannelDescChannelId(
            channel_desc: *mut aclvdecChannelDesc, channel_id: u32
        ) -> aclError;
        [optional] fn aclvdecGetChannelDescChannelId(channel_desc: *const aclvdecChannelDesc) -> u32;
        [optional] fn aclvdecSetChannelDescThreadId(channel_desc: *mut aclvdecChannelDesc, thread_id: u64) -> aclError;
        [optional] fn aclvdecGetChannelDescThreadId(channel_desc: *const aclvdecChannelDesc) -> u64;
        [optional] fn aclvdecSetChannelDescCallback(
            channel_desc: *mut aclvdecChannelDesc, callback: aclvdecCallback
        ) -> aclError;
        [optional] fn aclvdecGetChannelDescCallback(channel_desc: *const aclvdecChannelDesc) -> aclvdecCallback;
        [optional] fn aclvdecSetChannelDescEnType(
            channel_desc: *mut aclvdecChannelDesc, en_type: acldvppStreamFormat
        ) -> aclError;
        [optional] fn aclvdecGetChannelDescEnType(channel_desc: *const aclvdecChannelDesc) -> acldvppStreamFormat;
        [optional] fn aclvdecSetChannelDescOutPicFormat(
            channel_desc: *mut aclvdecChannelDesc, out_pic_format: acldvppPixelFormat
        ) -> aclError;
        [optional] fn aclvdecGetChannelDescOutPicFormat(channel_desc: *const aclvdecChannelDesc) -> acldvppPixelFormat;
        [optional] fn aclvdecSetChannelDescOutPicWidth(
            channel_desc: *mut aclvdecChannelDesc, out_pic_width: u32
        ) -> aclError;
        [optional] fn aclvdecGetChannelDescOutPicWidth(channel_desc: *const aclvdecChannelDesc) -> u32;
        [optional] fn aclvdecSetChannelDescOutPicHeight(
            channel_desc: *mut aclvdecChannelDesc, out_pic_height: u32
        ) -> aclError;
        [optional] fn aclvdecGetChannelDescOutPicHeight(channel_desc: *const aclvdecChannelDesc) -> u32;
        [optional] fn aclvdecSetChannelDescRefFrameNum(
            channel_desc: *mut aclvdecChannelDesc, ref_frame_num: u32
        ) -> aclError;
        [optional] fn aclvdecGetChannelDescRefFrameNum(channel_desc: *const aclvdecChannelDesc) -> u32;
        [optional] fn aclvdecSetChannelDescBitDepth(channel_desc: *mut aclvdecChannelDesc, bit_depth: u32) -> aclError;
        [optional] fn aclvdecGetChannelDescBitDepth(channel_desc: *const aclvdecChannelDesc) -> u32;
        [optional] fn aclvdecSetChannelDescOutMode(channel_desc: *mut aclvdecChannelDesc, out_mode: u32) -> aclError;
        [optional] fn aclvdecGetChannelDescOutMode(channel_desc: *const aclvdecChannelDesc) -> u32;
        [optional] fn aclvdecSetChannelDescParam(
            channel_desc: *mut aclvdecChannelDesc, param_type: aclvdecChannelDescParamType, length: usize,
            param: *const c_void
        ) -> aclError;
        [optional] fn aclvdecGetChannelDescParam(
            channel_desc: *const aclvdecChannelDesc, param_type: aclvdecChannelDescParamType, length: usize,
            param_ret_size: *mut usize, param: *mut c_void
        ) -> aclError;
        [optional] fn aclvdecCreateChannel(channel_desc: *mut aclvdecChannelDesc) -> aclError;
        [optional] fn aclvdecDestroyChannel(channel_desc: *mut aclvdecChannelDesc) -> aclError;
        [optional] fn aclvdecCreateFrameConfig() -> *mut aclvdecFrameConfig;
        [optional] fn aclvdecDestroyFrameConfig(vdec_frame_config: *mut aclvdecFrameConfig) -> aclError;
        [optional] fn aclvdecSendFrame(
            channel_desc: *mut aclvdecChannelDesc, input: *mut acldvppStreamDesc, output: *mut acldvppPicDesc,
            config: *mut aclvdecFrameConfig, user_data: *mut c_void
        ) -> aclError;
        [optional] fn aclvdecSendSkippedFrame(
            channel_desc: *mut aclvdecChannelDesc, input: *mut acldvppStreamDesc, config: *mut aclvdecFrameConfig,
            user_data: *mut c_void
        ) -> aclError;
        [optional] fn aclvencCreateChannelDesc() -> *mut aclvencChannelDesc;
        [optional] fn aclvencDestroyChannelDesc(channel_desc: *mut aclvencChannelDesc) -> aclError;
        [optional] fn aclvencSetChannelDescThreadId(channel_desc: *mut aclvencChannelDesc, thread_id: u64) -> aclError;
        [optional] fn aclvencGetChannelDescThreadId(channel_desc: *const aclvencChannelDesc) -> u64;
        [optional] fn aclvencSetChannelDescCallback(
            channel_desc: *mut aclvencChannelDesc, callback: aclvencCallback
        ) -> aclError;
        [optional] fn aclvencGetChannelDescCallback(channel_desc: *const aclvencChannelDesc) -> aclvencCallback;
        [optional] fn aclvencSetChannelDescEnType(
            channel_desc: *mut aclvencChannelDesc, en_type: acldvppStreamFormat
        ) -> aclError;
        [optional] fn aclvencGetChannelDescEnType(channel_desc: *const aclvencChannelDesc) -> acldvppStreamFormat;
        [optional] fn aclvencSetChannelDescPicFormat(
            channel_desc: *mut aclvencChannelDesc, pic_format: acldvppPixelFormat
        ) -> aclError;
        [optional] fn aclvencGetChannelDescPicFormat(channel_desc: *const aclvencChannelDesc) -> acldvppPixelFormat;
        [optional] fn aclvencSetChannelDescPicWidth(channel_desc: *mut aclvencChannelDesc, pic_width: u32) -> aclError;
        [optional] fn aclvencGetChannelDescPicWidth(channel_desc: *const aclvencChannelDesc) -> u32;
        [optional] fn aclvencSetChannelDescPicHeight(
            channel_desc: *mut aclvencChannelDesc, pic_height: u32
        ) -> aclError;
        [optional] fn aclvencGetChannelDescPicHeight(channel_desc: *const aclvencChannelDesc) -> u32;
        [optional] fn aclvencSetChannelDescKeyFrameInterval(
            channel_desc: *mut aclvencChannelDesc, key_frame_interval: u32
        ) -> aclError;
        [optional] fn aclvencGetChannelDescKeyFrameInterval(channel_desc: *const aclvencChannelDesc) -> u32;
        [optional] fn aclvencSetChannelDescBufAddr(
            channel_desc: *mut aclvencChannelDesc, buf_addr: *mut c_void
        ) -> aclError;
        [optional] fn aclvencGetChannelDescBufAddr(channel_desc: *const aclvencChannelDesc) -> *mut c_void;
        [optional] fn aclvencSetChannelDescBufSize(channel_desc: *mut aclvencChannelDesc, buf_size: u32) -> aclError;
        [optional] fn aclvencGetChannelDescBufSize(channel_desc: *const aclvencChannelDesc) -> u32;
        [optional] fn aclvencSetChannelDescRcMode(channel_desc: *mut aclvencChannelDesc, rc_mode: u32) -> aclError;
        [optional] fn aclvencGetChannelDescRcMode(channel_desc: *const aclvencChannelDesc) -> u32;
        [optional] fn aclvencSetChannelDescSrcRate(channel_desc: *mut aclvencChannelDesc, src_rate: u32) -> aclError;
        [optional] fn aclvencGetChannelDescSrcRate(channel_desc: *const aclvencChannelDesc) -> u32;
        [optional] fn aclvencSetChannelDescMaxBitRate(
            channel_desc: *mut aclvencChannelDesc, max_bit_rate: u32
        ) -> aclError;
        [optional] fn aclvencGetChannelDescMaxBitRate(channel_desc: *const aclvencChannelDesc) -> u32;
        [optional] fn aclvencGetChannelDescChannelId(channel_desc: *const aclvencChannelDesc) -> u32;
        [optional] fn aclvencSetChannelDescParam(
            channel_desc: *mut aclvencChannelDesc, param_type: aclvencChannelDescParamType, length: usize,
            param: *const c_void
        ) -> aclError;
        [optional] fn aclvencGetChannelDescParam(
            channel_desc: *const aclvencChannelDesc, param_type: aclvencChannelDescParamType, length: usize,
            param_ret_size: *mut usize, param: *mut c_void
        ) -> aclError;
        [optional] fn aclvencCreateChannel(channel_desc: *mut aclvencChannelDesc) -> aclError;
        [optional] fn aclvencDestroyChannel(channel_desc: *mut aclvencChannelDesc) -> aclError;
        [optional] fn aclvencCreateFrameConfig() -> *mut aclvencFrameConfig;
        [optional] fn aclvencDestroyFrameConfig(config: *mut aclvencFrameConfig) -> aclError;
        [optional] fn aclvencSetFrameConfigForceIFrame(config: *mut aclvencFrameConfig, force_i_frame: u8) -> aclError;
        [optional] fn aclvencGetFrameConfigForceIFrame(config: *const aclvencFrameConfig) -> u8;
        [optional] fn aclvencSetFrameConfigEos(config: *mut aclvencFrameConfig, eos: u8) -> aclError;
        [optional] fn aclvencGetFrameConfigEos(config: *const aclvencFrameConfig) -> u8;
        [optional] fn aclvencSendFrame(
            channel_desc: *mut aclvencChannelDesc, input: *mut acldvppPicDesc, reserve: *mut c_void,
            config: *mut aclvencFrameConfig, userdata: *mut c_void
        ) -> aclError;
    } };
}
