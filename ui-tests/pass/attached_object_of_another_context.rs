// STREAM-09: an attached object is used in the context that it was attached to.
use ascendcl::raw::{Attach, Attached, EndsBefore, EndingContext};
use ascendcl::{Current, Error, Runtime};

ascendcl::names! { pub Vision, pub Speech }

pub struct Communicator;

// SAFETY: it stands for nothing in the library.
unsafe impl Attach for Communicator {
    const NAME: &'static str = "communicator";
    const ENDS_BEFORE: EndsBefore = EndsBefore::Streams;

    fn take_down(&self, _: &EndingContext<'_>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

pub fn mix(vision: &Runtime<Vision>, joined: &Attached<Vision, Communicator>) -> Result<(), Error> {
    vision.with(|current: &mut Current<Vision>| joined.get(current).map(|_| ()))?
}

fn main() {}
