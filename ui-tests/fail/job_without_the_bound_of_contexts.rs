// CTX-02: a struct for every context says that its parameter is one.
use ascendcl::{DeviceBuffer};

pub struct Job<C> {
    pub image: DeviceBuffer<C, f32>,
}

fn main() {}
