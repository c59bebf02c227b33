// The crate that declares a protocol cannot give a state a bound that no line gives.
mod protocols {
    ascendcl_macros::protocol! {
        pub mod file;

        [*] --> Open : open;
        Open --> Mapped : map;
        Mapped --> Open : unmap;
        Open --> [*] : close;
    }
}

use protocols::file::{At, CanClose, Mapped};

impl CanClose for Mapped {
    const THEN: At = At::End;
    const OTHERWISE: At = At::Mapped;
}

fn main() {}
