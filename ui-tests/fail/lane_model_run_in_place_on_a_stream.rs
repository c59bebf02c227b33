// MODEL-05: models that share a working memory all use its one stream, also when a struct keeps them.
use ascendcl::lane::{SharedWorkspace, WorkspaceLane};
use ascendcl::{BoundModel, Current, Error, Stream, stream::DefaultAllocator};

ascendcl::names!(Vision, Digits);

pub struct Classifier {
    lane: WorkspaceLane<'static, Vision, DefaultAllocator, Digits>,
    stream: Stream<Vision, DefaultAllocator>,
    model: BoundModel<Vision, SharedWorkspace<'static, Digits>>,
}

impl Classifier {
    pub fn run(&mut self, current: &Current<Vision>) -> Result<Vec<f32>, Error> {
        let _ = (&self.lane, &self.stream);
        self.stream.run_bound(current, &mut self.model)?;
        self.model.read(current, 0)
    }
}

fn main() {}
