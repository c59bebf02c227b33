// ALLOC-07: each member of an allocator descriptor is set once.
use ascendcl::allocator::Descriptor;
use ascendcl::allocator::descriptor::{AllocateFn, FreeFn};

pub fn describe(allocate: AllocateFn, allocate_faster: AllocateFn, free: FreeFn) {
    let descriptor = Descriptor::new().allocate(allocate).free(free);
    let _ = (descriptor, allocate_faster);
}

fn main() {}
