//! Commands of the repository that `.ci/run` has too.

use crate::ground::Ground;
use crate::part::Outcome;

pub(crate) fn mutants(ground: &Ground) -> Result<Outcome, String> {
    let ran = ground.run("mutants", &mut ground.command("tools/mutants-of-stamps.sh"))?;
    Ok(Outcome::judged(ran.ok, ran.end()).file(ran.log))
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
