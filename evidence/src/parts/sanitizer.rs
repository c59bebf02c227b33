//! Runs tests under the address sanitizer and its leak check.

use crate::ground::Ground;
use crate::part::Outcome;
use crate::test_run::{Ended, read};

const TARGET: &str = "x86_64-unknown-linux-gnu";

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    if !ground.has_nightly() {
        return Ok(Outcome::skipped("no nightly toolchain is installed, and `-Zsanitizer` is there alone"));
    }
    let target = ground.output(ground.command("rustc").args(["--print", "host-tuple"]))?;
    if target.trim() != TARGET {
        return Ok(Outcome::skipped(&format!("the part is for {TARGET}")));
    }
    let ran = ground.run("sanitizer", ground.command("tools/sanitize.sh").env_remove("RUSTUP_TOOLCHAIN"))?;
    let tests = read(&ran.text);
    let count = |ended| tests.iter().filter(|test| test.ended == ended).count();
    let (ok, failed) = (count(Ended::Ok), count(Ended::Failed));
    let reports = reports(&ran.text);
    let says = format!("{ok} tests, {reports} reports of the address sanitizer");
    let says = if ran.ok { says } else { format!("{says}, {failed} failed; {}", ran.end()) };
    let outcome = Outcome::judged(ran.ok && ok > 0 && reports == 0, says).fact("tests", ok).fact("reports", reports);
    Ok(outcome.file(ran.log))
}

fn reports(text: &str) -> usize {
    text.lines()
        .filter(|line| line.contains("ERROR: AddressSanitizer") || line.contains("ERROR: LeakSanitizer"))
        .count()
}

#[cfg(test)]
mod tests {
    #[test]
    fn reports_of_both_sanitizers_are_counted() {
        let text = "==1==ERROR: AddressSanitizer: heap-use-after-free on address\ntest a ... ok\n\
            ==2==ERROR: LeakSanitizer: detected memory leaks\n";
        assert_eq!(super::reports(text), 2);
        assert_eq!(super::reports("test result: ok"), 0);
    }
}
