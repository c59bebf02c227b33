// A failed operation leads to one state.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> Open : read;
    Open --> Broken : read fails;
    Open --> [*] : close fails;
    Open --> [*] : close;
    Broken --> [*] : close;
}

fn main() {}
