//! Runs a C program on the shared object of the simulator, under valgrind.

use crate::ground::Ground;
use crate::part::Outcome;
use std::process::Command;

/// The exit code that valgrind returns if it found an error.
const FOUND: &str = "--error-exitcode=99";

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has("valgrind") {
        return Ok(Outcome::skipped("valgrind is not installed"));
    }
    let built = ground
        .run("valgrind-build", ground.command("cargo").args(["build", "--locked", "-p", "ascendcl-sim-dylib"]))?;
    if !built.ok {
        return Ok(Outcome::failed(&built.end()).file(built.log));
    }
    let libraries = ground.root.join("target/debug");
    let program = ground.root.join("target/evidence-classify");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut compile = ground.command(&compiler);
    compile.args(["-std=c11", "-g", "-O1", "sim/dylib/tests/classify.c", "-o"]).arg(&program);
    compile.arg("-L").arg(&libraries).args(["-lascendcl", "-pthread", "-ldl"]);
    let compiled = ground.run("valgrind-compile", &mut compile)?;
    if !compiled.ok {
        return Ok(Outcome::failed(&compiled.end()).file(compiled.log));
    }
    let ran = ground.run(
        "valgrind",
        check(&mut ground.command("valgrind"))
            .arg(&program)
            .args(["examples/data/digits.onnx", "examples/data/digits-test.csv"])
            .env("LD_LIBRARY_PATH", &libraries),
    )?;
    let errors = number(&ran.text, "ERROR SUMMARY: ");
    let lost = number(&ran.text, "definitely lost: ");
    // Valgrind prints no such line if nothing is left on the heap.
    let says = format!("{} errors, {} bytes lost", errors.unwrap_or(0), lost.unwrap_or(0));
    let ok = ran.ok && errors == Some(0);
    let outcome = Outcome::judged(ok, if errors.is_some() { says } else { ran.end() });
    Ok(outcome.fact("errors", errors).fact("bytes lost", lost.unwrap_or(0)).file(ran.log))
}

fn check(command: &mut Command) -> &mut Command {
    command.args([
        "--tool=memcheck",
        "--leak-check=full",
        "--show-leak-kinds=definite",
        "--errors-for-leak-kinds=definite",
        FOUND,
    ])
}

/// The number after these words, without its commas.
fn number(text: &str, words: &str) -> Option<u64> {
    let (_, rest) = text.rsplit_once(words)?;
    rest.split(' ').next()?.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn valgrinds_numbers_are_read() {
        let text = "==1==    definitely lost: 1,024 bytes in 1 blocks\n==1== ERROR SUMMARY: 3 errors from 2 contexts\n";
        assert_eq!(super::number(text, "definitely lost: "), Some(1024));
        assert_eq!(super::number(text, "ERROR SUMMARY: "), Some(3));
        assert_eq!(super::number("nothing", "ERROR SUMMARY: "), None);
    }
}
