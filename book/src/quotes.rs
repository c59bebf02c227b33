//! Blocks of code that a page quotes from a file of the repository.

use std::fs;
use std::path::Path;

const MARK: &str = "<!-- from: ";

/// The page with each quote as the file says it now.
///
/// # Errors
///
/// A quote whose file or part does not exist, or which no block of code follows.
pub fn refreshed(root: &Path, page: &str) -> Result<String, String> {
    let mut fresh = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        fresh.push_str(line);
        fresh.push('\n');
        let Some(source) = line.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(" -->")) else { continue };
        let fence = lines.next().filter(|line| line.starts_with("```"));
        let fence = fence.ok_or_else(|| format!("a block of code must follow `{line}`"))?;
        lines.by_ref().find(|line| *line == "```").ok_or_else(|| format!("the block after `{line}` does not end"))?;
        fresh.push_str(&format!("{fence}\n{}```\n", quoted(root, source)?));
    }
    Ok(fresh)
}

/// How many quotes a page has.
pub fn count(page: &str) -> usize {
    page.lines().filter(|line| line.starts_with(MARK)).count()
}

/// `PATH`, `PATH#NAME` or `PATH#short`.
fn quoted(root: &Path, source: &str) -> Result<String, String> {
    let (path, part) = source.split_once('#').map_or((source, None), |(path, part)| (path, Some(part)));
    let text = fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
    let text = match part {
        None => text.strip_suffix("\nfn main() {}\n").unwrap_or(&text).to_owned(),
        Some("short") => short(&text),
        Some(name) => anchored(&text, name).ok_or_else(|| format!("{path} has no part `{name}`"))?,
    };
    let is_mark = |line: &str| ["// ANCHOR", "# ANCHOR"].iter().any(|mark| line.trim_start().starts_with(mark));
    let kept = text.lines().filter(|line| !is_mark(line));
    Ok(kept.map(|line| format!("{line}\n")).collect())
}

/// A message of the compiler up to the first place that is not the mistake's.
fn short(message: &str) -> String {
    let lines: Vec<_> = message.lines().take_while(|line| !line.starts_with("note: ")).collect();
    let more = if lines.len() < message.lines().count() { "…\n" } else { "" };
    lines.iter().map(|line| format!("{line}\n")).collect::<String>() + more
}

/// The lines between the two comments, without their common indentation.
fn anchored(text: &str, name: &str) -> Option<String> {
    // A comment of Rust and C, or of Python.
    let is = |line: &str, mark: &str| {
        let comment = line.trim();
        comment.strip_prefix("// ").or_else(|| comment.strip_prefix("# ")) == Some(mark)
    };
    let (start, end) = (format!("ANCHOR: {name}"), format!("ANCHOR_END: {name}"));
    let mut lines = text.lines().skip_while(|line| !is(line, &start)).skip(1).peekable();
    lines.peek()?;
    let lines: Vec<_> = lines.take_while(|line| !is(line, &end)).collect();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let margin = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min()?;
    Some(lines.iter().map(|line| format!("{}\n", line.get(margin..).unwrap_or_default())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_what_the_file_says() {
        let page = "Text.\n\n<!-- from: LICENSE-MIT -->\n```text\nold\n```\nEnd.\n";
        let fresh = refreshed(&crate::repository(), page).unwrap();
        assert!(fresh.starts_with("Text.\n\n<!-- from: LICENSE-MIT -->\n```text\n") && fresh.ends_with("```\nEnd.\n"));
        assert!(fresh.contains("WARRANTY") && !fresh.contains("old"));
        assert_eq!(refreshed(&crate::repository(), &fresh), Ok(fresh.clone()));
    }

    #[test]
    fn a_quote_of_a_file_or_part_that_is_not_there_is_refused() {
        let page = |source: &str| format!("<!-- from: {source} -->\n```text\n```\n");
        assert!(refreshed(&crate::repository(), &page("no-such-file")).unwrap_err().contains("no-such-file"));
        let refused = refreshed(&crate::repository(), &page("LICENSE-MIT#part"));
        assert_eq!(refused.unwrap_err(), "LICENSE-MIT has no part `part`");
        assert!(refreshed(&crate::repository(), "<!-- from: LICENSE-MIT -->\nno code\n").is_err());
    }

    #[test]
    fn a_part_loses_its_indentation_and_the_anchors_in_it() {
        let text = "a\n    // ANCHOR: x\n    b {\n        // ANCHOR: y\n        c\n    }\n    // ANCHOR_END: x\n";
        assert_eq!(anchored("# ANCHOR: x\nimport acl\n# ANCHOR_END: x\n", "x").unwrap(), "import acl\n");
        assert_eq!(anchored(text, "x").unwrap(), "b {\n    // ANCHOR: y\n    c\n}\n");
        assert_eq!(anchored(text, "z"), None);
    }
}
