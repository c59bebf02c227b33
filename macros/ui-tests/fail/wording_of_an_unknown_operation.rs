// `on` speaks of an operation of the lines.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
    on clsoe {
        note: "FILE-01: what was opened is closed once",
    }
}

fn main() {}
