//! Says which graph engine programs of this build get, or what to install: `cargo run -p ascendcl-ge-sys --example installed`.

use ascendcl_ge_sys::{Library, Place};
use std::process::ExitCode;

fn main() -> ExitCode {
    // SAFETY: `Library::load` asks for a file that is a shim. It was built with this crate, or is named as a shim by
    // whoever runs this.
    match unsafe { Library::load(&Place::Installed) } {
        Ok(library) => {
            println!("{}", library.path().display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
