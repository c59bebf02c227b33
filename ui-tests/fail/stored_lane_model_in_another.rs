// MODEL-04: stored lanes have names; a model of one is no model of the other.
use ascendcl::lane::{SharedWorkspace, WorkspaceLane};
use ascendcl::stream::DefaultAllocator;
use ascendcl::{Error, Input, Model, Outputs, Runtime};

ascendcl::names!(Vision, Digits, Faces);

pub struct Engine {
    runtime: Runtime<Vision>,
    digits: WorkspaceLane<'static, Vision, DefaultAllocator, Digits>,
    faces: WorkspaceLane<'static, Vision, DefaultAllocator, Faces>,
    model: Model<Vision, SharedWorkspace<'static, Digits>>,
}

impl Engine {
    pub fn infer(&mut self, images: &[f32]) -> Result<Outputs, Error> {
        let Self { runtime, digits, faces, model } = self;
        let _ = (&digits, &faces);
        runtime.with(|current| faces.run(current, model, &[Input::new(&[8, 64], images)?]))?
    }
}

fn main() {}
