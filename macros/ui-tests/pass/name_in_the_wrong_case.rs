// A state is a type, and an operation is named as the functions are.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> ReadOnly : open_file;
    ReadOnly --> [*] : close;
}

fn main() {}
