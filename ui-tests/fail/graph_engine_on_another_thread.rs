// GE-10: the engine is initialised and finalised on one thread.
use ascendcl_ge::Engine;
use std::thread::{Scope, ScopedJoinHandle};

pub fn program<'s>(scope: &'s Scope<'s, '_>, engine: Engine<'s>) -> ScopedJoinHandle<'s, bool> {
    scope.spawn(move || engine.close().is_ok())
}

fn main() {}
