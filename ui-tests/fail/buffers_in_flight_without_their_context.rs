// CTX-02: buffers and work in flight in a struct name their context before their elements.
use ascendcl::{DeviceBuffer, HostBuffer, Pending};

ascendcl::names!(Vision);

pub type Upload = (HostBuffer<f32>, DeviceBuffer<f32>);

pub struct Job {
    pub work: Pending<Upload>,
}

fn main() {}
