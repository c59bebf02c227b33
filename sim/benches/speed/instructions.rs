//! The same comparison in instructions of all threads: valgrind counts them, whatever else the machine does.

use super::model::{Alone, Simulated, digits, layers};
use std::process::{Command, Stdio};

/// The models, each with how many runs are counted, and what the simulator may add to the instructions of one, in percent.
/// A third of what it adds to the small one is its `Relu`, which keeps what is no number (`rten` makes zero of it).
const MODELS: [(&str, u32, f64); 2] = [("digits", 20, 38.0), ("layers", 2, 3.0)];

/// Counts what a run costs beside `rten` alone. Fails where a bound is passed.
pub(crate) fn counts() -> bool {
    let asked = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    if !asked.is_ok_and(|status| status.success()) {
        println!("SKIPPED: no instructions were counted, because valgrind is not installed");
        return true;
    }
    let within = MODELS.map(|(model, rounds, most)| {
        let [alone, simulated] = ["alone", "simulated"].map(|side| per_run(model, side, rounds));
        let more = (simulated as f64 / alone as f64 - 1.0) * 100.0;
        println!("{model}: {alone} instructions in rten, {simulated} on a stream: {more:.2} % more (at most {most} %)");
        more < most
    });
    !within.contains(&false)
}

/// What is counted: a program by itself.
pub(crate) fn one(model: &str, side: &str, rounds: u32) {
    let of = if model == "digits" { digits() } else { layers() };
    match side {
        "alone" => {
            let alone = Alone::new(&of);
            (0..rounds).for_each(|_| drop(alone.run()));
        }
        _ => {
            let simulated = Simulated::new(&of);
            (0..rounds).for_each(|_| simulated.run());
            simulated.end();
        }
    }
}

fn per_run(model: &str, side: &str, rounds: u32) -> u64 {
    // The first rounds start threads and fill caches.
    let collected = |rounds: u32| {
        let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
        let words = ["one", model, side, &rounds.to_string()].map(str::to_owned);
        let program = std::env::current_exe().unwrap();
        let output = Command::new("valgrind").args(options).arg(program).args(&words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {said}");
        let collected = said.lines().find_map(|line| line.split_once("Collected :"));
        collected.expect("callgrind says what it counted").1.trim().parse::<u64>().unwrap()
    };
    (collected(2 * rounds) - collected(rounds)) / u64::from(rounds)
}
