//! Descriptions of media processing: channels, pictures, streams of video, regions and configurations. A description
//! never owns the memory that it names.

use crate::abi::{Address, Name};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::handles::Table;
use crate::machine::live::Live;
use ascendcl_sys::types::*;
use core::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

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

/// Descriptions of one kind, whose C type is `C`.
pub(crate) struct Kind<C, T> {
    what: &'static str,
    table: Table<Mutex<T>>,
    _named: PhantomData<fn() -> C>,
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

impl<C, T: Clone> Kind<C, T> {
    const fn new(what: &'static str) -> Self {
        Self { what, table: Table::new(), _named: PhantomData }
    }

    pub(crate) fn create(&self, value: T) -> Name<C> {
        Name::new(self.table.add(Mutex::new(value)))
    }

    pub(crate) fn destroy(&self, name: Name<C>) -> Answer {
        self.table.remove(name.0).map(drop).ok_or_else(|| self.unknown(name))
    }

    pub(crate) fn read(&self, name: Name<C>) -> Answer<T> {
        self.table.get(name.0).map(|value| lock(&value).clone()).ok_or_else(|| self.unknown(name))
    }

    pub(crate) fn change(&self, name: Name<C>, change: impl FnOnce(&mut T)) -> Answer {
        let value = self.table.get(name.0).ok_or_else(|| self.unknown(name))?;
        change(&mut lock(&value));
        Ok(())
    }

    fn unknown(&self, name: Name<C>) -> Failure {
        Failure::invalid(match name.0 {
            0 => format!("the {} is null", self.what),
            _ => format!("this is no {}, or it was destroyed", self.what),
        })
    }
}

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

pub(crate) fn close_channel(name: Name<acldvppChannelDesc>) -> Answer {
    channel_id(name)?;
    CHANNELS.change(name, |channel| channel.id = None)
}

/// The number of a channel that was created.
pub(crate) fn channel_id(name: Name<acldvppChannelDesc>) -> Answer<u64> {
    let id = CHANNELS.read(name)?.id;
    id.ok_or_else(|| Failure::invalid("the channel of this description was not created: call acldvppCreateChannel"))
}

pub(in crate::machine) fn count(live: &mut Live) {
    let described = CHANNELS.table.len() + PICTURES.table.len() + BATCHES.table.len() + VIDEOS.table.len();
    live.media_descriptions = described + REGIONS.table.len() + RESIZES.table.len() + ENCODINGS.table.len();
}

pub(in crate::machine) fn clear() {
    CHANNELS.table.remove_all(|_| true);
    PICTURES.table.remove_all(|_| true);
    BATCHES.table.remove_all(|_| true);
    VIDEOS.table.remove_all(|_| true);
    REGIONS.table.remove_all(|_| true);
    RESIZES.table.remove_all(|_| true);
    ENCODINGS.table.remove_all(|_| true);
}
