// GE-11: a session that a value keeps belongs to a runtime; a scope has a session of its own.
use ascendcl_ge::{Engine, Options};
use ascendcl::{Device, Error, ScopeError, Thread};

pub fn program(
    engine: &Engine<'_>,
    device: &Device<'_>,
    thread: &mut Thread,
) -> Result<Result<Result<(), Error>, Error>, ScopeError<Result<Result<(), Error>, Error>>> {
    device.default_context(thread, |context, thread| {
        context.enter(thread, |current| engine.open_session(current, &Options::new()).map(drop))
    })
}

fn main() {}
