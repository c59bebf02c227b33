//! Buffers: memory of the device, and pinned memory of the host.

mod arena;
mod device;
mod host;
mod pages;
mod policy;
mod rows;
mod shared;
mod unwritten;

pub use crate::device_allocator::DeviceAddress;
use crate::error::Error;
use crate::ffi::{MOST_BYTES, RawBuffer, beyond_all_memory};

pub use arena::{DeviceArena, bytes_in_arena};
pub use device::DeviceBuffer;
pub(crate) use device::ReachedByTheHost;
pub use host::HostBuffer;
pub use pages::Pages;
pub use policy::MemoryPolicy;
pub use rows::Rows;
pub use shared::SharedBuffer;

/// The bytes of `length` elements. An error for a length that no memory can hold.
#[inline(always)]
fn bytes<E>(length: usize) -> Result<usize, Error> {
    let bytes = length.checked_mul(size_of::<E>()).filter(|bytes| *bytes <= MOST_BYTES);
    // Not `ok_or`: the error would be made and dropped each time.
    bytes.ok_or_else(|| beyond_all_memory(usize::MAX))
}

/// An error unless the whole block can be used as elements of type `F`.
pub(crate) fn check_cast<F>(block: &RawBuffer) -> Result<(), Error> {
    check_elements(block, size_of::<F>().max(1), align_of::<F>())
}

/// An error unless the whole block can be used as elements of this size and alignment.
pub(crate) fn check_elements(block: &RawBuffer, size: usize, alignment: usize) -> Result<(), Error> {
    let (bytes, past) = (block.bytes(), block.start().addr() % alignment);
    if past == 0 && bytes.is_multiple_of(size) {
        return Ok(());
    }
    Err(Error::CannotCast { bytes, size, past, alignment })
}
