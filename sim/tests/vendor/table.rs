//! The lines of the files.

/// One line of a case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// The call, or, in parentheses, what the case saw then.
    pub(crate) text: &'static str,
    pub(crate) result: Answer,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Code(i32),
    /// The vendor's library ended the process, or never came back.
    Crash,
    /// The text of the line is what was seen.
    Seen,
    /// The line prepares the others and was not measured.
    Preparation,
}

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) lines: Vec<Line>,
}

/// A row that the simulator answers otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Exception {
    pub(crate) case: &'static str,
    pub(crate) call: &'static str,
    pub(crate) answer: Instead,
    pub(crate) reason: &'static str,
}

/// What the simulator owes instead of the measured answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instead {
    Code(i32),
    AnError,
    /// The interpreter does not make the call.
    NotMade,
    /// What it sees instead.
    Seen(&'static str),
}

/// Every case, in the order of the file.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in include_str!("programs.tsv").lines().skip(1) {
        let (name, line) = read(line);
        match cases.last_mut() {
            Some(case) if case.name == name => case.lines.push(line),
            _ => cases.push(Case { name, lines: vec![line] }),
        }
    }
    cases
}

fn read(line: &'static str) -> (&'static str, Line) {
    let [case, text, result, name] = line.split('\t').collect::<Vec<_>>()[..] else {
        panic!("four columns are expected in `{line}`")
    };
    let result = match result {
        _ if name == "PREPARATION" => Answer::Preparation,
        _ if name == "CRASH" || name == "HANG" || result == "hang" => Answer::Crash,
        "" => Answer::Seen,
        code => Answer::Code(code.parse().unwrap_or_else(|_| panic!("a code is expected in `{line}`"))),
    };
    (case, Line { text, result })
}

pub(crate) fn exceptions() -> Vec<Exception> {
    let read = |line: &'static str| {
        let [case, call, answer, reason] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns are expected in `{line}`")
        };
        assert!(!reason.is_empty(), "{line}: a reason is missing");
        let answer = match answer {
            "error" => Instead::AnError,
            "not made" => Instead::NotMade,
            seen if seen.starts_with('(') => Instead::Seen(seen.trim_start_matches('(').trim_end_matches(')')),
            code => Instead::Code(code.parse().unwrap_or_else(|_| panic!("a code is expected in `{line}`"))),
        };
        Exception { case, call, answer, reason }
    };
    include_str!("exceptions.tsv").lines().skip(1).map(read).collect()
}
