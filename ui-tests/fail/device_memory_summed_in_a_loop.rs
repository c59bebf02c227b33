// MEM-10: the host cannot access device memory, element by element neither.
use ascendcl::{DeviceBuffer, Error, Runtime};

ascendcl::names!(Vision);

pub fn sum(runtime: &Runtime<Vision>, scores: &DeviceBuffer<Vision, f32>) -> Result<f32, Error> {
    runtime.with(|current| {
        let _ = &current;
        let scores = scores;
        Ok((0..scores.len()).map(|index| scores[index]).sum())
    })?
}

fn main() {}
