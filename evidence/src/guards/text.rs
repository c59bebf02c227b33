//! Mutants as changes of a text. All mutants of a file are put into it at once, and a number switches one on.

use std::collections::BTreeSet;
use std::ops::Range;

/// A change of the program that a test should notice.
#[derive(Debug)]
pub(crate) struct Mutant {
    pub(crate) file: String,
    pub(crate) function: String,
    /// Where the function stands in the source, or the whole source.
    pub(crate) within: Range<usize>,
    pub(crate) line: usize,
    /// What is changed, in words and in the source's own text.
    pub(crate) change: String,
    pub(crate) changes: Vec<Change>,
}

/// A piece of text that is put into the source.
#[derive(Debug)]
pub(crate) enum Change {
    /// Before what begins here.
    Before(usize, String),
    /// After what ends here.
    After(usize, String),
    Instead(Range<usize>, String),
}

impl Change {
    pub(crate) fn around(range: Range<usize>, before: &str, after: &str) -> Vec<Self> {
        vec![Self::Before(range.start, before.to_owned()), Self::After(range.end, after.to_owned())]
    }

    /// The order in which pieces of text stand at one place: what ends there comes before what begins, and what was
    /// found first is outside.
    fn place(&self, found: usize) -> (usize, u8, isize) {
        let found = isize::try_from(found).unwrap_or(isize::MAX);
        match self {
            Self::After(at, _) => (*at, 0, -found),
            Self::Before(at, _) => (*at, 1, found),
            Self::Instead(range, _) => (range.start, 2, found),
        }
    }
}

/// The source with all of these mutants, but for the numbers that are left out. Lines stay in place.
pub(crate) fn with_all(source: &str, mutants: &[Mutant], first: usize, left_out: &BTreeSet<usize>) -> String {
    let numbered = mutants.iter().enumerate().filter(|(index, _)| !left_out.contains(&(first + index)));
    let mut changes: Vec<_> =
        numbered.flat_map(|(index, mutant)| mutant.changes.iter().map(move |change| (change, index))).collect();
    changes.sort_by_key(|(change, index)| change.place(*index));
    let (mut text, mut at) = (String::with_capacity(source.len() * 2), 0);
    for (change, _) in changes {
        let (start, end, new) = match change {
            Change::Before(at, new) | Change::After(at, new) => (*at, *at, new),
            Change::Instead(range, new) => (range.start, range.end, new),
        };
        text += source.get(at..start).unwrap_or_default();
        text += new;
        at = end;
    }
    text + source.get(at..).unwrap_or_default()
}

/// The text on one line, without its end if it is long.
pub(crate) fn squeezed(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(90) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or(&line)),
        None => line,
    }
}
