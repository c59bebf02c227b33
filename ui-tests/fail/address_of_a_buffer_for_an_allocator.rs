// MEM-10: an address of the device is for the library; an allocator has it of memory that it keeps.
use ascendcl::memory::DeviceAddress;
use ascendcl::{Brand, Current, Error};
use std::ptr::NonNull;

pub fn address<C: Brand>(current: &Current<C>) -> Result<Option<DeviceAddress>, Error> {
    let block = current.device_buffer::<u8>(4096)?;
    Ok(NonNull::new(block.as_mut_ptr().cast()).map(DeviceAddress::from))
}

fn main() {}
