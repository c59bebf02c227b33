use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> Open : read;
    Open --> Finished : read as end_of_data;
    Finished --> [*] : close;
}

fn main() {}
