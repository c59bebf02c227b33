// MEM-12: host memory of a runtime is read while its context is current.
use ascendcl::HostBuffer;

ascendcl::names!(Vision);

fn first(image: &HostBuffer<Vision, f32>) -> f32 {
    image[0]
}

fn main() {}
