// A state that no life comes to is a mistake in a line.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
    Open --> Mapped : map;
    Mapped --> Open : unmap;
}

fn main() {}
