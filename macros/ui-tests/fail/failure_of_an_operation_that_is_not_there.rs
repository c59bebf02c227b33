// Only what can be done can fail.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> Broken : read fails;
    Open --> [*] : close;
    Broken --> [*] : close;
}

fn main() {}
