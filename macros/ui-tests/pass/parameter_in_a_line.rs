// A line is also a line for Mermaid, which knows no parameters.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
    state Open<F>;
}

fn main() {}
