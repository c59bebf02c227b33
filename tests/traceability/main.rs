//! The sources name the rules that their code keeps and that their tests show. These tests compare the names with the
//! catalogue.
//!
//! `DOCS=overwrite cargo test --test traceability` writes the tables in `docs/`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod csv;
mod findings;
mod made_up;
mod once;
mod scan;
mod table;
mod written;

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
    let pages = table::of(&Scan::of(repository()));
    let overwrite = std::env::var_os("DOCS").is_some_and(|value| value == "overwrite");
    let stale = if overwrite { written::overwrite(repository(), &pages) } else { written::stale(repository(), &pages) };
    let advice = "run `DOCS=overwrite cargo test --test traceability` and look at the change";
    assert!(stale.is_empty(), "stale tables: {advice}\n{}", stale.join("\n"));
}

#[test]
fn the_table_for_programs_has_each_rule_and_a_row_per_mark() {
    let scan = Scan::of(repository());
    let text = csv::of(&scan);
    let rows: Vec<Vec<_>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == 7), "a name with a comma: {rows:?}");
    let marks =
        scan.mechanisms.values().map(Vec::len).sum::<usize>() + scan.evidence.values().map(Vec::len).sum::<usize>();
    assert_eq!(rows.iter().filter(|row| !row[4].is_empty()).count(), marks);
    assert!(ascendcl_rules::RuleId::all().all(|id| rows.iter().any(|row| row[0] == id.as_str())));
    if let Some(file) = std::env::var_os("TRACEABILITY_CSV") {
        std::fs::write(file, text).unwrap();
    }
}

#[test]
fn no_rule_is_written_down_twice() {
    let copies = once::copies(repository());
    assert!(copies.is_empty(), "rules that are written down outside of rules/src/catalogue/:\n{}", copies.join("\n"));
}
