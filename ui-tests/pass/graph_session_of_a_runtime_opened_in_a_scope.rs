// GE-11: a session that a value keeps belongs to a runtime; a scope has a session of its own.
use ascendcl_ge::{Engine, Options};
use ascendcl::{Device, ScopeError, Thread};

pub fn program(
    engine: &Engine<'_>,
    device: &Device<'_>,
    thread: &mut Thread,
) -> Result<(), ScopeError<Option<()>>> {
    engine.session(thread, device, &Options::new(), |_session, _current| ())
}

fn main() {}
