//! Descriptions of media processing: channels, pictures, streams of video, regions and configurations. A description
//! never owns the memory that it names.

use super::kind::Kind;
use crate::abi::{Address, Name};
use crate::failure::{Answer, Failure};
use crate::machine::live::Live;
use ascendcl_rules::{DATA_05, Object};
use ascendcl_sys::types::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A picture: where it is, and how it lies there.
#[derive(Clone, Copy)]
pub(crate) struct Picture {
    pub(crate) data: Address,
    pub(crate) size: u32,
    pub(crate) format: acldvppPixelFormat,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) width_stride: u32,
    pub(crate) height_stride: u32,
    pub(crate) ret_code: u32,
}

/// A piece of a video.
#[derive(Clone, Copy)]
pub(crate) struct Video {
    pub(crate) data: Address,
    pub(crate) size: u32,
    pub(crate) format: acldvppStreamFormat,
    pub(crate) timestamp: u64,
    pub(crate) ret_code: u32,
    pub(crate) eos: u8,
}

/// A region of a picture; each edge belongs to it.
#[derive(Clone, Copy)]
pub(crate) struct Edges {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) top: u32,
    pub(crate) bottom: u32,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Channel {
    pub(crate) mode: u32,
    /// From its creation to its destruction.
    id: Option<u64>,
}

pub(crate) static CHANNELS: Kind<acldvppChannelDesc, Channel> = Kind::new("channel description");
pub(crate) static PICTURES: Kind<acldvppPicDesc, Picture> = Kind::new("picture description");
/// Pictures that begin and end together.
pub(crate) static BATCHES: Kind<acldvppBatchPicDesc, Arc<[Name<acldvppPicDesc>]>> = Kind::new("batch of pictures");
pub(crate) static VIDEOS: Kind<acldvppStreamDesc, Video> = Kind::new("stream description");
pub(crate) static REGIONS: Kind<acldvppRoiConfig, Edges> = Kind::new("region");
/// The number of the interpolation.
pub(crate) static RESIZES: Kind<acldvppResizeConfig, u32> = Kind::new("resize configuration");
/// The level of quality.
pub(crate) static ENCODINGS: Kind<acldvppJpegeConfig, u32> = Kind::new("JPEG configuration");
/// Parameters of a model's preprocessing: for how many pictures.
pub(crate) static PREPROCESSINGS: Kind<aclmdlAIPP, u64> = Kind::new("set of parameters");

impl Default for Picture {
    fn default() -> Self {
        Self {
            data: Address::NULL,
            size: 0,
            format: acldvppPixelFormat::PIXEL_FORMAT_YUV_400,
            width: 0,
            height: 0,
            width_stride: 0,
            height_stride: 0,
            ret_code: 0,
        }
    }
}

impl Default for Video {
    fn default() -> Self {
        let format = acldvppStreamFormat::H265_MAIN_LEVEL;
        Self { data: Address::NULL, size: 0, format, timestamp: 0, ret_code: 0, eos: 0 }
    }
}

pub(crate) fn open_channel(name: Name<acldvppChannelDesc>) -> Answer {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    if CHANNELS.read(name)?.id.is_some() {
        return Err(Failure::invalid("the channel of this description was created before"));
    }
    CHANNELS.change(name, |channel| channel.id = Some(NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// A channel goes before its description (DVPP-02).
pub(crate) fn forget_channel(name: Name<acldvppChannelDesc>) -> Answer {
    if CHANNELS.read(name)?.id.is_some() {
        return Err(Failure::invalid(
            "the channel of this description was not destroyed: call acldvppDestroyChannel first",
        ));
    }
    CHANNELS.destroy(name)
}

pub(crate) fn close_channel(name: Name<acldvppChannelDesc>) -> Answer {
    channel_id(name)?;
    CHANNELS.change(name, |channel| channel.id = None)
}

/// The number of a channel that was created.
pub(crate) fn channel_id(name: Name<acldvppChannelDesc>) -> Answer<u64> {
    let id = CHANNELS.read(name)?.id;
    id.ok_or_else(|| {
        let text = "the channel of this description was not created, or was destroyed: call acldvppCreateChannel";
        let fix = "create each channel before its work, and destroy it once";
        let failure = Failure::invalid(text).breaks(DATA_05, "a channel that was created and not destroyed", fix);
        failure.about(Object::channel(name.0 as u64))
    })
}

pub(in crate::machine) fn count(live: &mut Live) {
    let described = CHANNELS.len() + PICTURES.len() + BATCHES.len() + VIDEOS.len();
    live.media_descriptions = described + REGIONS.len() + RESIZES.len() + ENCODINGS.len();
    live.media_descriptions += PREPROCESSINGS.len();
}

pub(in crate::machine) fn clear() {
    CHANNELS.clear();
    PICTURES.clear();
    BATCHES.clear();
    VIDEOS.clear();
    REGIONS.clear();
    RESIZES.clear();
    ENCODINGS.clear();
    PREPROCESSINGS.clear();
}
