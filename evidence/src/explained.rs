//! `evidence/uncovered.tsv`: why no test runs a line of the safe crate. Only a person can say that.
//!
//! A row is for a function, not for the number of a line, so that it stays when lines move. It says how many of the
//! function's lines no test runs at most: one more has no reason.

use crate::uncovered::Covered;
use std::collections::BTreeMap;

/// The path from the root of the repository.
pub(crate) const FILE: &str = "evidence/uncovered.tsv";

/// Why no test runs some lines of a function.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    /// At most so many lines.
    pub(crate) lines: usize,
    pub(crate) why: String,
}

/// The functions of the files, with what was found about them.
pub(crate) type ByFunction<T> = BTreeMap<(String, String), T>;

/// The rows: file, function, lines, reason.
pub(crate) fn of(text: &str) -> Result<ByFunction<Reason>, String> {
    let mut reasons = ByFunction::new();
    for row in text.lines().filter(|row| !row.starts_with('#')) {
        let wrong = || format!("{FILE}: not file, function, number of lines and reason, with a tab between: {row}");
        let mut parts = row.split('\t').map(str::trim);
        let (file, function) = parts.next().zip(parts.next()).ok_or_else(wrong)?;
        let (lines, why) = parts.next().zip(parts.next()).ok_or_else(wrong)?;
        let lines = lines.parse().map_err(|_| wrong())?;
        if why.is_empty() || parts.next().is_some() {
            return Err(wrong());
        }
        let row = Reason { lines, why: why.to_owned() };
        if reasons.insert((file.to_owned(), function.to_owned()), row).is_some() {
            return Err(format!("{FILE}: two rows for `{function}` of {file}"));
        }
    }
    Ok(reasons)
}

/// How many lines of each function no test runs.
pub(crate) fn missed(files: &[Covered]) -> ByFunction<usize> {
    let mut missed = ByFunction::new();
    for file in files {
        for line in &file.missed {
            *missed.entry((file.name.clone(), line.function.clone())).or_default() += 1;
        }
    }
    missed
}

/// The functions with more lines that no test runs than their row has, as rows that lack a reason.
pub(crate) fn unexplained(missed: &ByFunction<usize>, reasons: &ByFunction<Reason>) -> Vec<String> {
    let lacks =
        |(place, lines): &(&(String, String), &usize)| reasons.get(*place).is_none_or(|reason| reason.lines < **lines);
    missed.iter().filter(lacks).map(|((file, function), lines)| format!("{file}\t{function}\t{lines}\t")).collect()
}

/// The rows for functions of which a test runs every line. A race may run a line in one run and not in another, so such
/// a row is told, and is no failure.
pub(crate) fn left_over(missed: &ByFunction<usize>, reasons: &ByFunction<Reason>) -> Vec<String> {
    let gone = reasons.keys().filter(|place| !missed.contains_key(*place));
    gone.map(|(file, function)| format!("`{function}` of {file}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uncovered::Missed;
    use std::path::Path;

    fn read(name: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        std::fs::read_to_string(root.join(name)).unwrap_or_default()
    }

    #[test]
    fn each_row_is_about_a_function_that_exists() {
        let reasons = of(&read(FILE)).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(!reasons.is_empty(), "{FILE} was not read");
        let gone: Vec<_> = reasons
            .keys()
            .filter(|(file, function)| {
                let text = read(file);
                let begins = |end| text.contains(&format!("fn {function}{end}"));
                text.is_empty() || (function != "-" && !['(', '<'].into_iter().any(begins))
            })
            .collect();
        assert!(gone.is_empty(), "{FILE} has rows about what is not there: {gone:?}");
    }

    #[test]
    fn a_line_without_a_reason_and_a_row_without_a_line_are_found() {
        let line = |function: &str| Missed { number: 1, text: String::new(), function: function.to_owned() };
        let file = |name: &str, functions: &[&str]| Covered {
            name: name.to_owned(),
            lines: 9,
            run: 1,
            missed: functions.iter().map(|function| line(function)).collect(),
            never: 0,
        };
        let missed = missed(&[file("a.rs", &["told", "told", "grown", "grown"]), file("b.rs", &["new"])]);
        let reasons = of("# a comment\na.rs\ttold\t2\tnobody asks\na.rs\tgrown\t1\tit is cold\nb.rs\trun\t1\ta race");
        let reasons = reasons.unwrap_or_default();
        assert_eq!(unexplained(&missed, &reasons), ["a.rs\tgrown\t2\t", "b.rs\tnew\t1\t"]);
        assert_eq!(left_over(&missed, &reasons), ["`run` of b.rs"]);
        assert!(of("a.rs\ttold\t2\t").is_err() && of("a.rs\ttold\tmany\twhy").is_err() && of("a.rs").is_err());
        assert!(of("a.rs\ttold\t2\twhy\na.rs\ttold\t1\tagain").is_err());
    }
}
