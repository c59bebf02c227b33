// A state diagram has one arrow, and every wrong one is reported.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> Read : read;
    Read --> Read : seek;
    Read --> [*] : close;
}

fn main() {}
