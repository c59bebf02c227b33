// MEM-12: host memory of a runtime is written while its context is current.
use ascendcl::{Error, HostBuffer, Runtime};

ascendcl::names!(Vision);

pub struct Frame {
    pub pixels: HostBuffer<Vision, f32>,
}

pub fn clear(runtime: &Runtime<Vision>, frame: &mut Frame) -> Result<(), Error> {
    runtime.with(|current| {
        let _ = &current;
        frame.pixels.slice_mut(current)?[0] = 0.0;
        Ok(())
    })?
}

fn main() {}
