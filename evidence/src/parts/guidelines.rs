//! Checks that the files that the table of coding guidelines cites exist.

use crate::ground::Ground;
use crate::part::Outcome;

const FILE: &str = "docs/guidelines.md";

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    let text = ground.read(FILE)?;
    let missing: Vec<_> = cited(&text).into_iter().filter(|path| !ground.root.join(path).exists()).collect();
    let count = |word: &str| rows(&text).filter(|verdict| verdict == &word).count();
    let (holds, partly, not) = (count("holds"), count("partly"), count("does not hold"));
    let says = format!("{holds} hold, {partly} partly, {not} do not; {} cited files are missing", missing.len());
    let outcome = Outcome::judged(missing.is_empty() && holds > 0, says).fact("hold", holds).fact("partly", partly);
    Ok(outcome.fact("do not hold", not).fact("missing", missing))
}

/// The third cell of each row: whether the guideline holds.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.starts_with("| gui_")).filter_map(|line| line.split('|').nth(3)).map(str::trim)
}

/// The files and folders that a text names between backquotes.
fn cited(text: &str) -> Vec<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let path = |words: &&str| words.contains('/') && !words.contains([' ', ':', '<', '(']);
    quoted.filter(path).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{cited, rows};
    use std::path::Path;

    #[test]
    fn the_table_cites_files_that_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        let text = std::fs::read_to_string(root.join(super::FILE)).unwrap_or_default();
        assert!(rows(&text).count() > 10, "the table was not read");
        let wrong: Vec<_> =
            rows(&text).filter(|word| !["holds", "partly", "does not hold", "not applicable"].contains(word)).collect();
        assert!(wrong.is_empty(), "verdicts: {wrong:?}");
        let missing: Vec<_> = cited(&text).into_iter().filter(|path| !root.join(path).exists()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn paths_are_told_from_code() {
        assert_eq!(cited("`src/ffi/` and `a::b`, `cargo test --x/y`, `#[rule]`"), ["src/ffi/"]);
    }
}
