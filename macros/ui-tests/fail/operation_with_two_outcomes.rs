// An operation leads to one state; another outcome is another operation, or its failure.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> Read : read;
    Open --> Ended : read;
    Read --> [*] : close;
    Ended --> [*] : close;
}

fn main() {}
