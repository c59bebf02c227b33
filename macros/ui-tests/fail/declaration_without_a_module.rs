// A declaration starts with the module that it makes.
use ascendcl_macros::protocol;

protocol! {
    protocol file;
    [*] --> Open : open;
    Open --> [*] : close;
}

fn main() {}
