// A state is a mark: its parameter can be anything.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
    state Open<F: Copy>;
}

fn main() {}
