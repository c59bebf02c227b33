//! Which rule is kept by which code, and shown by which test: read from the sources, and compared with the catalogue.
//!
//! `DOCS=overwrite cargo test --test traceability` writes the tables in `docs/` anew.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod findings;
mod made_up;
mod once;
mod scan;
mod table;

use scan::Scan;
use std::path::Path;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_rule_is_kept_and_shown_or_the_catalogue_says_why_not() {
    let found = findings::of(&Scan::of(repository()));
    assert!(found.is_empty(), "\n\n{}\n", found.join("\n\n"));
}

#[test]
fn the_tables_say_what_the_sources_say() {
    let (path, made) = (repository().join("docs/traceability.md"), table::of(&Scan::of(repository())));
    if std::env::var_os("DOCS").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, &made).unwrap();
        return;
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = made.lines().find(|line| !written.lines().any(|known| known == *line));
    let advice = "run `DOCS=overwrite cargo test --test traceability` and look at what has changed";
    assert!(
        written == made,
        "docs/traceability.md is stale: {advice}; it lacks this line, say:\n{}",
        differs.unwrap_or("")
    );
}

#[test]
fn no_rule_is_written_down_twice() {
    let copies = once::copies(repository());
    assert!(copies.is_empty(), "rules that are written down outside of rules/src/catalogue/:\n{}", copies.join("\n"));
}
