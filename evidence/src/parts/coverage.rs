//! The lines that tests run, by `cargo llvm-cov`.

use crate::explained::{self, ByFunction, Reason};
use crate::ground::Ground;
use crate::part::Outcome;
use crate::rust_source::{code_only, without_tests};
use crate::uncovered::{Covered, files};
use crate::unsafe_code::files as sources;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Tests that run the compiler or read sources. They run no code of the crate.
const NOT_RUNNING_IT: [&str; 7] = ["documented", "examples", "floors", "packages", "suggestions", "traceability", "ui"];

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has("cargo-llvm-cov") {
        return Ok(Outcome::skipped("cargo-llvm-cov is not installed: `.ci/evidence --install-tools`"));
    }
    let Some([profdata, cov]) = tools(ground)? else {
        let version = llvm_version(ground)?;
        let text = format!("no LLVM tools: `rustup component add llvm-tools`, or the package llvm-{version}");
        return Ok(Outcome::skipped(&text));
    };
    let mut command = ground.command("cargo");
    command.env("LLVM_PROFDATA", profdata).env("LLVM_COV", &cov);
    command.args(["llvm-cov", "test", "-p", "ascendcl", "--all-features", "--locked", "--lib"]);
    for test in tests_of(ground, "ascendcl")?.iter().filter(|test| *test != "stamps") {
        command.args(["--test", test]);
    }
    let ran = ground.run("coverage", &mut command)?;
    if !ran.ok {
        return Ok(Outcome::failed(&ran.end()).file(ran.log));
    }
    let reports: Result<Vec<_>, _> =
        programs(&ran.text).into_iter().map(|program| report(ground, &cov, program)).collect();
    let files = files(ground, &reports?)?;
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
    let without = without_a_report(ground, &files)?;
    if lines == 0 {
        says = "no line of the safe crate is in a report".to_owned();
    }
    if let [first, ..] = without.as_slice() {
        let _ = write!(says, "; {} files with functions are in no report, {first} first", without.len());
    }
    let left_over = explained::left_over(&missed, &reasons);
    let open = reasons.values().filter(|reason| reason.why.starts_with("Open: ")).count();
    let outcome = Outcome::judged(unexplained.is_empty() && without.is_empty() && lines > 0, says)
        .fact("percent of lines", percent)
        .fact("lines that cannot run", sum(|file| file.never))
        .fact("functions with lines that a test should run", open)
        .fact("reasons of lines that a test ran this time", left_over.join(", "));
    Ok(outcome.file("coverage.md").file(ran.log))
}

/// Files of the safe crate with functions that run, of which no report says anything.
fn without_a_report(ground: &Ground, files: &[Covered]) -> Result<Vec<String>, String> {
    let mut without = Vec::new();
    for path in sources(&ground.root.join("src"))? {
        let name = path.strip_prefix(&ground.root).unwrap_or(&path).display().to_string();
        let is_of_tests = name.ends_with("_tests.rs");
        if !is_of_tests && !files.iter().any(|file| file.name == name) && has_code(&ground.read(&name)?) {
            without.push(name);
        }
    }
    Ok(without)
}

/// Whether a function of the file has a body. What macros make is of the files that use them, and constant functions may be
/// called by the compiler alone.
fn has_code(text: &str) -> bool {
    let code = without_tests(&code_only(text));
    let begins = |line: &str| line.contains("fn ") && line.trim_end().ends_with('{') && !line.contains("const fn ");
    !code.contains("macro_rules!") && code.lines().any(begins)
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

/// The programs with tests that a run has started, as Cargo tells it.
fn programs(log: &str) -> Vec<&str> {
    let started = log.lines().filter_map(|line| line.trim_start().strip_prefix("Running "));
    started.filter_map(|program| program.strip_suffix(')')?.rsplit_once(" (")).map(|(_, program)| program).collect()
}

/// The lines that one program ran, as `llvm-cov` reports them. Of a function that several programs have, a report on all of
/// them has the counts of one: of one that does not call it, or has it inlined, perhaps.
fn report(ground: &Ground, cov: &Path, program: &str) -> Result<Value, String> {
    let program = ground.root.join(program);
    let profile = program.ancestors().nth(3).and_then(profile_in);
    let profile = profile.ok_or_else(|| format!("there is no profile of {}", program.display()))?;
    let mut command = ground.command(&cov.to_string_lossy());
    command.args(["export", "-format=text", "-skip-functions", "-instr-profile"]).arg(profile);
    command.arg(&program).arg("-sources").arg(ground.root.join("src"));
    serde_json::from_str(&ground.output(&mut command)?).map_err(|error| format!("{}: {error}", program.display()))
}

/// The counts of all programs, which `cargo llvm-cov` has merged.
fn profile_in(folder: &Path) -> Option<PathBuf> {
    let mut files = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    files.find(|path| path.extension().is_some_and(|end| end == "profdata"))
}

/// `llvm-profdata` and `llvm-cov`, of the toolchain or of the system.
fn tools(ground: &Ground) -> Result<Option<[PathBuf; 2]>, String> {
    let libraries = ground.output(ground.command("rustc").args(["--print", "target-libdir"]))?;
    let own = Path::new(libraries.trim()).with_file_name("bin");
    let own = ["llvm-profdata", "llvm-cov"].map(|tool| own.join(tool));
    if own.iter().all(|tool| tool.exists()) {
        return Ok(Some(own));
    }
    let version = llvm_version(ground)?;
    let [profdata, cov] = ["profdata", "cov"].map(|tool| ground.path_of(&format!("llvm-{tool}-{version}")));
    Ok(profdata.zip(cov).map(|(profdata, cov)| [profdata, cov]))
}

/// The major version of the LLVM in `rustc`. Tools of another version may not read its profiles.
fn llvm_version(ground: &Ground) -> Result<String, String> {
    let about = ground.output(ground.command("rustc").arg("-vV"))?;
    let version = about.lines().find_map(|line| line.strip_prefix("LLVM version: "));
    let first = version.and_then(|version| version.split('.').next());
    first.map(str::to_owned).ok_or_else(|| "rustc does not say which LLVM it has".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{has_code, programs};

    #[test]
    fn a_file_has_code_if_a_function_of_it_has_a_body_that_runs() {
        assert!(has_code("impl A {\n    fn runs(&self) {\n    }\n}\n"));
        for without in [
            "trait A {\n    fn runs(&self);\n}\n",
            "const fn counts() {\n}\n",
            "#[cfg(test)]\nmod tests {\n    fn runs() {\n    }\n}\n",
            "macro_rules! makes {\n    () => { fn made() {\n } };\n}\n",
        ] {
            assert!(!has_code(without), "{without}");
        }
    }

    #[test]
    fn the_programs_of_a_run_are_found_in_its_log() {
        let log = "   Compiling a v0.1.0\n     Running unittests src/lib.rs (target/debug/deps/a-1)\n\nrunning 1 test\n\
                 Running tests/b/main.rs (target/debug/deps/b-2)\nRunning tests/c.rs\n";
        assert_eq!(programs(log), ["target/debug/deps/a-1", "target/debug/deps/b-2"]);
    }
}
