//! The streams there are, by their numbers.

use crate::failure::Answer;
use crate::machine::device::Device;
use crate::machine::handles::{Numbers, Table};
use crate::machine::streams::stopping;
use crate::machine::streams::stream::{Kind, Stream};
use crate::machine::watch;
use crate::machine::workers::served::{self, Served};
use ascendcl_sys::types::aclrtStream;
use std::sync::Arc;

pub(in crate::machine) static STREAMS: Table<Stream> = Table::new();

/// The numbers of streams.
static NUMBERS: Numbers = Numbers::new();

/// A new stream of the context that has this number.
pub(crate) fn create(context: usize, device: &Arc<Device>, kind: Kind) -> Answer<Arc<Stream>> {
    let id = device.take_stream()?;
    let number = NUMBERS.take();
    let stream = Arc::new(Stream::new(number, context, device, id, kind));
    served::enter(Arc::clone(&stream) as Arc<dyn Served>);
    STREAMS.insert(number, Arc::clone(&stream));
    stopping::join(&stream);
    Ok(stream)
}

/// The stream has ended: nothing leads from the number to it any more.
pub(in crate::machine) fn give_back(number: usize) {
    NUMBERS.give_back(number);
}

/// Destroyed streams whose work is not over.
static ENDING: Table<Stream> = Table::new();

/// While this exists, a thread waits for the last work of the stream.
pub(in crate::machine) struct Ending(usize);

impl Ending {
    pub(in crate::machine) fn of(stream: &Arc<Stream>) -> Self {
        ENDING.insert(stream.number(), Arc::clone(stream));
        Self(stream.number())
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        ENDING.remove(self.0);
        served::leave(self.0);
    }
}

/// The stream with this number, also one that is about to end.
pub(in crate::machine) fn with_number(number: usize) -> Option<Arc<Stream>> {
    STREAMS.get(number).or_else(|| ENDING.get(number))
}

/// The live stream with this number.
pub(crate) fn numbered(number: usize) -> Option<Arc<Stream>> {
    STREAMS.get(number)
}

pub(in crate::machine) fn find(handle: aclrtStream) -> Answer<Arc<Stream>> {
    STREAMS.get(handle.0.addr()).ok_or_else(|| watch::not_there(handle, "stream"))
}

/// The live streams of a context.
pub(crate) fn of_context(context: usize) -> Vec<Arc<Stream>> {
    STREAMS.select(|stream| stream.context() == context)
}

/// The live streams of a device, of all contexts.
pub(crate) fn of_device(device: u32) -> Vec<Arc<Stream>> {
    STREAMS.select(|stream| stream.device().id() == device)
}

/// The streams of the context of this stream. When that has ended they are those that have not: the next default context of
/// the device has the same number.
pub(in crate::machine) fn of_context_of(stream: &Stream) -> Vec<Arc<Stream>> {
    let same = |other: &Stream| other.context() == stream.context();
    match stream.has_lost_its_context() {
        false => STREAMS.select(same),
        true => ENDING.select(|other| same(other) && other.has_lost_its_context()),
    }
}

/// How many streams of callers there are.
pub(crate) fn count() -> usize {
    STREAMS.select(|stream| !stream.is_default() && !stream.is_of_model()).len()
}
