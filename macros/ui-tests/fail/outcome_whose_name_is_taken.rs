use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> Open : read;
    Open --> Finished : read as done;
    Finished --> [*] : close;
}

fn main() {}
