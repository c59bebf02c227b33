// What is in a state without a way to the end is never released; a failure is no way.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
    Open --> Mapped : map;
    Mapped --> Mapped : protect;
    Mapped --> [*] : unmap;
}

fn main() {}
