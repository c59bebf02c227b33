//! Checks the exercises of the book: says what is solved, names the next one, and prints the compiler's message.

#![forbid(unsafe_code)]

mod compiler;
mod exercises;
mod progress;

use compiler::Compiler;
use exercises::{EXERCISES, Exercise};
use lexopt::prelude::*;
use progress::Progress;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const HELP: &str = "\
Checks the exercises of the book.

Usage: ascendcl-exercises [OPTIONS] [NAME]

  NAME            check this exercise instead of the next one: 03_memory
  --hint          print a hint for it
  --reset         begin it again: replaces your program by the exercise
  --folder PATH   where your programs are; exercises/mine by default
  --help          print this text

The exit status is 0 if every exercise is solved.
";

/// An exercise is not solved.
const UNSOLVED: u8 = 1;
/// The arguments are wrong, or something else than an exercise failed.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let mut text = String::new();
    let status = arguments().and_then(|arguments| run(&arguments, &mut text)).unwrap_or_else(|error| {
        text = format!("ascendcl-exercises: {error}\n");
        FAILED
    });
    match write!(io::stdout(), "{text}") {
        Ok(()) => ExitCode::from(status),
        Err(_) => ExitCode::from(FAILED),
    }
}

#[derive(Default)]
struct Arguments {
    name: Option<String>,
    folder: PathBuf,
    hint: bool,
    reset: bool,
    help: bool,
}

fn arguments() -> Result<Arguments> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("mine");
    let mut arguments = Arguments { folder, ..Arguments::default() };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("hint") => arguments.hint = true,
            Long("reset") => arguments.reset = true,
            Long("folder") => arguments.folder = parser.value()?.into(),
            Long("help") | Short('h') => arguments.help = true,
            Value(name) if arguments.name.is_none() => arguments.name = Some(name.string()?),
            other => return Err(format!("{}\n\n{HELP}", other.unexpected()).into()),
        }
    }
    Ok(arguments)
}

fn run(arguments: &Arguments, text: &mut String) -> Result<u8> {
    if arguments.help {
        text.push_str(HELP);
        return Ok(0);
    }
    let named = arguments.name.as_deref().map(exercise).transpose()?;
    if arguments.reset {
        let exercise = named.ok_or("--reset needs the name of an exercise")?;
        fs::write(exercise.file(&arguments.folder), exercise.unsolved)?;
        text.push_str(&format!("{} is as it was in the beginning\n", exercise.name));
        return Ok(0);
    }
    copy(&arguments.folder)?;
    let compiler = Compiler::new(&arguments.folder.join("built"))?;
    let progress = Progress::of(&arguments.folder, &compiler)?;
    text.push_str(&progress.table());
    let Some(next) = named.or(progress.next()) else {
        text.push_str("Every exercise is solved.\n");
        return Ok(0);
    };
    if arguments.hint {
        text.push_str(&format!("A hint for {}: {}\n", next.name, next.hint));
        return Ok(UNSOLVED);
    }
    text.push_str(&progress.report(next, &arguments.folder, &compiler)?);
    Ok(if progress.next().is_none() { 0 } else { UNSOLVED })
}

fn exercise(name: &str) -> Result<&'static Exercise> {
    let found =
        EXERCISES.iter().find(|exercise| exercise.name == name || exercise.name.starts_with(&format!("{name}_")));
    let names = || EXERCISES.iter().map(|exercise| exercise.name).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| format!("no exercise is called `{name}`; there are {}", names()).into())
}

/// Copies what the reader does not have yet.
fn copy(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for exercise in EXERCISES.iter().filter(|exercise| !exercise.file(folder).exists()) {
        fs::write(exercise.file(folder), exercise.unsolved)?;
    }
    Ok(())
}
