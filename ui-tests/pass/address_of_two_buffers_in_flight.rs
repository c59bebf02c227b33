// COPY-04: two buffers are in flight, and each has an address.
use ascendcl::{Brand, DeviceBuffer, HostBuffer, Pending};
use std::ffi::c_void;

pub type Upload<C> = Pending<C, (HostBuffer<C, f32>, DeviceBuffer<C, f32>)>;

pub fn address<C: Brand>(work: Upload<C>) -> *mut c_void {
    let (_source, target) = work.split();
    target.as_raw()
}

fn main() {}
