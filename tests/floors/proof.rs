//! The lines of code that `docs/proof.md` names.

use std::fs;
use std::path::Path;

/// The names in the last column of the table of steps: of types, traits, functions and macros.
pub(crate) fn names(page: &str) -> Vec<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.rsplit_once(" | "));
    let code = rows.flat_map(|(_, code)| code.split('`').skip(1).step_by(2));
    let words = code.filter(|code| !code.contains(['/', '$'])).flat_map(|code| code.split([' ', ':', '!', '(', ')']));
    words.filter(|word| word.len() > 1 && !["for", "Drop"].contains(word)).collect()
}

/// Whether the text declares something with this name.
fn declares(code: &str, name: &str) -> bool {
    let is_declared = |(start, _): (usize, &str)| {
        let (before, after) = (&code[..start], &code[start + name.len()..]);
        let ends = !after.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        let words = ["fn ", "struct ", "enum ", "trait ", "macro_rules! ", "let "];
        ends && words.iter().any(|word| before.ends_with(word))
    };
    code.match_indices(name).any(is_declared)
}

/// The names of the page that no file in these folders declares.
pub(crate) fn unknown(page: &str, folders: &[&Path]) -> Vec<String> {
    let mut code = String::new();
    let mut rest: Vec<_> = folders.iter().map(|folder| folder.to_path_buf()).collect();
    while let Some(folder) = rest.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => rest.push(path),
                false => code.push_str(&fs::read_to_string(path).unwrap()),
            }
        }
    }
    names(page).into_iter().filter(|name| !declares(&code, name)).map(str::to_owned).collect()
}
