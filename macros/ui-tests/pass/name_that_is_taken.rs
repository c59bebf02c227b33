// The module has its own names beside those of the declaration.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> Read : read;
    Read --> Sought : seek;
    Sought --> [*] : close;
    Sought --> Sought : itself;
}

fn main() {}
