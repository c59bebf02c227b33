// GE-11: the engine is finalised after its last session.
use ascendcl_ge::{Engine, Options};
use ascendcl::{Device, Error, Thread};

pub fn program(engine: Engine<'_>, thread: &mut Thread, device: &Device<'_>) -> Result<(), Error> {
    let _ended = engine.session(thread, device, &Options::new(), |_session, _current| true);
    Ok(engine.close()?)
}

fn main() {}
