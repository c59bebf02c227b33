// The lines follow the module.
use ascendcl_macros::protocol;

protocol! {
    pub mod file {}
        [*] --> Open : open;
        Open --> [*] : close;
}

fn main() {}
