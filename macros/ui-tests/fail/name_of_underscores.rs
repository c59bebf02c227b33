// A name is a word. It may be of a script without upper case.
use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> __ : _打开;
    __ --> [*] : 关闭;
}

fn main() {}
