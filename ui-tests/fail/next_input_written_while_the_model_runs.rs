// DATA-10: the inputs of a queued model stay as they are until its stream was synchronised.
use ascendcl::{Error, BoundModel, Runtime, Stream, stream::DefaultAllocator};

ascendcl::names!(Vision);

pub struct Service {
    pub runtime: Runtime<Vision>,
    pub stream: Stream<Vision, DefaultAllocator>,
}

pub fn serve(service: &Service, model: BoundModel<Vision>, images: &[Vec<f32>]) -> Result<(), Error> {
    service.runtime.with(|current| {
        for image in images {
            let mut running = service.stream.execute(current, model)?;
            running.write(current, 0, image)?;
            return Ok(());
        }
        Ok(())
    })?
}

fn main() {}
