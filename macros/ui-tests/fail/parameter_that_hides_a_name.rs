// A parameter does not stand for a type of the module.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> [*] : close;
    state Open<At, Open>;
}

fn main() {}
