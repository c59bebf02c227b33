// A line is said once.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
    Open --> [*] : close;
}

fn main() {}
