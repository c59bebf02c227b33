//! Runs the checks that show that the crates are safe, and writes the results to `target/evidence/`: `index.md` for
//! people, `summary.json` for programs, and the logs and tables of each part. `docs/evidence.md` says what each part
//! shows.

#![forbid(unsafe_code)]

mod dependencies;
mod explained;
mod ground;
mod guards;
mod index;
mod metadata;
mod part;
mod parts;
mod reasons;
mod rust_source;
mod sbom;
mod table;
mod test_run;
mod trace;
mod uncovered;
mod unsafe_code;

use ground::Ground;
use lexopt::prelude::*;
use part::{Done, Outcome, Part};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
Runs what shows that the crates are safe, and writes target/evidence/index.md, summary.json, tables and logs.

Usage: .ci/evidence [--short] [--only PART]...

  --short        leave out the parts that take minutes
  --only PART    run this part only; may be given several times
  --list         print the parts and what each shows
  --help         print this text

The exit code is 1 if a part failed. A part whose tool is not installed is skipped, with the reason.
`.ci/evidence --install-tools` installs the optional tools into target/tools first.
";

/// A part failed, or the results could not be written.
const FAILED: u8 = 1;
/// The arguments are wrong.
const USAGE: u8 = 2;

/// What the arguments ask for.
#[derive(Default)]
struct Wish {
    short: bool,
    only: Vec<String>,
    list: bool,
    help: bool,
}

fn main() -> ExitCode {
    let wish = match arguments() {
        Ok(wish) => wish,
        Err(wrong) => return told(&format!("{wrong}\n\n{HELP}"), USAGE),
    };
    if let Some(unknown) = wish.only.iter().find(|name| !parts::ALL.iter().any(|part| part.name == **name)) {
        return told(&format!("there is no part `{unknown}`; `--list` prints the parts"), USAGE);
    }
    if wish.help || wish.list {
        let list: String = parts::ALL.iter().map(|part| format!("{:<16} {}\n", part.name, part.shows)).collect();
        say(if wish.help { HELP } else { &list });
        return ExitCode::SUCCESS;
    }
    match all(&wish) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => told(&error, FAILED),
    }
}

fn arguments() -> Result<Wish, lexopt::Error> {
    let mut arguments = lexopt::Parser::from_env();
    let mut wish = Wish::default();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("short") => wish.short = true,
            Long("only") => wish.only.push(arguments.value()?.string()?),
            Long("list") => wish.list = true,
            Long("help") | Short('h') => wish.help = true,
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(wish)
}

/// Runs the parts and writes the index. Returns whether all parts passed or were skipped.
fn all(wish: &Wish) -> Result<bool, String> {
    let ground = Ground::new(&root()?, wish.only.is_empty())?;
    let mut done = Vec::new();
    for part in parts::ALL.iter().filter(|part| wish.only.is_empty() || wish.only.iter().any(|name| name == part.name))
    {
        say(&format!("{:<16} ", part.name));
        let result = run(part, wish, &ground);
        say(&format!("{:<8} {:>5.0} s  {}\n", result.outcome.status.word(), result.seconds, result.outcome.says));
        done.push(result);
        // The index is written after each part, so that an interrupted run leaves its results.
        index::write(&ground, &done)?;
    }
    let failed = done.iter().filter(|done| done.outcome.status == part::Status::Failed).count();
    say(&format!("{failed} failed; see {}\n", ground.out("index.md").display()));
    Ok(failed == 0)
}

fn run(part: &'static Part, wish: &Wish, ground: &Ground) -> Done {
    let begin = Instant::now();
    let outcome = if part.long && wish.short {
        Outcome::skipped("left out by `--short`")
    } else {
        (part.run)(ground).unwrap_or_else(|error| Outcome::failed(&error))
    };
    Done { part, outcome, seconds: begin.elapsed().as_secs_f64() }
}

/// The root of the repository that this program was built from.
fn root() -> Result<PathBuf, String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().map(Path::to_owned).ok_or_else(|| "the package is not in a repository".to_owned())
}

fn say(text: &str) {
    // Stdout may be closed; only the files matter.
    drop(write!(io::stdout(), "{text}").and_then(|()| io::stdout().flush()));
}

fn told(text: &str, status: u8) -> ExitCode {
    // Stderr may be closed.
    drop(writeln!(io::stderr(), "evidence: {}", text.trim_end()));
    ExitCode::from(status)
}
