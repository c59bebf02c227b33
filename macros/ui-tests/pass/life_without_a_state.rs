// What is made and gone in one step has no state to be wrong in.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
}

fn main() {}
