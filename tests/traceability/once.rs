//! Finds copies of a rule's text outside the catalogue.

use super::scan::{files, relative};
use ascendcl_rules::RuleId;
use std::fs;
use std::path::Path;

/// The copies, as `docs/rules.md states ALLOC-07`.
pub(crate) fn copies(root: &Path) -> Vec<String> {
    let texts: Vec<_> = RuleId::all().map(|id| (id, words(id.rule().text))).collect();
    let mut found = Vec::new();
    let folders = [
        "src",
        "ge",
        "macros",
        "rules",
        "sim",
        "sys",
        "tests",
        "ui-tests",
        "examples",
        "benches",
        "docs",
        "book",
        "exercises",
    ];
    let below = folders.iter().flat_map(|folder| {
        let folder = root.join(folder);
        ["rs", "md", "stderr", "toml", "report"].map(|ending| files(&folder, ending)).concat()
    });
    let at_the_root = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|file| root.join(file));
    for file in below.chain(at_the_root) {
        let name = relative(root, &file);
        if name.starts_with("rules/src/catalogue/") {
            continue;
        }
        let written = words(&fs::read_to_string(&file).unwrap_or_default());
        let stated = texts.iter().filter(|(_, text)| written.contains(text.as_str()));
        found.extend(stated.map(|(id, _)| format!("{name} states {id}")));
    }
    found
}

/// The words with one space between them, whatever the comment or string is made of that they stand in.
fn words(text: &str) -> String {
    let marks = ["//", "///", "//!", "*", "\\", "|"];
    text.split_whitespace().filter(|word| !marks.contains(word)).collect::<Vec<_>>().join(" ")
}
