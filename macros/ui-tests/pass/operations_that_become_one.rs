// Two operations are two variants, which differ in more than case.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> Open : read_1;
    Open --> Open : read_2;
    Open --> Open : seek_to;
    Open --> Open : seek_by;
    Open --> [*] : close;
}

fn main() {}
