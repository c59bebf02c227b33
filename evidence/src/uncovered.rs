//! The lines of the safe crate that no test runs, from the report of `llvm-cov`.

use crate::ground::Ground;
use serde_json::Value;

/// A file of the safe crate.
pub(crate) struct Covered {
    pub(crate) name: String,
    /// Lines with code that can run.
    pub(crate) lines: usize,
    /// The number of these lines that a test runs.
    pub(crate) run: usize,
    /// The lines that no test runs, with their numbers.
    pub(crate) missed: Vec<(usize, String)>,
    /// Lines of functions that exist for the compiler's messages alone.
    pub(crate) never: usize,
}

/// A place in a file. From here to the next segment, the code ran equally often.
struct Segment {
    line: usize,
    /// How often the code ran, or `None` if there is no code.
    count: Option<u64>,
    /// Whether code begins here.
    begins: bool,
}

/// The files below `src/`.
pub(crate) fn files(ground: &Ground, report: &Value) -> Result<Vec<Covered>, String> {
    let files = report.pointer("/data/0/files").and_then(Value::as_array).ok_or("the report has no files")?;
    let mut covered = Vec::new();
    for file in files {
        let path = std::path::Path::new(file.get("filename").and_then(Value::as_str).unwrap_or_default());
        let Ok(name) = path.strip_prefix(&ground.root) else { continue };
        if !name.starts_with("src") {
            continue;
        }
        let name = name.display().to_string();
        let text = ground.read(&name)?;
        let lines: Vec<&str> = text.lines().collect();
        let segments: Vec<_> =
            file.get("segments").and_then(Value::as_array).into_iter().flatten().filter_map(segment).collect();
        let counts = counts(&segments, lines.len());
        covered.push(of_file(name, &lines, &counts));
    }
    Ok(covered)
}

/// `[line, column, count, has count, is the start of a region, is a gap]`.
fn segment(entry: &Value) -> Option<Segment> {
    let [line, _, count, has_count, begins, ..] = entry.as_array()?.as_slice() else { return None };
    let count = has_count.as_bool()?.then(|| count.as_u64()).flatten();
    Some(Segment { line: usize::try_from(line.as_u64()?).ok()?, count, begins: begins.as_bool()? })
}

/// How often each line ran: the highest count of the code on it, or `None` if it has no code.
fn counts(segments: &[Segment], lines: usize) -> Vec<Option<u64>> {
    let (mut before, mut rest) = (None, segments);
    let of_line = |line| {
        let here = rest.iter().take_while(|segment| segment.line == line).count();
        let (own, later) = rest.split_at(here);
        let begun = own.iter().filter(|segment| segment.begins).filter_map(|segment| segment.count);
        let count = begun.chain(before).max();
        if let Some(last) = own.last() {
            before = last.count;
        }
        rest = later;
        count
    };
    (1..=lines).map(of_line).collect()
}

fn of_file(name: String, lines: &[&str], counts: &[Option<u64>]) -> Covered {
    let mut file = Covered { name, lines: 0, run: 0, missed: Vec::new(), never: 0 };
    let numbered: Vec<_> =
        lines.iter().zip(counts).enumerate().map(|(index, (line, count))| (index + 1, *line, *count)).collect();
    // The lines of one function without any that ran: an empty line ends it.
    let ran = |(_, _, count): &(usize, &str, Option<u64>)| count.is_some_and(|count| count > 0);
    let follows = |before: &_, next: &(usize, &str, _)| ran(before) == ran(next) && !next.1.is_empty();
    for group in numbered.chunk_by(follows) {
        let code: Vec<_> = group.iter().filter(|(_, _, count)| count.is_some()).collect();
        // Such a function calls one that has no body to run.
        if group.iter().any(|(_, line, _)| line.contains(".never()")) {
            file.never += code.len();
            continue;
        }
        file.lines += code.len();
        match group.iter().any(ran) {
            true => file.run += code.len(),
            false => file.missed.extend(code.iter().map(|(number, line, _)| (*number, (*line).to_owned()))),
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_run_missed_or_without_code_and_what_cannot_run_is_left_out() {
        let lines = ["fn a() {", "    b();", "}", "", "fn c() {", "    self.never()", "}", "", "fn d() {", "}"];
        let entries = [
            (1, Some(2), true),
            (2, Some(0), true),
            (2, Some(2), false),
            (3, None, false),
            (5, Some(0), true),
            (5, None, false),
            (6, Some(0), true),
            (7, None, false),
            (9, Some(0), true),
            (10, None, false),
        ];
        let segments = entries.map(|(line, count, begins)| Segment { line, count, begins });
        let counts = counts(&segments, lines.len());
        assert_eq!(counts[..4], [Some(2), Some(2), Some(2), None]);
        let file = of_file("a.rs".to_owned(), &lines, &counts);
        assert_eq!((file.lines, file.run, file.never), (5, 3, 3));
        assert_eq!(file.missed, [(9, "fn d() {".to_owned()), (10, "}".to_owned())]);
    }
}
