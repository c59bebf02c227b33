//! Prints a rule of AscendCL in a terminal, as `rustc --explain` prints an error: the vendor's requirement, how this
//! crate enforces it, a program that the compiler refuses, the compiler's message, and the repaired program.

#![forbid(unsafe_code)]

mod nearest;
mod page;
mod pages;

use ascendcl_rules::Area;
use lexopt::prelude::*;
use page::{Page, Programs};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::ExitCode;

const HELP: &str = "\
Explains a rule of AscendCL: what the vendor demands, what this crate does about it, a program that the compiler
refuses with its message, and the repaired program.

Usage: ascendcl-explain [--all] RULE
       ascendcl-explain [AREA]

  RULE         the id of a rule, as messages print it: ALLOC-09
  AREA         the first part of an id: lists the rules of the area; without it, the areas are listed
  --all        print every program that breaks the rule, not only one
  --version    print the version
  --help       print this text
";

/// No rule has this name, or the text could not be written.
const UNKNOWN: u8 = 1;
/// The arguments are wrong.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let (text, status) = match arguments() {
        Ok(Task::Print(text)) => (text, 0),
        Ok(Task::Explain(name, programs)) => match explained(&name, programs) {
            Ok(text) => (text, 0),
            Err(unknown) => return told(&unknown, UNKNOWN),
        },
        Err(wrong) => return told(&format!("{wrong}\n\n{HELP}"), USAGE),
    };
    match writeln!(io::stdout(), "{}", text.trim_end()) {
        Ok(()) => ExitCode::from(status),
        Err(_) => ExitCode::from(UNKNOWN),
    }
}

fn told(text: &str, status: u8) -> ExitCode {
    // Stdout may be closed.
    drop(writeln!(io::stderr(), "ascendcl-explain: {}", text.trim_end()));
    ExitCode::from(status)
}

enum Task {
    Print(String),
    Explain(String, Programs),
}

fn arguments() -> Result<Task, lexopt::Error> {
    let mut arguments = lexopt::Parser::from_env();
    let (mut name, mut programs) = (None, Programs::One);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("all") => programs = Programs::All,
            Long("version") | Short('V') => {
                return Ok(Task::Print(concat!("ascendcl-explain ", env!("CARGO_PKG_VERSION")).into()));
            }
            Long("help") | Short('h') => return Ok(Task::Print(HELP.into())),
            Value(value) if name.is_none() => name = Some(value.string()?),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(name.map_or_else(|| Task::Print(areas()), |name| Task::Explain(name, programs)))
}

/// The page of a rule, or the list of an area.
fn explained(name: &str, programs: Programs) -> Result<String, String> {
    if let Some(id) = nearest::meant(name) {
        return Ok(Page { id, programs }.to_string());
    }
    if let Some(area) = Area::ALL.iter().find(|area| area.code().eq_ignore_ascii_case(name)) {
        let rules = area.rules().iter().map(|id| format!("{id}: {}\n", id.rule().text));
        return Ok(format!("{}\n\n{}", area.title(), rules.collect::<String>()));
    }
    let mut unknown = format!("the catalogue has no rule `{name}`. The nearest ones are:\n\n");
    for id in nearest::to(name) {
        // Writing to a string cannot fail.
        let _ = writeln!(unknown, "  {id}: {}", id.rule().text);
    }
    Err(unknown + "\nWithout a name, `ascendcl-explain` lists the areas.")
}

fn areas() -> String {
    let lines = Area::ALL.iter().map(|area| {
        let range = match area.rules() {
            [first, .., last] => format!("{first} to {last}"),
            rules => rules.iter().map(|id| id.as_str()).collect(),
        };
        format!("  {range:<22} {}\n", area.title())
    });
    format!("{}\nThe areas:\n\n{}", HELP, lines.collect::<String>())
}
