//! The lines that tests run, by `cargo llvm-cov`.

use crate::ground::Ground;
use crate::part::Outcome;
use serde_json::Value;

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has("cargo-llvm-cov") {
        return Ok(Outcome::skipped("cargo-llvm-cov is not installed: `.ci/evidence --install-tools`"));
    }
    let mut command = ground.command("cargo");
    if !has_tools(ground) {
        let version = llvm_version(ground)?;
        let [profdata, cov] = ["profdata", "cov"].map(|tool| format!("llvm-{tool}-{version}"));
        if !ground.has(&profdata) || !ground.has(&cov) {
            let text = format!("no LLVM tools: `rustup component add llvm-tools`, or the package llvm-{version}");
            return Ok(Outcome::skipped(&text));
        }
        command.env("LLVM_PROFDATA", profdata).env("LLVM_COV", cov);
    }
    command.args(["llvm-cov", "test", "-p", "ascendcl", "--all-features", "--locked", "--json", "--output-path"]);
    let ran = ground.run("coverage", command.arg(ground.out("coverage.json")))?;
    if !ran.ok {
        return Ok(Outcome::failed(&ran.end()).file(ran.log));
    }
    let text = std::fs::read_to_string(ground.out("coverage.json")).map_err(|error| error.to_string())?;
    let report: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let percent = report.pointer("/data/0/totals/lines/percent").and_then(Value::as_f64).unwrap_or_default();
    let outcome = Outcome::passed(format!("{percent:.1} % of the lines")).fact("percent of lines", percent);
    Ok(outcome.file("coverage.json").file(ran.log))
}

/// Whether the toolchain has `llvm-profdata`, which reads what instrumented programs write.
fn has_tools(ground: &Ground) -> bool {
    let root = ground.output(ground.command("rustc").args(["--print", "target-libdir"])).unwrap_or_default();
    std::path::Path::new(root.trim()).with_file_name("bin").join("llvm-profdata").exists()
}

/// The first number of the version of LLVM that `rustc` has. Other versions may not read what it writes.
fn llvm_version(ground: &Ground) -> Result<String, String> {
    let about = ground.output(ground.command("rustc").arg("-vV"))?;
    let version = about.lines().find_map(|line| line.strip_prefix("LLVM version: "));
    let first = version.and_then(|version| version.split('.').next());
    first.map(str::to_owned).ok_or_else(|| "rustc does not say which LLVM it has".to_owned())
}
