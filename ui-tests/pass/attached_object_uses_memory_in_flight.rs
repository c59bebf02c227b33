// DEV-10: what an attached object uses is idle when it is attached.
use ascendcl::raw::{Attach, EndsBefore, EndingContext};
use ascendcl::{Brand, Current, DeviceBuffer, Error, Pending};

pub struct Communicator;

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Communicator {
    const NAME: &'static str = "communicator";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

pub fn join<C: Brand>(
    current: &Current<C>,
    sum: Pending<C, DeviceBuffer<C, f32>>,
) -> Result<(), Error> {
    let _ = current.attach(Communicator, sum.wait(current)?)?;
    Ok(())
}

fn main() {}
