//! The public API of each published library, compared with its snapshot.

use crate::ground::Ground;
use crate::part::{Outcome, Status};
use std::collections::BTreeMap;
use std::fs;

/// The published libraries that other crates may use. `ascendcl-sim-dylib` exports C functions alone, which its own
/// tests compare with the table, and `ascendcl-doctor` is a program.
const CRATES: [(&str, &str); 7] = [
    ("ascendcl", WITH_DERIVED),
    ("ascendcl-sys", WITHOUT_DERIVED),
    ("ascendcl-ge", WITH_DERIVED),
    ("ascendcl-ge-sys", WITH_DERIVED),
    ("ascendcl-sim", WITHOUT_DERIVED),
    ("ascendcl-rules", WITHOUT_DERIVED),
    ("ascendcl-macros", WITH_DERIVED),
];

/// Derived implementations belong to the API; blanket and automatic ones only repeat what the types say.
const WITH_DERIVED: &str = "-ss";

/// The derived implementations of crates whose types are generated from tables are thousands of lines alike.
const WITHOUT_DERIVED: &str = "-sss";

/// `API=overwrite .ci/evidence --only api` writes the snapshots.
const OVERWRITE: &str = "API";

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has("cargo-public-api") {
        return Ok(Outcome::skipped("cargo-public-api is not installed: `.ci/evidence --install-tools`"));
    }
    if ground.output(ground.command("rustc").args(["+nightly", "--version"])).is_err() {
        return Ok(Outcome::skipped("no nightly toolchain is installed, and rustdoc writes JSON on nightly alone"));
    }
    let overwrite = std::env::var_os(OVERWRITE).is_some_and(|value| value == "overwrite");
    let (mut items, mut differing, mut outcome) = (0, Vec::new(), Outcome::passed(""));
    for (name, derived) in CRATES {
        let api = api(ground, name, derived)?;
        items += api.lines().count();
        let file = format!("docs/api/{name}.txt");
        if overwrite {
            let path = ground.root.join(&file);
            let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, &api));
            written.map_err(|error| format!("{file}: {error}"))?;
        }
        let known = ground.read(&file).unwrap_or_default();
        let (text, lines) = compared(&known, &api);
        if lines != 0 {
            let difference = format!("api/{name}.diff");
            ground.write(&difference, &text)?;
            outcome = outcome.file(difference);
            differing.push(format!("{name} differs in {lines} lines"));
        }
    }
    outcome.says = format!("{items} items of {} crates", CRATES.len());
    if !differing.is_empty() {
        outcome.status = Status::Failed;
        let advice = "look at the difference, then `API=overwrite .ci/evidence --only api`";
        outcome.says = format!("{}: {advice}", differing.join(", "));
    }
    Ok(outcome.fact("items", items).fact("differing", differing))
}

fn api(ground: &Ground, name: &str, derived: &str) -> Result<String, String> {
    let mut command = ground.command("cargo");
    command.args(["+nightly", "public-api", "-p", name, "--all-features", derived, "--color", "never"]);
    command.arg("--target-dir").arg(ground.root.join("target/api"));
    command.env_remove("RUSTUP_TOOLCHAIN");
    ground.output(&mut command)
}

/// The lines that one of them has more often than the other. Their order says nothing about an API.
fn compared(known: &str, now: &str) -> (String, usize) {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    known.lines().for_each(|line| *counts.entry(line).or_default() -= 1);
    now.lines().for_each(|line| *counts.entry(line).or_default() += 1);
    let differing = counts.into_iter().filter(|(_, count)| *count != 0);
    let lines: Vec<String> = differing
        .flat_map(|(line, count)| {
            let sign = if count < 0 { '-' } else { '+' };
            (0..count.abs()).map(move |_| format!("{sign}{line}\n"))
        })
        .collect();
    (lines.concat(), lines.len())
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_was_taken_away_and_what_is_new_is_told() {
        let (text, lines) = super::compared("pub fn a()\npub fn b()\n", "pub fn b()\npub fn c()\n");
        assert_eq!((text.as_str(), lines), ("-pub fn a()\n+pub fn c()\n", 2));
    }

    #[test]
    fn a_line_that_is_there_once_less_differs_and_another_order_does_not() {
        assert_eq!(super::compared("impl A\nimpl A\n", "impl A\n"), ("-impl A\n".to_owned(), 1));
        assert_eq!(super::compared("impl A\nimpl B\n", "impl B\nimpl A\n"), (String::new(), 0));
    }
}
