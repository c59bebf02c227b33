// CTX-02: a struct for every context says that its parameter is one.
use ascendcl::{Brand, DeviceBuffer};

pub struct Job<C: Brand> {
    pub image: DeviceBuffer<C, f32>,
}

fn main() {}
