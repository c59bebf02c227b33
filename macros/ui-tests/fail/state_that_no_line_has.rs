// `state` speaks of a state of the lines, once.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
    /// Anyone can read it.
    state Opened;
    state Open;
    state Open<F>;
}

fn main() {}
