//! The safety manual says what a program must do after each failure.

use super::read;
use std::fs;
use std::path::Path;
use syn::Item;

/// The variants of the enum with this name in this file of `src/error/`.
fn variants(file: &str, name: &str) -> Vec<String> {
    let items = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/error").join(file)).items;
    let found = items.into_iter().find_map(|item| match item {
        Item::Enum(item) if item.ident == name => Some(item.variants),
        _ => None,
    });
    found.unwrap().iter().map(|variant| variant.ident.to_string()).collect()
}

#[test]
fn the_manual_has_a_row_for_each_error() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/safety-manual.md")).unwrap();
    let (_, section) = text.split_once("## How failures surface, and what a program must do").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let firsts = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let named: Vec<_> = firsts.flat_map(|first| first.split('`').skip(1).step_by(2)).collect();
    let errors = variants("mod.rs", "Error");
    let closing = variants("close.rs", "CloseError").into_iter().map(|variant| format!("CloseError::{variant}"));
    assert!(errors.len() > 80, "{}", errors.len());
    let missing: Vec<_> = errors.into_iter().chain(closing).filter(|error| !named.contains(&&**error)).collect();
    assert!(missing.is_empty(), "docs/safety-manual.md does not say what to do after {missing:?}");
}
