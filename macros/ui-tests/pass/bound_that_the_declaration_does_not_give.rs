// The crate that declares a protocol cannot give a state a bound that no line gives.
mod protocols {
    ascendcl_macros::protocol! {
        pub mod file;

        [*] --> Open : open;
        Open --> Mapped : map;
        Mapped --> Open : unmap;
        Open --> [*] : close;
        Mapped --> [*] : close;
    }
}

use protocols::file::{CanClose, Mapped};

fn closes<S: CanClose>() {}

fn main() {
    closes::<Mapped>();
}
