//! Runs `cargo deny` without its advisories, which need a database from the network.

use crate::ground::Ground;
use crate::part::Outcome;

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has("cargo-deny") {
        return Ok(Outcome::skipped("cargo-deny is not installed: `.ci/evidence --install-tools`"));
    }
    let mut command = ground.command("cargo");
    command.args(["deny", "--locked", "--color", "never", "check", "licenses", "bans", "sources"]);
    let ran = ground.run("deny", &mut command)?;
    let result = ran.text.lines().rev().find(|line| line.contains("licenses ")).unwrap_or_default().trim().to_owned();
    let wrong = ran.text.lines().filter(|line| line.starts_with("error")).take(3).collect::<Vec<_>>().join("; ");
    let says = if ran.ok { format!("{result}; advisories are not checked") } else { format!("{result}; {wrong}") };
    let warnings = ran.text.lines().filter(|line| line.starts_with("warning")).count();
    Ok(Outcome::judged(ran.ok, says).fact("warnings", warnings).file(ran.log))
}
