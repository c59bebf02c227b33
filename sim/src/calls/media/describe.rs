//! What describes pictures.

use crate::abi::{Address, Name};
use crate::calls::model::told;
use crate::failure::{Answer, Failure};
use crate::machine::contexts::context::current_context;
use crate::machine::descriptions::media::{
    CHANNELS, Channel, ENCODINGS, Edges, PICTURES, Picture, REGIONS, RESIZES, VIDEOS, Video, channel_id, close_channel,
    forget_channel, open_channel,
};
use crate::machine::watch;
use ascendcl_rules::{Object, Op};
use ascendcl_sys::types::*;

pub(crate) fn acldvppCreateChannelDesc() -> Option<Name<acldvppChannelDesc>> {
    Some(CHANNELS.create(Channel::default()))
}

pub(crate) fn acldvppDestroyChannelDesc(name: Name<acldvppChannelDesc>) -> Answer {
    // Nothing changes but that the channel cannot be named any more.
    watch::call(Op::Change, name).begin()?.end(forget_channel(name))
}

pub(crate) fn acldvppSetChannelDescMode(name: Name<acldvppChannelDesc>, mode: u32) -> Answer {
    CHANNELS.change(name, |channel| channel.mode = mode)
}

pub(crate) fn acldvppGetChannelDescChannelId(name: Name<acldvppChannelDesc>) -> u64 {
    told(channel_id(name)).unwrap_or_default()
}

pub(crate) fn acldvppCreateChannel(name: Name<acldvppChannelDesc>) -> Answer {
    current_context()?;
    let call = watch::call(Op::Create, Object::channel(0)).begin()?;
    open_channel(name)?;
    call.made(name.0);
    Ok(())
}

pub(crate) fn acldvppDestroyChannel(name: Name<acldvppChannelDesc>) -> Answer {
    watch::call(Op::Destroy, name).begin()?.end(close_channel(name))
}

pub(crate) fn acldvppCreatePicDesc() -> Option<Name<acldvppPicDesc>> {
    Some(PICTURES.create(Picture::default()))
}

pub(crate) fn acldvppDestroyPicDesc(name: Name<acldvppPicDesc>) -> Answer {
    PICTURES.destroy(name)
}

pub(crate) fn acldvppCreateStreamDesc() -> Option<Name<acldvppStreamDesc>> {
    Some(VIDEOS.create(Video::default()))
}

pub(crate) fn acldvppDestroyStreamDesc(name: Name<acldvppStreamDesc>) -> Answer {
    VIDEOS.destroy(name)
}

macro_rules! members {
    ($kind:ident, $name:ty: $($field:ident: $ty:ty, $set:ident, $get:ident, $none:expr;)*) => { $(
        pub(crate) fn $set(name: Name<$name>, value: $ty) -> Answer {
            $kind.change(name, |described| described.$field = value)
        }

        pub(crate) fn $get(name: Name<$name>) -> $ty {
            told($kind.read(name)).map_or($none, |described| described.$field)
        }
    )* };
}
members! {
    PICTURES, acldvppPicDesc:
    size: u32, acldvppSetPicDescSize, acldvppGetPicDescSize, 0;
    format: acldvppPixelFormat, acldvppSetPicDescFormat, acldvppGetPicDescFormat, acldvppPixelFormat::PIXEL_FORMAT_YUV_400;
    width: u32, acldvppSetPicDescWidth, acldvppGetPicDescWidth, 0;
    height: u32, acldvppSetPicDescHeight, acldvppGetPicDescHeight, 0;
    width_stride: u32, acldvppSetPicDescWidthStride, acldvppGetPicDescWidthStride, 0;
    height_stride: u32, acldvppSetPicDescHeightStride, acldvppGetPicDescHeightStride, 0;
    ret_code: u32, acldvppSetPicDescRetCode, acldvppGetPicDescRetCode, 0;
}
members! {
    VIDEOS, acldvppStreamDesc:
    size: u32, acldvppSetStreamDescSize, acldvppGetStreamDescSize, 0;
    format: acldvppStreamFormat, acldvppSetStreamDescFormat, acldvppGetStreamDescFormat, acldvppStreamFormat::H265_MAIN_LEVEL;
    timestamp: u64, acldvppSetStreamDescTimestamp, acldvppGetStreamDescTimestamp, 0;
    ret_code: u32, acldvppSetStreamDescRetCode, acldvppGetStreamDescRetCode, 0;
    eos: u8, acldvppSetStreamDescEos, acldvppGetStreamDescEos, 0;
}

pub(crate) fn acldvppSetPicDescData(name: Name<acldvppPicDesc>, data: Address) -> Answer {
    PICTURES.change(name, |picture| picture.data = data)
}

pub(crate) fn acldvppGetPicDescData(name: Name<acldvppPicDesc>) -> Option<Address> {
    told(PICTURES.read(name)).map(|picture| picture.data)
}

pub(crate) fn acldvppSetStreamDescData(name: Name<acldvppStreamDesc>, data: Address) -> Answer {
    VIDEOS.change(name, |video| video.data = data)
}

pub(crate) fn acldvppGetStreamDescData(name: Name<acldvppStreamDesc>) -> Option<Address> {
    told(VIDEOS.read(name)).map(|video| video.data)
}

pub(crate) fn acldvppCreateRoiConfig(left: u32, right: u32, top: u32, bottom: u32) -> Option<Name<acldvppRoiConfig>> {
    Some(REGIONS.create(Edges { left, right, top, bottom }))
}

pub(crate) fn acldvppDestroyRoiConfig(name: Name<acldvppRoiConfig>) -> Answer {
    REGIONS.destroy(name)
}

pub(crate) fn acldvppSetRoiConfigLeft(name: Name<acldvppRoiConfig>, left: u32) -> Answer {
    REGIONS.change(name, |edges| edges.left = left)
}

pub(crate) fn acldvppSetRoiConfigRight(name: Name<acldvppRoiConfig>, right: u32) -> Answer {
    REGIONS.change(name, |edges| edges.right = right)
}

pub(crate) fn acldvppSetRoiConfigTop(name: Name<acldvppRoiConfig>, top: u32) -> Answer {
    REGIONS.change(name, |edges| edges.top = top)
}

pub(crate) fn acldvppSetRoiConfigBottom(name: Name<acldvppRoiConfig>, bottom: u32) -> Answer {
    REGIONS.change(name, |edges| edges.bottom = bottom)
}

pub(crate) fn acldvppSetRoiConfig(
    name: Name<acldvppRoiConfig>,
    left: u32,
    right: u32,
    top: u32,
    bottom: u32,
) -> Answer {
    REGIONS.change(name, |edges| *edges = Edges { left, right, top, bottom })
}

pub(crate) fn acldvppCreateResizeConfig() -> Option<Name<acldvppResizeConfig>> {
    Some(RESIZES.create(0))
}

pub(crate) fn acldvppDestroyResizeConfig(name: Name<acldvppResizeConfig>) -> Answer {
    RESIZES.destroy(name)
}

pub(crate) fn acldvppSetResizeConfigInterpolation(name: Name<acldvppResizeConfig>, interpolation: u32) -> Answer {
    RESIZES.change(name, |number| *number = interpolation)
}

pub(crate) fn acldvppGetResizeConfigInterpolation(name: Name<acldvppResizeConfig>) -> u32 {
    told(RESIZES.read(name)).unwrap_or_default()
}

/// The best quality, until something else is set.
pub(crate) fn acldvppCreateJpegeConfig() -> Option<Name<acldvppJpegeConfig>> {
    Some(ENCODINGS.create(100))
}

pub(crate) fn acldvppDestroyJpegeConfig(name: Name<acldvppJpegeConfig>) -> Answer {
    ENCODINGS.destroy(name)
}

pub(crate) fn acldvppSetJpegeConfigLevel(name: Name<acldvppJpegeConfig>, level: u32) -> Answer {
    if level > 100 {
        return Err(Failure::invalid(format!("found level {level}, expected a level from 0 to 100")));
    }
    ENCODINGS.change(name, |number| *number = level)
}

pub(crate) fn acldvppGetJpegeConfigLevel(name: Name<acldvppJpegeConfig>) -> u32 {
    told(ENCODINGS.read(name)).unwrap_or_default()
}
