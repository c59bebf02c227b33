// MEM-12: the context of a runtime is no scope, whatever a program says of its name.
use ascendcl::{HostBuffer, InScope};

ascendcl::names!(Vision);

impl InScope for Vision {}

fn first(image: &HostBuffer<Vision, f32>) -> f32 {
    image[0]
}

fn main() {}
