// MEM-12: the elements of a runtime's buffer are copied while their memory is there.
use ascendcl::{Error, HostBuffer, Runtime};

ascendcl::names!(Vision);

pub struct Engine {
    runtime: Runtime<Vision>,
    scores: HostBuffer<Vision, f32>,
}

impl Engine {
    pub fn scores(&self) -> Result<Vec<f32>, Error> {
        self.runtime.with(|current| {
            let _ = current;
            Ok(self.scores.to_vec())
        })?
    }
}

fn main() {}
