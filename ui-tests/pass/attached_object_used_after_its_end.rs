// DEV-10: an object that was taken down is nothing any more.
use ascendcl::raw::{Attach, Attached, EndsBefore, EndingContext};
use ascendcl::{Brand, Current, Error, Stream};

pub struct Communicator;

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Communicator {
    const NAME: &'static str = "communicator";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

pub fn end<C: Brand>(current: &Current<C>, joined: Attached<C, Communicator, Stream<C>>) -> Result<(), Error> {
    joined.get(current)?;
    let stream = joined.take_down(current)?;
    stream.destroy(current)?;
    Ok(())
}

fn main() {}
