//! The lines of the safe crate that no test runs, from the report of `llvm-cov`.

use crate::ground::Ground;
use crate::rust_source::code_only;
use serde_json::Value;

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
        let code = code_only(&text);
        let functions = functions(&code.lines().collect::<Vec<_>>());
        covered.push(of_file(name, &lines, &counts, &functions));
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
