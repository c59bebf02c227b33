// Two outcomes are two variants, which differ in more than an underscore.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> Open : read;
    Open --> Open : read as not_yet;
    Open --> Finished : read as not__yet;
    Finished --> [*] : close;
}

fn main() {}
