//! The measured rows.

/// One call of a case, or, in parentheses, what the case saw then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) case: &'static str,
    pub(crate) call: &'static str,
    pub(crate) answer: Answer,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Code(i32),
    /// The vendor's library ended the process.
    Crash,
    /// The text of the call is the observation.
    Seen,
}

/// Every row, in the order of the file.
pub(crate) fn rows() -> Vec<Row> {
    include_str!("rows.tsv").lines().skip(1).map(row).collect()
}

fn row(line: &'static str) -> Row {
    let [case, call, result, name] = line.split('\t').collect::<Vec<_>>()[..] else {
        panic!("four columns are expected in `{line}`")
    };
    let answer = match result {
        "" => Answer::Seen,
        _ if name == "CRASH" => Answer::Crash,
        code => Answer::Code(code.parse().unwrap_or_else(|_| panic!("a code is expected in `{line}`"))),
    };
    Row { case, call, answer }
}
