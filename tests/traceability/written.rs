//! The generated pages in `docs/`, compared with what the sources say now.

use super::scan::{files, relative};
use super::table::{FOLDER, Page};
use std::fs;
use std::path::Path;

/// One line per page that is missing, differs, or belongs to no area.
pub(crate) fn stale(root: &Path, pages: &[Page]) -> Vec<String> {
    let differing = pages.iter().filter_map(|page| {
        let written = fs::read_to_string(root.join(&page.path)).unwrap_or_default();
        let lacks = page.text.lines().find(|line| !written.lines().any(|known| known == *line)).unwrap_or_default();
        (written != page.text).then(|| format!("{} is stale; for example, it lacks this line: {lacks}", page.path))
    });
    let left = left_over(root, pages).into_iter().map(|path| format!("{path} belongs to no area of the catalogue"));
    differing.chain(left).collect()
}

/// Writes the pages, and removes those of areas that no longer exist.
pub(crate) fn overwrite(root: &Path, pages: &[Page]) -> Vec<String> {
    fs::create_dir_all(root.join(FOLDER)).unwrap();
    pages.iter().for_each(|page| fs::write(root.join(&page.path), &page.text).unwrap());
    left_over(root, pages).iter().for_each(|path| fs::remove_file(root.join(path)).unwrap());
    stale(root, pages)
}

fn left_over(root: &Path, pages: &[Page]) -> Vec<String> {
    let written = files(&root.join(FOLDER), "md");
    let names = written.iter().map(|file| relative(root, file));
    names.filter(|name| !pages.iter().any(|page| page.path == *name)).collect()
}
