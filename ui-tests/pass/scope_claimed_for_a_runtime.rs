// MEM-12: the context of a runtime is no scope, whatever a program says of its name.
use ascendcl::{HostBuffer, InScope};

fn first<C: InScope>(image: &HostBuffer<C, f32>) -> f32 {
    image[0]
}

fn main() {}
