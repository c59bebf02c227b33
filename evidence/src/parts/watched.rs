//! Runs tests under tools that look at each access to memory: the sanitizers of the nightly compiler, and Miri.

use crate::ground::Ground;
use crate::part::Outcome;
use crate::test_run::{Ended, read};

const TARGET: &str = "x86_64-unknown-linux-gnu";

struct Watched {
    /// The name of the part.
    part: &'static str,
    script: &'static str,
    /// What lines of reports contain.
    marks: &'static [&'static str],
}

const ADDRESS: Watched = Watched {
    part: "sanitizer",
    script: "tools/sanitize.sh",
    marks: &["ERROR: AddressSanitizer", "ERROR: LeakSanitizer"],
};
const THREADS: Watched =
    Watched { part: "races", script: "tools/thread-sanitizer.sh", marks: &["WARNING: ThreadSanitizer"] };
const MIRI: Watched = Watched { part: "miri", script: "tools/miri.sh", marks: &["error: Undefined Behavior"] };

pub(crate) fn address(ground: &Ground) -> Result<Outcome, String> {
    ADDRESS.run(ground)
}

pub(crate) fn threads(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has_source_of_nightly() {
        return Ok(Outcome::skipped("the standard library has no source: `rustup +nightly component add rust-src`"));
    }
    THREADS.run(ground)
}

pub(crate) fn miri(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has_miri() {
        return Ok(Outcome::skipped("Miri is not installed: `rustup +nightly component add miri rust-src`"));
    }
    MIRI.run(ground)
}

impl Watched {
    fn run(&self, ground: &Ground) -> Result<Outcome, String> {
        if !ground.has_nightly() {
            return Ok(Outcome::skipped("no nightly toolchain is installed, and the tool is there alone"));
        }
        let target = ground.output(ground.command("rustc").args(["--print", "host-tuple"]))?;
        if target.trim() != TARGET {
            return Ok(Outcome::skipped(&format!("the part is for {TARGET}")));
        }
        let ran = ground.run(self.part, ground.command(self.script).env_remove("RUSTUP_TOOLCHAIN"))?;
        let tests = read(&ran.text);
        let count = |ended| tests.iter().filter(|test| test.ended == ended).count();
        let (ok, failed) = (count(Ended::Ok), count(Ended::Failed));
        let reports = self.reports(&ran.text);
        let says = format!("{ok} tests, {reports} reports");
        let says = if ran.ok { says } else { format!("{says}, {failed} failed; {}", ran.end()) };
        let outcome =
            Outcome::judged(ran.ok && ok > 0 && reports == 0, says).fact("tests", ok).fact("reports", reports);
        Ok(outcome.file(ran.log))
    }

    fn reports(&self, text: &str) -> usize {
        text.lines().filter(|line| self.marks.iter().any(|mark| line.contains(mark))).count()
    }
}

#[cfg(test)]
mod tests {
    use super::{ADDRESS, MIRI, THREADS};

    #[test]
    fn reports_of_each_tool_are_counted() {
        let text = "==1==ERROR: AddressSanitizer: heap-use-after-free on address\ntest a ... ok\n\
            ==2==ERROR: LeakSanitizer: detected memory leaks\nWARNING: ThreadSanitizer: data race (pid=1)\n\
            error: Undefined Behavior: Data race detected\n";
        assert_eq!([ADDRESS, THREADS, MIRI].map(|tool| tool.reports(text)), [2, 1, 1]);
        assert_eq!([ADDRESS, THREADS, MIRI].map(|tool| tool.reports("test result: ok")), [0, 0, 0]);
    }
}
