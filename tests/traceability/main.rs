//! Which rule is enforced where, and by which evidence: `docs/traceability.md` is made from the catalogue, the `#[rule]`
//! attributes of the safe layer, the `#[proves]` attributes of the tests, and the first lines of the programs in
//! `ui-tests/fail`.
//!
//! `DOCS=overwrite cargo test --test traceability` writes it anew.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(unreachable_pub)]

mod gaps;
mod table;
mod tree;

use std::fs;
use std::path::Path;
use tree::Tree;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_rule_that_matters_has_a_mechanism_and_evidence() {
    let gaps = gaps::of(&Tree::read(root()));
    assert!(gaps.is_empty(), "{}", gaps.join("\n"));
}

#[test]
fn the_table_is_up_to_date() {
    let file = root().join("docs/traceability.md");
    let now = table::page(&Tree::read(root()));
    if std::env::var("DOCS").is_ok_and(|order| order == "overwrite") {
        fs::write(&file, &now).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    let differs = now.lines().zip(written.lines().chain(std::iter::repeat(""))).find(|(now, written)| now != written);
    assert!(
        now == written,
        "docs/traceability.md is stale; DOCS=overwrite cargo test --test traceability\n{differs:?}"
    );
}

#[test]
fn a_rule_that_loses_its_only_program_is_named() {
    let mut tree = Tree::read(root());
    let lost = "ALLOC-07";
    tree.tests.remove(lost);
    tree.programs.remove(lost);
    assert_eq!(gaps::of(&tree), ["ALLOC-07 (Compile) lost its evidence: no program in ui-tests/fail begins with it"]);
}
