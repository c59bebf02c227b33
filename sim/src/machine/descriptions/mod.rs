//! Objects that only describe: of media processing, of channels of tensors, and of queues; and the channels and queues.

mod kind;
pub(crate) mod media;
pub(crate) mod queues;
pub(crate) mod tensor_channels;

use crate::machine::live::Live;

pub(crate) fn count(live: &mut Live) {
    media::count(live);
    tensor_channels::count(live);
    queues::count(live);
}

pub(in crate::machine) fn clear() {
    media::clear();
    tensor_channels::clear();
    queues::clear();
}
