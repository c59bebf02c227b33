//! The chapter *Rules and diagnostics* explains what the compiler says in words that no library can change. Each refused
//! program whose messages name no rule has to find its row there.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use ascendcl_book::repository;
use ascendcl_rules::RuleId;
use std::fs;

/// So many refused programs have messages that name no rule, at least.
const FLOOR: usize = 75;

#[test]
fn the_table_explains_each_message_that_names_no_rule() {
    let page = fs::read_to_string(repository().join("book/pages/rules.md")).unwrap();
    let rows = rows(&page);
    assert!(rows.len() >= 20 && rows.iter().all(|row| !row.is_empty()), "{rows:?}");
    let (mut count, mut missing) = (0, Vec::new());
    for (program, text) in messages() {
        for message in text.split("\n\nerror").filter(|message| has_fixed_words(message, &text)) {
            count += 1;
            let plain = message.replace('`', "");
            if !rows.iter().flatten().any(|phrase| says(&plain, phrase)) {
                missing.push(format!("{program}: {}", message.lines().next().unwrap()));
            }
        }
    }
    assert!(count >= FLOOR, "{count} messages");
    assert!(missing.is_empty(), "book/pages/rules.md has no row for\n{}", missing.join("\n"));
}

/// Whether the message is the compiler's alone. Messages about a bound (E0277) have words of this crate. What follows from one,
/// a type that does not fit (E0308) or a method that is missing (E0599), stands beside the message that names the rule.
fn has_fixed_words(message: &str, program: &str) -> bool {
    let head = message.lines().next().unwrap();
    let follows = ["[E0308]", "[E0599]"].iter().any(|code| head.contains(code)) && names_a_rule(program);
    !names_a_rule(message) && !head.contains("[E0277]") && !follows
}

fn names_a_rule(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| word.contains('-')).any(|word| word.parse::<RuleId>().is_ok())
}

/// What each row of the table quotes of messages, without backticks. Words behind the quotes say where the message stands.
fn rows(page: &str) -> Vec<Vec<String>> {
    let table = page.lines().skip_while(|line| !line.starts_with("| the message says |")).skip(2);
    let cells = table.map_while(|line| line.strip_prefix("| ")?.split_once(" | ")).map(|(cell, _)| cell);
    cells.map(quotes).collect()
}

/// The pieces of code at the beginning, with commas between: `a`, `b`.
fn quotes(cell: &str) -> Vec<String> {
    let (mut quotes, mut rest) = (Vec::new(), cell);
    // A piece with backticks in it stands between two of them.
    while let Some(mark) = ["``", "`"].into_iter().find(|mark| rest.starts_with(mark)) {
        let (quote, after) =
            rest[mark.len()..].split_once(mark).unwrap_or_else(|| panic!("no end of a quote in {cell}"));
        quotes.push(quote.replace('`', "").trim().to_owned());
        rest = after.strip_prefix(", ").unwrap_or_default();
    }
    quotes
}

/// Whether a line of the message has the parts of the phrase in their order. `…` stands for anything.
fn says(message: &str, phrase: &str) -> bool {
    message.lines().any(|line| {
        let mut rest = line;
        phrase.split('…').all(|part| rest.split_once(part.trim()).map(|(_, after)| rest = after).is_some())
    })
}

/// The names of all refused programs, and what the compiler says of them.
fn messages() -> Vec<(String, String)> {
    let files = fs::read_dir(repository().join("ui-tests/fail")).unwrap().map(|file| file.unwrap().path());
    let messages = files.filter(|path| path.extension().is_some_and(|ending| ending == "stderr"));
    messages
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap()))
        .collect()
}
