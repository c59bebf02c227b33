// ALLOC-07: an allocator descriptor without its address function is not registered.
use ascendcl::allocator::descriptor::{AddressFn, AllocateFn, FreeFn};
use ascendcl::{Brand, Current, Error, Stream, allocator::Descriptor};
use std::ffi::c_void;
use std::ptr::NonNull;

pub struct Pool {
    pub object: NonNull<c_void>,
    pub allocate: AllocateFn,
    pub free: FreeFn,
    pub address: AddressFn,
}

pub unsafe fn register<C: Brand>(current: &Current<C>, stream: Stream<C>, pool: &Pool) -> Result<(), Error> {
    let descriptor = Descriptor::new().object(pool.object).allocate(pool.allocate).free(pool.free);
    // SAFETY: the caller vouches for the pool.
    let stream = unsafe { stream.register_descriptor(current, descriptor) }?;
    Ok(stream.destroy(current)?)
}

fn main() {}
