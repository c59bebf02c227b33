//! Reduces a failing program to the fewest steps that still fail.
//!
//! Each try runs in its own process, because a failing program can leave anything behind or end its process.

use crate::program::Program;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(40);
/// The seed of the only program to run, and which of its steps.
pub(crate) const SEED: &str = "ASCENDCL_RANDOM_PROGRAM";
pub(crate) const STEPS: &str = "ASCENDCL_RANDOM_PROGRAM_STEPS";

/// The steps of each thread, by their numbers.
type Kept = Vec<Vec<usize>>;

/// As text: numbers with commas between them, threads with semicolons.
pub(crate) fn as_text(kept: &[Vec<usize>]) -> String {
    let thread = |steps: &Vec<usize>| steps.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    kept.iter().map(thread).collect::<Vec<_>>().join(";")
}

pub(crate) fn of_text(text: &str) -> Kept {
    let numbers = |text: &str| -> Vec<usize> {
        text.split(',').filter(|number| !number.is_empty()).map(|number| number.parse().unwrap()).collect()
    };
    text.split(';').map(numbers).collect()
}

/// Leaves steps out as long as the program fails.
pub(crate) fn steps(seed: u64, program: &Program) -> Kept {
    let mut best: Kept = program.threads.iter().map(|steps| (0..steps.len()).collect()).collect();
    let (start, mut part) = (Instant::now(), best.iter().map(Vec::len).max().unwrap_or(0));
    while part > 0 && start.elapsed() < LONGEST {
        let mut shorter = false;
        for thread in 0..best.len() {
            let mut at = 0;
            while at < best[thread].len() && start.elapsed() < LONGEST {
                let mut candidate = best.clone();
                let end = (at + part).min(candidate[thread].len());
                candidate[thread].drain(at..end);
                if fails(seed, &candidate) {
                    (best, shorter) = (candidate, true);
                } else {
                    at += part;
                }
            }
        }
        if !shorter || part > 1 {
            part /= 2;
        }
    }
    best
}

/// Threads do not run in the same way each time.
fn fails(seed: u64, kept: &[Vec<usize>]) -> bool {
    let tries = if kept.iter().filter(|steps| !steps.is_empty()).count() > 1 { 4 } else { 1 };
    let run = || {
        let mut run = Command::new(std::env::current_exe().unwrap());
        run.args(["--exact", crate::NAME]).env(SEED, seed.to_string()).env(STEPS, as_text(kept));
        run.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    };
    (0..tries).any(|_| !run())
}
