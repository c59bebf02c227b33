// CTX-02: a struct says of which context its runtime and its tensors are.
use ascendcl::operator::DeviceTensor;
use ascendcl::{Event, Runtime};

ascendcl::names!(Vision);

pub struct Worker {
    pub weights: DeviceTensor<f32>,
    pub done: Event,
    pub runtime: Runtime,
}

fn main() {}
