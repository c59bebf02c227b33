// STREAM-09: inside two contexts, each stream goes with its own.
use ascendcl::{Error, Runtime, Stream};

ascendcl::names!(Vision, Speech);

pub fn both(vision: &Runtime<Vision>, speech: &Runtime<Speech>, sees: &Stream<Vision>) -> Result<(), Error> {
    vision.with(|outer| {
        speech.enter(outer, |inner| drop(inner.stream()))?;
        sees.synchronize(outer)
    })?
}

fn main() {}
