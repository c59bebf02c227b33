//! The comments over unsafe code.

use std::fs;
use std::path::Path;

const BEGINS: &str = "// SAFETY: ";

/// Words that stand for a reason somewhere else.
const ELSEWHERE: [&str; 9] = [
    "as above",
    "see above",
    "as before",
    "as stated in",
    "as in `",
    "as for `",
    "same as",
    "the same, as",
    "likewise",
];

/// The comments in this file that do not state a reason themselves, each with the file and its line.
pub(crate) fn without_a_reason(file: &Path) -> Vec<String> {
    let bad = comments(&fs::read_to_string(file).unwrap()).into_iter().filter(|(_, text)| points(text));
    bad.map(|(line, text)| format!("{}:{line}: {text}", file.display())).collect()
}

fn points(text: &str) -> bool {
    text.starts_with("as ") || ELSEWHERE.iter().any(|words| text.contains(words))
}

/// The comments, each with the line that it begins on.
fn comments(code: &str) -> Vec<(usize, String)> {
    let mut comments: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (number, line) in code.lines().enumerate() {
        let line = line.trim_start();
        match (line.strip_prefix(BEGINS), line.strip_prefix("// "), comments.last_mut()) {
            (Some(text), _, _) => {
                comments.push((number + 1, text.to_owned()));
                inside = true;
            }
            (None, Some(more), Some((_, text))) if inside => *text = format!("{text} {more}"),
            _ => inside = false,
        }
    }
    comments
}

#[test]
fn a_comment_that_points_elsewhere_is_found_across_lines() {
    let code = "
        // SAFETY: the pointer is that of a local, which is as
        // long there as in `copy`.
        unsafe { first() }
        // As above, and no comment of unsafe code.
        // SAFETY: as the caller says.
        unsafe { second() }
        // SAFETY: the list holds as many values as stated.
        unsafe { third() }";
    let bad: Vec<_> = comments(code).into_iter().filter(|(_, text)| points(text)).map(|(line, _)| line).collect();
    assert_eq!(bad, [2, 6]);
}
