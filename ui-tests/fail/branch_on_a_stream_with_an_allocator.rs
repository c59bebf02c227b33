// ALLOC-10: an allocator serves one stream at a time, and a replay runs all branches of its graph.
use ascendcl::allocator::PoolAllocator;
use ascendcl::capture::Capture;
use ascendcl::{Brand, Error, Stream, stream};

pub fn branches<C: Brand>(
    capture: &mut Capture<'_, C>,
    mut side: Stream<C, stream::CustomAllocator<PoolAllocator>>,
) -> Result<(), Error> {
    let _pool: Option<PoolAllocator> = None;
    capture.fork(&mut side, |_, branch| branch.launch_host_fn(0, |_| ()))
}

fn main() {}
