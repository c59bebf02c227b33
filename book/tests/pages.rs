//! The pages of the book say what the sources say, and their links lead somewhere.
//!
//! `BOOK=overwrite cargo test -p ascendcl-book --test pages` writes quotes, pictures and generated pages anew.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use ascendcl_book::{functions, life_cycles, links, pages, picture, quotes, repository};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const ADVICE: &str = "run `BOOK=overwrite cargo test -p ascendcl-book --test pages` and look at the change";

/// Whether a file of the book says this. With `BOOK=overwrite`, it does afterwards.
fn is_fresh(name: &str, text: &str) -> bool {
    let file = repository().join("book/pages").join(name);
    if std::env::var_os("BOOK").is_some_and(|value| value == "overwrite") {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
    }
    fs::read_to_string(&file).is_ok_and(|written| written == text)
}

#[test]
fn quotes_are_what_the_files_say() {
    let mut count = 0;
    for (name, page) in pages().unwrap() {
        let fresh = quotes::refreshed(&repository(), &page).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        // A page without a change may be one that another test is generating.
        assert!(fresh == page || is_fresh(&name, &fresh), "book/pages/{name} quotes what is not so: {ADVICE}");
        count += quotes::count(&page);
    }
    assert!(count >= 20, "{count} quotes");
}

#[test]
fn links_lead_somewhere() {
    let broken = links::broken(&repository(), &pages().unwrap());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn pages_below(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && !["target", "pages", "mine"].contains(&name.as_str()) {
            pages_below(&path, pages);
        } else if name.ends_with(".md") {
            pages.push(path.strip_prefix(repository()).unwrap().to_owned());
        }
    }
}

/// The pages of the repository beside the book: the README of each crate, and what is in `docs/`.
#[test]
fn links_of_the_other_pages_lead_somewhere() {
    let mut pages = Vec::new();
    pages_below(&repository(), &mut pages);
    assert!(pages.len() >= 40, "{pages:?}");
    let broken: Vec<_> = pages.iter().flat_map(|page| links::broken_beside(&repository(), page)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn each_page_is_in_the_table_of_contents() {
    let contents = links::contents(&fs::read_to_string(repository().join("book/pages/SUMMARY.md")).unwrap());
    let pages = pages().unwrap().into_iter().map(|(name, _)| name);
    let known: BTreeSet<_> = contents.iter().cloned().collect();
    assert_eq!(known.len(), contents.len(), "a page is listed twice");
    assert_eq!(pages.filter(|name| name != "SUMMARY.md").collect::<BTreeSet<_>>(), known);
}

/// A block of Rust in a page is a documentation test, or a quote of a tested file.
#[test]
fn no_program_of_a_page_is_untested() {
    let tested = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    for (name, page) in pages().unwrap() {
        let lines: Vec<_> = page.lines().collect();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("```rust")) {
            let quoted = number > 0 && lines[number - 1].starts_with("<!-- from: ");
            let run = *line == "```rust" && tested.contains(&format!("\"{name}\""));
            assert!(quoted || run, "book/pages/{name}:{}: nothing compiles this program", number + 1);
        }
    }
}

#[test]
fn pictures_show_the_declared_life_cycles() {
    for (name, diagram) in life_cycles::DIAGRAMS {
        let drawn = picture::svg(name, diagram);
        assert!(is_fresh(&format!("pictures/{name}.svg"), &drawn), "the picture of `{name}` is stale: {ADVICE}");
    }
}

#[test]
fn the_page_of_life_cycles_says_what_is_declared() {
    assert!(is_fresh("life-cycles.md", &life_cycles::page()), "book/pages/life-cycles.md is stale: {ADVICE}");
}

#[test]
fn the_table_of_functions_says_what_the_sources_say() {
    let page = functions::page(&repository()).unwrap();
    assert!(is_fresh("functions.md", &page), "book/pages/functions.md is stale: {ADVICE}");
}
