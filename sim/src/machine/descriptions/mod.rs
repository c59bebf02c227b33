//! Objects that only describe: of media processing, and of channels of tensors.

pub(crate) mod media;
pub(crate) mod tensor_channels;

use crate::machine::live::Live;

pub(crate) fn count(live: &mut Live) {
    media::count(live);
    tensor_channels::count(live);
}

pub(in crate::machine) fn clear() {
    media::clear();
    tensor_channels::clear();
}
