//! Runs of test programs, each in a folder of its own for its files.

use super::watch;
use super::workspace::Program;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Memory that a run may write to, in KiB: a mutant may allocate without end, and several runs at a time share the machine.
/// Addresses are not limited: the simulator reserves more of them than it uses.
const WRITABLE: &str = "3145728";

/// What `timeout` says of a program that it has killed.
const KILLED: i32 = 137;

/// A run ends after so many times its patience in any case: also one that never gets a processor, and one whose watcher was
/// ended.
const LONGEST: f64 = 10.0;

/// Runs at a time for each processor: most of them wait most of the time.
const WAITING: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Passed,
    Failed,
    Hung,
}

/// Tests of one program, in one process.
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tests: &'a [&'a str],
    pub(crate) patience: Duration,
    /// `ASCENDCL_SIM`.
    pub(crate) setting: &'a str,
    pub(crate) variables: &'a [(&'a str, &'a str)],
}

impl Run<'_> {
    /// How the tests end: as one that fails if one of them does.
    pub(crate) fn ended(&self) -> Ended {
        self.in_scratch(|folder| self.status(folder, Stdio::null()))
    }

    /// The tests that are not known to have passed, if any. Tests run two at a time here.
    pub(crate) fn not_passed(&self) -> Vec<usize> {
        let said = self.in_scratch(|folder| {
            let file = folder.join("said");
            let Ok(output) = File::create(&file) else { return String::new() };
            self.status(folder, Stdio::from(output));
            String::from_utf8_lossy(&fs::read(&file).unwrap_or_default()).into_owned()
        });
        let passed: std::collections::BTreeSet<_> =
            said.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... ok")).collect();
        (0..self.tests.len())
            .filter(|index| self.tests.get(*index).is_some_and(|test| !passed.contains(test)))
            .collect()
    }

    fn in_scratch<R>(&self, run: impl FnOnce(&Path) -> R) -> R {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("ascendcl-guards-{}-{number}", std::process::id()));
        drop(fs::create_dir_all(&folder));
        let result = run(&folder);
        drop(fs::remove_dir_all(&folder));
        result
    }

    fn status(&self, scratch: &Path, output: Stdio) -> Ended {
        let mut command = Command::new("sh");
        let script = format!("ulimit -c 0; ulimit -d {WRITABLE}; exec timeout -s KILL \"$@\"");
        let threads = if self.tests.len() == 1 { "--test-threads=1" } else { "--test-threads=2" };
        let longest = format!("{:.1}", self.patience.as_secs_f64() * LONGEST);
        command.args(["-c", &script, "sh", &longest]).arg(&self.program.path).arg("--exact").args(self.tests);
        command.arg(threads).current_dir(&self.program.folder).env("CARGO_MANIFEST_DIR", &self.program.folder);
        // Several runs of one test at a time do not share files.
        command.env("TMPDIR", scratch).env("CARGO_TARGET_TMPDIR", scratch);
        // What `.cargo/config.toml` says to programs that cargo runs. A backtrace of a large program takes a second.
        command.env("ASCENDCL_SIM_PATIENCE", "2").env("RUST_BACKTRACE", "0");
        if !self.setting.is_empty() {
            command.env("ASCENDCL_SIM", self.setting);
        }
        command.envs(self.variables.iter().copied());
        command.stdin(Stdio::null()).stdout(output).stderr(Stdio::null());
        match watch::ended(&mut command, self.patience) {
            Ok(Some(status)) if status.success() => Ended::Passed,
            // `timeout` kills itself, too, when it kills its program.
            Ok(None) => Ended::Hung,
            Ok(Some(status)) if matches!(status.code(), Some(KILLED) | None) => Ended::Hung,
            Ok(Some(_)) | Err(_) => Ended::Failed,
        }
    }
}

/// The names of the program's tests.
pub(crate) fn listed(program: &Program) -> Result<Vec<String>, String> {
    let list = ["--list", "--format=terse"];
    let listed = Command::new(&program.path).args(list).current_dir(&program.folder).output();
    let listed = listed.map_err(|error| format!("{}: {error}", program.path.display()))?;
    let text = String::from_utf8_lossy(&listed.stdout);
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// A file for what one run writes down.
pub(crate) fn file_of(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("numbers-{number}"))
}

/// Does this for each value, on several threads.
pub(crate) fn each<T: Sync>(values: &[T], act: impl Fn(usize, &T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from) * WAITING;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(value) = values.get(index) else { return };
                    act(index, value);
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails says where")]

    use super::{Ended, LONGEST, Run, WRITABLE};
    use crate::guards::workspace::Program;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    /// How a program of this shell script ends.
    fn ended(name: &str, script: &str, patience: Duration) -> Ended {
        let folder = std::env::temp_dir().join(format!("ascendcl-guards-process-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("program");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let text = str::to_owned;
        let program = Program { package: text("package"), name: text("program"), path, folder: folder.clone() };
        let ended = Run { program: &program, tests: &["test"], patience, setting: "", variables: &[] }.ended();
        std::fs::remove_dir_all(&folder).unwrap();
        ended
    }

    #[test]
    fn a_run_has_limits_of_memory_and_time() {
        let limits = format!("test \"$(ulimit -d) $(ulimit -c)\" = \"{WRITABLE} 0\"");
        assert!(ended("limits", &limits, Duration::from_secs(60)) == Ended::Passed);
        assert!(ended("time", "sleep 60", Duration::from_millis(200)) == Ended::Hung);
        assert!(ended("work", "while :; do :; done", Duration::from_millis(200)) == Ended::Hung);
    }

    #[test]
    fn a_program_that_is_killed_takes_its_children_with_it() {
        let file = std::env::temp_dir().join(format!("ascendcl-guards-process-left-{}", std::process::id()));
        let script = format!("(sleep 3; touch {}) & sleep 60", file.display());
        assert!(ended("children", &script, Duration::from_millis(200)) == Ended::Hung);
        std::thread::sleep(Duration::from_millis(3500));
        assert!(!file.exists());
    }

    /// With eight programs for each processor, each takes about eight times as long as alone.
    #[test]
    fn time_in_which_other_programs_have_the_processors_does_not_count() {
        let script = "n=0; while [ $n -lt 400000 ]; do n=$((n + 1)); done";
        let alone = || {
            let begin = std::time::Instant::now();
            assert!(ended("alone", script, Duration::from_secs(60)) == Ended::Passed);
            begin.elapsed()
        };
        // Other tests run meanwhile.
        let patience = (0..3).map(|_| alone()).min().unwrap() * 3;
        let programs = std::thread::available_parallelism().map_or(1, usize::from) * 8;
        let begin = std::time::Instant::now();
        let run = |number: usize| ended(&format!("beside-{number}"), script, patience);
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..programs).map(|number| scope.spawn(move || run(number))).collect();
            for run in runs {
                assert!(run.join().unwrap() == Ended::Passed);
            }
        });
        assert!(begin.elapsed() > patience, "the programs had processors enough, and this shows nothing");

        // Programs that work without end are ended, also if each waits for a processor most of the time.
        let work = "(while :; do :; done) &".repeat(16);
        let begin = std::time::Instant::now();
        assert!(ended("workers", &format!("{work} wait"), Duration::from_secs(2)) == Ended::Hung);
        assert!(begin.elapsed() < Duration::from_secs(2).mul_f64(LONGEST), "{:?}", begin.elapsed());
    }
}
