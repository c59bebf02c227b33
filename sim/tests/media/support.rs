//! Pictures to work with.

use crate::world::{from_device, on_device};
use ascendcl_sys::types::*;
use core::ffi::c_void;

pub(crate) const GRAY: acldvppPixelFormat = acldvppPixelFormat::PIXEL_FORMAT_YUV_400;
pub(crate) const NV12: acldvppPixelFormat = acldvppPixelFormat::PIXEL_FORMAT_YUV_SEMIPLANAR_420;
pub(crate) const NV21: acldvppPixelFormat = acldvppPixelFormat::PIXEL_FORMAT_YVU_SEMIPLANAR_420;
pub(crate) const RGB: acldvppPixelFormat = acldvppPixelFormat::PIXEL_FORMAT_RGB_888;
pub(crate) const BGR: acldvppPixelFormat = acldvppPixelFormat::PIXEL_FORMAT_BGR_888;

/// A channel that was created, for tests that queue work.
pub(crate) fn channel() -> *mut acldvppChannelDesc {
    let channel = call!(media::acldvppCreateChannelDesc());
    ok!(media::acldvppCreateChannel(channel));
    channel
}

/// A picture in the memory of the device.
pub(crate) struct Picture {
    pub(crate) desc: *mut acldvppPicDesc,
    data: *mut c_void,
    size: usize,
}

impl Picture {
    /// With rows of exactly this many bytes, and as many rows in a plane as the picture has.
    pub(crate) fn new(format: acldvppPixelFormat, [width, height]: [u32; 2], stride: u32, bytes: &[u8]) -> Self {
        let desc = call!(media::acldvppCreatePicDesc());
        let data = on_device(bytes);
        ok!(media::acldvppSetPicDescData(desc, data));
        ok!(media::acldvppSetPicDescSize(desc, bytes.len() as u32));
        ok!(media::acldvppSetPicDescFormat(desc, format));
        ok!(media::acldvppSetPicDescWidth(desc, width));
        ok!(media::acldvppSetPicDescHeight(desc, height));
        ok!(media::acldvppSetPicDescWidthStride(desc, stride));
        ok!(media::acldvppSetPicDescHeightStride(desc, height));
        Self { desc, data, size: bytes.len() }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        from_device(self.data, self.size)
    }
}

/// Waits for the default stream.
pub(crate) fn wait() {
    ok!(stream::aclrtSynchronizeStream(aclrtStream::NULL));
}
