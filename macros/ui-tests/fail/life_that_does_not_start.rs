// A life starts at `[*]`, by an operation that is done.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open fails;
    Open --> [*] : close;
}

fn main() {}
