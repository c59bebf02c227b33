//! Ends programs that take too long. Time in which other programs had the processors does not count: a run beside builds
//! would take slow tests for tests that hang.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};
use std::{fs, io};

/// The time between two looks at a program is this at most. The first looks are sooner: most tests take milliseconds.
const PAUSE: Duration = Duration::from_millis(100);

/// How the program ends, or nothing if it was killed, because it had more than this time for itself.
pub(super) fn ended(command: &mut Command, patience: Duration) -> io::Result<Option<ExitStatus>> {
    let mut child = command.process_group(0).spawn()?;
    let (mut worked, mut own) = (BTreeMap::new(), Duration::ZERO);
    let (mut pause, mut looked) = (Duration::from_millis(1), Instant::now());
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let since = looked.elapsed();
        looked = Instant::now();
        let now = look(child.id(), &mut worked);
        // A program that could work has had what it worked. One that waits for itself has had all the time.
        own += if now.is_ready { since.min(Duration::from_nanos(now.worked)) } else { since };
        if own > patience {
            kill(&mut child);
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(PAUSE);
    }
}

/// What the threads of a process and of its children do.
#[derive(Default)]
struct Look {
    /// One of them has a processor, or is ready for one.
    is_ready: bool,
    /// For so many nanoseconds they had processors since the last look, in all.
    worked: u64,
}

fn look(process: u32, worked: &mut BTreeMap<String, u64>) -> Look {
    let mut all = Look::default();
    for thread in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
        let text = |file: &str| fs::read_to_string(thread.path().join(file)).unwrap_or_default();
        // The name of the program, in parentheses, may have any characters.
        all.is_ready |= text("stat").rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'));
        if let Some(now) = text("schedstat").split_whitespace().next().and_then(|number| number.parse().ok()) {
            let before = worked.insert(thread.file_name().to_string_lossy().into_owned(), now);
            all.worked += now.saturating_sub(before.unwrap_or_default());
        }
        for child in text("children").split_whitespace().filter_map(|number| number.parse().ok()) {
            let of_child = look(child, worked);
            all.is_ready |= of_child.is_ready;
            all.worked += of_child.worked;
        }
    }
    all
}

/// Kills the process with its children, which are in its group.
fn kill(child: &mut Child) {
    drop(Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status());
    // If there is no program `kill`, its children stay.
    drop(child.kill());
    drop(child.wait());
}
