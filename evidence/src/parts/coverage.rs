//! The lines that tests run, by `cargo llvm-cov`.

use crate::explained::{self, ByFunction, Reason};
use crate::ground::Ground;
use crate::part::Outcome;
use crate::uncovered::{Covered, files};
use serde_json::Value;
use std::fmt::Write;

/// Tests that run the compiler or read sources. They run no code of the crate.
const NOT_RUNNING_IT: [&str; 7] = ["documented", "examples", "floors", "packages", "suggestions", "traceability", "ui"];

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has("cargo-llvm-cov") {
        return Ok(Outcome::skipped("cargo-llvm-cov is not installed: `.ci/evidence --install-tools`"));
    }
    let mut command = ground.command("cargo");
    if !has_tools(ground) {
        let version = llvm_version(ground)?;
        let [profdata, cov] = ["profdata", "cov"].map(|tool| format!("llvm-{tool}-{version}"));
        let (Some(profdata), Some(cov)) = (ground.path_of(&profdata), ground.path_of(&cov)) else {
            let text = format!("no LLVM tools: `rustup component add llvm-tools`, or the package llvm-{version}");
            return Ok(Outcome::skipped(&text));
        };
        command.env("LLVM_PROFDATA", profdata).env("LLVM_COV", cov);
    }
    command.args(["llvm-cov", "test", "-p", "ascendcl", "--all-features", "--locked", "--lib"]);
    for test in tests_of(ground, "ascendcl")?.iter().filter(|test| *test != "stamps") {
        command.args(["--test", test]);
    }
    command.args(["--json", "--output-path"]);
    let ran = ground.run("coverage", command.arg(ground.out("coverage.json")))?;
    if !ran.ok {
        return Ok(Outcome::failed(&ran.end()).file(ran.log));
    }
    let text = std::fs::read_to_string(ground.out("coverage.json")).map_err(|error| error.to_string())?;
    let report: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let files = files(ground, &report)?;
    let (missed, reasons) = (explained::missed(&files), explained::of(&ground.read(explained::FILE)?)?);
    let unexplained = explained::unexplained(&missed, &reasons);
    ground.write("coverage.md", &page(&files, &reasons))?;
    let sum = |count: fn(&Covered) -> usize| files.iter().map(count).sum::<usize>();
    let (lines, run) = (sum(|file| file.lines), sum(|file| file.run));
    let percent = 100.0 * run as f64 / lines.max(1) as f64;
    let mut says = format!("{run} of {lines} lines of the safe crate ({percent:.1} %), beside those that cannot run; ");
    match unexplained.as_slice() {
        [] => says += "the others have a reason",
        [first, ..] => {
            let _ = write!(says, "{} functions have lines without a reason, {first:?} first", unexplained.len());
            ground.write("uncovered.tsv", &unexplained.join("\n"))?;
        }
    }
    let left_over = explained::left_over(&missed, &reasons);
    let open = reasons.values().filter(|reason| reason.why.starts_with("Open: ")).count();
    let outcome = Outcome::judged(unexplained.is_empty(), says)
        .fact("percent of lines", percent)
        .fact("lines that cannot run", sum(|file| file.never))
        .fact("functions with lines that a test should run", open)
        .fact("reasons of lines that a test ran this time", left_over.join(", "));
    Ok(outcome.file("coverage.md").file("coverage.json").file(ran.log))
}

/// The test targets of the package that run its code.
pub(crate) fn tests_of(ground: &Ground, package: &str) -> Result<Vec<String>, String> {
    let asked = ["metadata", "--format-version", "1", "--no-deps", "--locked"];
    let metadata = ground.output(ground.command("cargo").args(asked))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let list = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let own =
        list(&metadata, "packages").into_iter().filter(|found| found.get("name").is_some_and(|name| name == package));
    let targets = own.flat_map(|package| list(&package, "targets"));
    let tests = targets.filter(|target| list(target, "kind").iter().any(|kind| kind == "test"));
    let names = tests.filter_map(|test| test.get("name")?.as_str().map(str::to_owned));
    Ok(names.filter(|name| !NOT_RUNNING_IT.contains(&name.as_str())).collect())
}

/// The page that lists, for each file, the lines that no test runs, with the reason. Files with the most such lines come
/// first.
fn page(files: &[Covered], reasons: &ByFunction<Reason>) -> String {
    let mut files: Vec<_> = files.iter().filter(|file| !file.missed.is_empty()).collect();
    files.sort_by_key(|file| core::cmp::Reverse(file.missed.len()));
    let mut page = "# Lines that no test runs\n\n\
        Functions that exist for the compiler's messages alone are left out: no program that compiles can call them.\n"
        .to_owned();
    for file in files {
        let _ = write!(page, "\n## {} ({} of {} lines run)\n\n", file.name, file.run, file.lines);
        let mut rest = file.missed.as_slice();
        while let [first, ..] = rest {
            let same = rest.iter().take_while(|line| line.function == first.function).count();
            let (lines, after) = rest.split_at(same);
            rest = after;
            let reason = reasons.get(&(file.name.clone(), first.function.clone()));
            let why = reason.map_or("no reason is known", |reason| reason.why.as_str());
            let _ = writeln!(page, "`{}`: {why}\n", first.function);
            for line in lines {
                let _ = writeln!(page, "    {:4} {}", line.number, line.text);
            }
            page.push('\n');
        }
    }
    page
}

/// Whether the toolchain has `llvm-profdata`, which reads the profiles of instrumented programs.
fn has_tools(ground: &Ground) -> bool {
    let root = ground.output(ground.command("rustc").args(["--print", "target-libdir"])).unwrap_or_default();
    std::path::Path::new(root.trim()).with_file_name("bin").join("llvm-profdata").exists()
}

/// The major version of the LLVM in `rustc`. Tools of another version may not read its profiles.
fn llvm_version(ground: &Ground) -> Result<String, String> {
    let about = ground.output(ground.command("rustc").arg("-vV"))?;
    let version = about.lines().find_map(|line| line.strip_prefix("LLVM version: "));
    let first = version.and_then(|version| version.split('.').next());
    first.map(str::to_owned).ok_or_else(|| "rustc does not say which LLVM it has".to_owned())
}
