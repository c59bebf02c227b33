// INIT-02: a thread that owns a runtime takes no call after it was closed.
use ascendcl::Error;
use ascendcl::runtime::{Actor, CloseError};

ascendcl::names!(Vision);

pub fn finish(actor: Actor<Vision, u8>) -> Result<u8, Error> {
    let ended = |closed: Result<(), CloseError>| drop(closed);
    ended(actor.close());
    actor.call(|_, state| *state)
}

fn main() {}
