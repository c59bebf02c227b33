// DEV-09: an object of another library says how it is taken down.
use ascendcl::raw::{Attach, EndingContext, EndsBefore};
use ascendcl::{Brand, Current, Error, Stream};

pub struct Communicator(pub u64);

pub struct Named<T>(pub T);

// SAFETY: the object holds a number, and there is nothing to take down.
unsafe impl Attach for Communicator {
    const NAME: &'static str = "communicator";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

pub fn attach<C: Brand>(current: &Current<C>, stream: Stream<C>, id: u64) -> Result<(), Error> {
    current.attach(Communicator(id), stream)?;
    Ok(())
}

fn main() {}
