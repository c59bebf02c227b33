//! Links and headings of the pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Files of the repository are linked by their address, because a built book does not contain them.
const FILES: &str = "https://github.com/ascendcl/ascendcl/blob/main/";
const FOLDERS: &str = "https://github.com/ascendcl/ascendcl/tree/main/";

/// What is wrong with the links of the pages, one sentence each.
pub fn broken(root: &Path, pages: &[(String, String)]) -> Vec<String> {
    let headings: BTreeMap<_, _> = pages.iter().map(|(name, text)| (name.as_str(), anchors(text))).collect();
    let mut broken = Vec::new();
    for (page, text) in pages {
        for target in targets(text) {
            if let Some(why) = wrong(root, page, &target, &headings) {
                broken.push(format!("book/pages/{page} links to `{target}`, {why}"));
            }
        }
    }
    broken
}

fn wrong(root: &Path, page: &str, target: &str, headings: &BTreeMap<&str, BTreeSet<String>>) -> Option<String> {
    if let Some(path) = target.strip_prefix(FILES).or_else(|| target.strip_prefix(FOLDERS)) {
        return missing(&root.join(path));
    }
    if target.starts_with("https://") {
        return None;
    }
    let (file, heading) = target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
    let file = if file.is_empty() { page } else { file };
    if file.contains("..") {
        return Some(format!("which a built book does not contain: use {FILES}"));
    }
    if !root.join("book/pages").join(file).exists() {
        return Some("which does not exist".to_owned());
    }
    let heading = heading?;
    let known = headings.get(file).is_some_and(|known| known.contains(heading));
    (!known).then(|| "a heading that the page does not have".to_owned())
}

/// What is wrong with the links of a page of the repository that is not the book's, one sentence each.
pub fn broken_beside(root: &Path, page: &Path) -> Vec<String> {
    let file = root.join(page);
    let text = fs::read_to_string(&file).unwrap_or_default();
    let folder = file.parent().unwrap_or(root);
    let wrong = |target: &String| match target.strip_prefix(FILES).or_else(|| target.strip_prefix(FOLDERS)) {
        Some(path) => missing(&root.join(path)),
        None if target.starts_with("https://") => None,
        None if target.starts_with('#') => missing(&PathBuf::from(format!("{}{target}", file.display()))),
        None => missing(&folder.join(target)),
    };
    let why = |target: String| Some(format!("{} links to `{target}`, {}", page.display(), wrong(&target)?));
    targets(&text).filter_map(why).collect()
}

/// What is missing of `FILE#HEADING`.
fn missing(target: &Path) -> Option<String> {
    let target = target.to_string_lossy();
    let (file, heading) = target.split_once('#').map_or((&*target, None), |(file, heading)| (file, Some(heading)));
    if !Path::new(file).exists() {
        return Some("which is not in the repository".to_owned());
    }
    let heading = heading.filter(|_| file.ends_with(".md"))?;
    let known = anchors(&fs::read_to_string(file).unwrap_or_default()).contains(heading);
    (!known).then(|| "a heading that the page does not have".to_owned())
}

/// The pages that the table of contents names, in its order.
pub fn contents(summary: &str) -> Vec<String> {
    targets(summary).collect()
}

/// The targets of links and pictures outside of code.
fn targets(page: &str) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    for line in prose(page) {
        let line: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        found.extend(line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
    }
    found.into_iter()
}

/// The lines outside of blocks of code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    page.lines().filter(move |line| {
        let fence = line.starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The anchors of a page's headings, as mdBook and the repository's pages name them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page).filter_map(|line| line.strip_prefix('#'));
    headings.map(|heading| anchor(heading.trim_start_matches('#'))).collect()
}

fn anchor(heading: &str) -> String {
    let words = heading.trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(page: &str) -> Vec<String> {
        broken(&crate::repository(), &[("SUMMARY.md".to_owned(), page.to_owned())])
    }

    #[test]
    fn a_link_to_nothing_is_found() {
        assert_eq!(of("[a](no-such-page.md)").len(), 1);
        assert_eq!(of("[a](#no-such-heading)").len(), 1);
        assert_eq!(of(&format!("[a]({FILES}no-such-file)")).len(), 1);
        assert_eq!(of("[a](../../README.md)").len(), 1);
    }

    #[test]
    fn a_link_of_another_page_to_nothing_is_found() {
        let page = std::env::temp_dir().join(format!("a-link-of-another-page-{}.md", std::process::id()));
        let links = format!("[a](no-such-file) [b](#none) [c]({FILES}README.md#none) [d]({FILES}README.md#licence)");
        fs::write(&page, links).unwrap();
        let broken = broken_beside(&crate::repository(), &page);
        fs::remove_file(&page).unwrap();
        assert_eq!(broken.len(), 3);
    }

    #[test]
    fn a_link_to_something_is_not_found_and_code_has_no_links() {
        assert!(of(&format!("# A heading, with `code`\n[a](#a-heading-with-code) [b]({FILES}README.md)")).is_empty());
        assert!(of("```rust\n[a](nothing)\n```\n`[a](nothing)`").is_empty());
    }
}
