use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> Open : open;
    Open --> Open : read;
    Open --> Open : read as not_yet;
    Open --> Finished : read as end_of_data;
    Finished --> [*] : close;
}

fn main() {}
