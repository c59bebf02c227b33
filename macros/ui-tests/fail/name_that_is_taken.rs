// The module has its own names beside those of the declaration.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Monitor : open;
    Monitor --> End : read;
    End --> CanClose : seek;
    CanClose --> [*] : close;
    CanClose --> CanClose : self;
}

fn main() {}
