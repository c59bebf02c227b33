// A line ends with `;`, and names its operation before that.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> Read : read;
    Read --> Open : rewind;
    Open --> [*] : close;
}

fn main() {}
