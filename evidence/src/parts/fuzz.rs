//! Runs each target of `fuzz/` for a short time.

use crate::ground::Ground;
use crate::part::Outcome;

/// The time for each target. `tools/fuzz.sh` takes any other time as its argument.
const SECONDS: &str = "30";

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has_nightly() {
        return Ok(Outcome::skipped("no nightly toolchain is installed, which libFuzzer's instrumentation needs"));
    }
    if !ground.has("cargo-fuzz") {
        return Ok(Outcome::skipped("cargo-fuzz is not installed: `.ci/evidence --install-tools`"));
    }
    let ran = ground.run("fuzz", ground.command("tools/fuzz.sh").arg(SECONDS).env_remove("RUSTUP_TOOLCHAIN"))?;
    let runs = executions(&ran.text);
    let names: Vec<_> = runs.iter().map(|(target, count)| format!("{target} {count}")).collect();
    let crashed: Vec<_> = ran.text.lines().filter(|line| line.starts_with("CRASHED")).collect();
    let ended = ran.text.lines().filter(|line| line.starts_with("fuzzed: ")).count();
    let idle: Vec<_> = runs.iter().filter(|(_, count)| *count == 0).map(|(target, _)| target.as_str()).collect();
    let ok = ran.ok && !runs.is_empty() && runs.len() == ended && idle.is_empty();
    let says = if ok {
        format!("executions in {SECONDS} s each: {}", names.join(", "))
    } else if crashed.is_empty() && ran.ok {
        let names = if idle.is_empty() { "none" } else { &idle.join(", ") };
        format!("{ended} targets ended, {} say how many executions they had, and {names} had none", runs.len())
    } else if crashed.is_empty() {
        ran.end()
    } else {
        crashed.join("; ")
    };
    let executions: u64 = runs.iter().map(|(_, count)| count).sum();
    Ok(Outcome::judged(ok, says).fact("targets", runs.len()).fact("executions", executions).file(ran.log))
}

/// Each target that ended without a crash, with the number of its executions.
fn executions(text: &str) -> Vec<(String, u64)> {
    let one = |line: &str| {
        let (target, said) = line.strip_prefix("fuzzed: ")?.split_once(": ")?;
        Some((target.to_owned(), said.split(' ').next()?.parse().ok()?))
    };
    text.lines().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    /// The modules of a file.
    fn modules(file: &str) -> BTreeSet<String> {
        let text = fs::read_to_string(format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let name = |line: &str| Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_owned());
        text.lines().filter_map(name).collect()
    }

    #[test]
    fn random_programs_have_the_same_steps_with_a_seed_and_with_a_fuzzer() {
        let mut with_a_seed = modules("tests/random_programs/main.rs");
        assert!(with_a_seed.remove("fewest"), "it reduces a program that fails, which the fuzzer does by itself");
        assert_eq!(modules("fuzz/targets/programs/main.rs"), with_a_seed);
    }

    #[test]
    fn the_executions_of_each_target_are_read() {
        let text = "fuzzed: models: 1200 executions in 31 s\nCRASHED: calls: see calls.log\nfuzzed: settings: \n";
        assert_eq!(super::executions(text), [("models".to_owned(), 1200)]);
    }
}
