// DATA-10: the inputs of a queued model stay as they are until its stream was synchronised.
use ascendcl::{Error, Plain, Prepared, Runtime, Stream};

ascendcl::names!(Vision);

pub struct Service {
    pub runtime: Runtime<Vision>,
    pub stream: Stream<Vision, Plain>,
}

pub fn serve(service: &Service, model: Prepared<Vision>, images: &[Vec<f32>]) -> Result<(), Error> {
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
