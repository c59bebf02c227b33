// A life starts at `[*]`, by an operation that is done.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
}

fn main() {}
