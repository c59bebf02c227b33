// A block ends with its brace.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
    on close {
        label: "expected an open file",
    };
}

fn main() {}
