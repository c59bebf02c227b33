// Names that differ in case alone are one name to a reader.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> ReadOnly : open;
    ReadOnly --> Readonly : seek;
    Readonly --> [*] : close;
}

fn main() {}
