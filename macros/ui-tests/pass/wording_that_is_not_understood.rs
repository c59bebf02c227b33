// A text has one of three names, and is filled in with the state alone.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
    on close {
        message: "not in {Self}",
        note: "open it",
        note: "{{}} is a set",
    }
}

fn main() {}
