//! Runs scripts of the repository that `.ci/run` runs, too.

use crate::ground::Ground;
use crate::part::Outcome;

pub(crate) fn mutants(ground: &Ground) -> Result<Outcome, String> {
    let ran = ground.run("mutants", &mut ground.command("tools/mutants-of-stamps.sh"))?;
    Ok(Outcome::judged(ran.ok, ran.end()).file(ran.log))
}

pub(crate) fn proof(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has("z3") {
        return Ok(Outcome::skipped("z3 is not installed"));
    }
    let ran = ground.run("proof", &mut ground.command("tools/prove-stamps.sh"))?;
    let count = |what: &str| ran.text.lines().filter(|line| line.starts_with(what)).count();
    let claims: usize = ran
        .text
        .lines()
        .filter_map(|line| line.strip_prefix("proven: ")?.split(' ').nth(1)?.parse::<usize>().ok())
        .sum();
    let says = format!(
        "{claims} claims and examples in {} models, {} changed steps refuted",
        count("proven"),
        count("refuted")
    );
    Ok(Outcome::judged(ran.ok, says).fact("claims", claims).fact("refuted", count("refuted")).file(ran.log))
}

pub(crate) fn cost(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has("valgrind") {
        return Ok(Outcome::skipped("valgrind is not installed"));
    }
    let mut command = ground.command("cargo");
    let ran = ground
        .run("cost", command.args(["bench", "-p", "ascendcl", "--locked", "--bench", "cost", "--", "--check"]))?;
    Ok(Outcome::judged(ran.ok, ran.end()).file(ran.log))
}
