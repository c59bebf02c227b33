// A state is a type, and an operation is named as the functions are.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> read_only : openFile;
    read_only --> [*] : Close;
}

fn main() {}
