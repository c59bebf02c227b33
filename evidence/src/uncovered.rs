//! The lines of the safe crate that no test runs, from the report of `llvm-cov`.

use crate::ground::Ground;
use crate::rust_source::code_only;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A file of the safe crate.
pub(crate) struct Covered {
    pub(crate) name: String,
    /// Lines with code that can run.
    pub(crate) lines: usize,
    /// The number of these lines that a test runs.
    pub(crate) run: usize,
    /// The lines that no test runs.
    pub(crate) missed: Vec<Missed>,
    /// Lines of functions that exist for the compiler's messages alone.
    pub(crate) never: usize,
}

/// A line that no test runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Missed {
    pub(crate) number: usize,
    pub(crate) text: String,
    /// The name of its function, or `-` outside of functions.
    pub(crate) function: String,
}

/// A place in a file. From here to the next segment, the code ran equally often.
struct Segment {
    line: usize,
    /// How often the code ran, or `None` if there is no code.
    count: Option<u64>,
    /// Whether code begins here.
    begins: bool,
}

/// The files below `src/`, by the reports on all programs that ran.
pub(crate) fn files(ground: &Ground, reports: &[Value]) -> Result<Vec<Covered>, String> {
    let mut segments: BTreeMap<String, Vec<Vec<Segment>>> = BTreeMap::new();
    for report in reports {
        let files = report.pointer("/data/0/files").and_then(Value::as_array).ok_or("a report has no files")?;
        for file in files {
            let path = Path::new(file.get("filename").and_then(Value::as_str).unwrap_or_default());
            let Ok(name) = path.strip_prefix(&ground.root) else { continue };
            // Files of tests are no code of the crate.
            if name.starts_with("src") && !name.to_string_lossy().ends_with("_tests.rs") {
                let own = file.get("segments").and_then(Value::as_array).into_iter().flatten().filter_map(segment);
                segments.entry(name.display().to_string()).or_default().push(own.collect());
            }
        }
    }
    let covered = segments.into_iter().map(|(name, segments)| {
        let text = ground.read(&name)?;
        let lines: Vec<&str> = text.lines().collect();
        let code = code_only(&text);
        let functions = functions(&code.lines().collect::<Vec<_>>());
        Ok(of_file(name, &lines, &most(&segments, lines.len()), &functions))
    });
    covered.collect()
}

/// How often each line ran in the program that ran it most often, or `None` if it has no code in any.
fn most(programs: &[Vec<Segment>], lines: usize) -> Vec<Option<u64>> {
    programs.iter().fold(vec![None; lines], |most, segments| {
        most.into_iter().zip(counts(segments, lines)).map(|(most, count)| most.max(count)).collect()
    })
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

/// The function of each line: the last one that began before it, and has not ended with a brace at its own indentation.
fn functions(code: &[&str]) -> Vec<String> {
    let mut begun: Vec<(usize, String)> = Vec::new();
    let mut names = Vec::new();
    for line in code {
        let indent = line.len() - line.trim_start().len();
        let begins = line.split_once("fn ").filter(|(before, _)| !before.ends_with(char::is_alphanumeric));
        let name = begins.map_or("", |(_, rest)| rest.split(|letter| !is_of_a_name(letter)).next().unwrap_or(""));
        if !name.is_empty() {
            begun.retain(|(of_function, _)| *of_function < indent);
            begun.push((indent, name.to_owned()));
        }
        names.push(begun.last().map_or_else(|| "-".to_owned(), |(_, name)| name.clone()));
        if line.trim_start().starts_with('}') {
            begun.retain(|(of_function, _)| *of_function != indent);
        }
    }
    names
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn of_file(name: String, lines: &[&str], counts: &[Option<u64>], functions: &[String]) -> Covered {
    let mut file = Covered { name, lines: 0, run: 0, missed: Vec::new(), never: 0 };
    let numbered: Vec<_> =
        lines.iter().zip(counts).enumerate().map(|(index, (line, count))| (index + 1, *line, *count)).collect();
    // The lines of one function without any that ran: an empty line ends it.
    let ran = |(_, _, count): &(usize, &str, Option<u64>)| count.is_some_and(|count| count > 0);
    let follows = |before: &_, next: &(usize, &str, _)| ran(before) == ran(next) && !next.1.is_empty();
    for group in numbered.chunk_by(follows) {
        let code: Vec<_> = group.iter().filter(|(_, _, count)| count.is_some()).collect();
        // Such a function calls one that has no body to run. The folder has nothing else.
        if file.name.starts_with("src/elsewhere/") || group.iter().any(|(_, line, _)| line.contains("never()")) {
            file.never += code.len();
            continue;
        }
        file.lines += code.len();
        match group.iter().any(ran) {
            true => file.run += code.len(),
            false => file.missed.extend(code.iter().map(|(number, text, _)| Missed {
                number: *number,
                text: (*text).to_owned(),
                function: functions.get(*number - 1).cloned().unwrap_or_default(),
            })),
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
        let file = of_file("a.rs".to_owned(), &lines, &counts, &functions(&lines));
        assert_eq!((file.lines, file.run, file.never), (5, 3, 3));
        let line = |number, text: &str| Missed { number, text: text.to_owned(), function: "d".to_owned() };
        assert_eq!(file.missed, [line(9, "fn d() {"), line(10, "}")]);
    }

    #[test]
    fn a_line_ran_if_one_of_the_programs_ran_it() {
        let program = |counts: [(usize, Option<u64>); 3]| {
            counts.map(|(line, count)| Segment { line, count, begins: count.is_some() }).into()
        };
        let unused = program([(1, Some(0)), (3, Some(0)), (4, None)]);
        let runs = program([(1, Some(5)), (2, None), (4, None)]);
        let found = most(&[unused, runs], 4);
        assert_eq!(found, [Some(5), Some(5), Some(0), Some(0)]);
    }

    #[test]
    fn a_line_belongs_to_the_function_around_it() {
        let code = [
            "const A: u8 = 1;",
            "impl B {",
            "    pub fn c<T>(",
            "        &self,",
            "    ) {",
            "        let d = || fn_of(1);",
            "        fn e() {",
            "            f();",
            "        }",
            "        g();",
            "    }",
            "}",
            "static H: u8 = 2;",
        ];
        assert_eq!(functions(&code), ["-", "-", "c", "c", "c", "c", "e", "e", "e", "c", "c", "-", "-"]);
    }
}
