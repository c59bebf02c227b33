// A rule is named once.
extern crate self as ascendcl_rules;

use ascendcl_macros::{proves, rule};

pub const FILE_01: &str = "FILE-01";

#[macro_export]
macro_rules! doc_file {
    (FILE_01) => {
        "* FILE-01: what was opened is closed"
    };
    ($unknown:ident) => {
        compile_error!(concat!("no rule has the id ", stringify!($unknown)))
    };
}

pub struct File;

impl File {
    #[rule(FILE_01, FILE_01)]
    pub fn close(self) {}
}

#[proves(FILE_01)]
fn closed_file_is_gone() {
    File.close();
}

fn main() {
    closed_file_is_gone();
}
