//! The declared functions, by the files of `sys/src/table`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

pub(super) struct Group {
    pub(super) title: String,
    pub(super) functions: BTreeSet<String>,
}

pub(super) fn groups(root: &Path) -> io::Result<Vec<Group>> {
    let entries = fs::read_dir(root.join("sys/src/table"))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.sort();
    let mut groups = Vec::new();
    for file in files {
        let text = fs::read_to_string(file)?;
        let functions: BTreeSet<_> = text.lines().filter_map(function).collect();
        let title = text.lines().next().and_then(|line| line.strip_prefix("//! ")).unwrap_or_default();
        if !functions.is_empty() {
            groups.push(Group { title: title.trim_end_matches('.').to_owned(), functions });
        }
    }
    Ok(groups)
}

/// `[optional sim] fn aclrtFree(…`
fn function(line: &str) -> Option<String> {
    let (_, rest) = line.trim_start().strip_prefix('[')?.split_once("] fn ")?;
    Some(rest.split_once('(')?.0.to_owned())
}
