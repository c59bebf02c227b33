//! Keeps the pages of the book true: programs, quotes, links, pictures and generated pages.
//!
//! The programs of the pages are documentation tests of this package. `tests/pages.rs` does the rest.

#![forbid(unsafe_code)]

pub mod functions;
pub mod life_cycles;
pub mod links;
pub mod picture;
pub mod quotes;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of the repository.
pub fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The pages by their file names, in alphabetical order.
///
/// # Errors
///
/// A page that cannot be read.
pub fn pages() -> io::Result<Vec<(String, String)>> {
    let folder = repository().join("book/pages");
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "md") {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            pages.push((name, fs::read_to_string(&path)?));
        }
    }
    pages.sort();
    Ok(pages)
}

/// Declares the pages with programs, for the documentation tests.
#[cfg(doctest)]
macro_rules! programs {
    ($($name:ident $page:literal)*) => { $(
        #[doc = include_str!(concat!("../pages/", $page))]
        pub struct $name;
    )* };
}

#[cfg(doctest)]
programs! {
    Tour "tour.md"
    Concepts "concepts.md"
    Memory "memory.md"
    Streams "streams.md"
    Models "models.md"
    Allocators "allocators.md"
    Services "services.md"
    Threads "threads.md"
    Foreign "foreign.md"
    Errors "errors.md"
    Simulator "simulator.md"
    FromCpp "from-cpp.md"
    FromCuda "from-cuda.md"
    Seeds "seeds.md"
}
