//! Counts instructions: `callgrind` runs this file again, and counts in the function that is measured.

use std::process::{Command, Stdio};

pub(crate) fn is_there() -> bool {
    let asked = Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Instructions per round, rounded up. `words` are those of a run with so many rounds.
pub(crate) fn per_round<const N: usize>(rounds: u32, words: impl Fn(u32) -> [String; N]) -> u64 {
    (collected(&words(rounds)) - collected(&words(0))).div_ceil(rounds.into())
}

/// The instructions of all measured operations of a run with these words.
pub(crate) fn collected(words: &[String]) -> u64 {
    let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*counted_operation*"];
    let program = std::env::current_exe().unwrap();
    let output = Command::new("valgrind").args(options).arg(program).args(words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said}");
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    collected.expect("callgrind says what it counted").1.trim().parse().unwrap()
}
