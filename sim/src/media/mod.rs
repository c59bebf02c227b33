//! Pictures: their formats in memory, scaling, and the JPEG and PNG formats. Nothing here knows of devices or streams.
//!
//! A picture is taken out of memory as an [`Image`], three planes of full size, and put back in the format of its
//! destination. Colours are converted as JPEG does it: BT.601, all 256 steps.

mod files;
mod image;
mod layout;

pub(crate) use files::{Info, decode_jpeg, decode_png, encode_jpeg, jpeg_info, png_info};
pub(crate) use image::{Image, Region, Scaling};
pub(crate) use layout::{Geometry, Layout};
