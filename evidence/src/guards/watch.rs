//! Ends programs that take too long. Time in which other programs had the processors does not count: a run beside builds
//! would take slow tests for tests that hang.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// The time between two looks at a program is this at most. The first looks are sooner: most tests take milliseconds.
const PAUSE: Duration = Duration::from_millis(100);

/// How the program ends, or nothing if it was killed, because it had more than this time for itself.
pub(super) fn ended(mut command: Command, patience: Duration) -> Option<ExitStatus> {
    let mut child = command.process_group(0).spawn().ok()?;
    let begin = Instant::now();
    let mut waits = BTreeMap::new();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().ok()? {
            return Some(status);
        }
        let elapsed = begin.elapsed();
        if elapsed > patience {
            note_waits(child.id(), &mut waits);
            let waited = Duration::from_nanos(waits.values().sum());
            if elapsed.saturating_sub(waited) > patience {
                kill(&mut child);
                return None;
            }
        } else if pause == PAUSE {
            // What ends before the time is over has waited, too.
            note_waits(child.id(), &mut waits);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(PAUSE);
    }
}

/// For each thread of the process and of its children: the nanoseconds in which it was ready and had no processor.
fn note_waits(process: u32, waits: &mut BTreeMap<String, u64>) {
    for thread in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
        let text = |file: &str| fs::read_to_string(thread.path().join(Path::new(file))).unwrap_or_default();
        if let Some(waited) = text("schedstat").split_whitespace().nth(1).and_then(|number| number.parse().ok()) {
            waits.insert(thread.file_name().to_string_lossy().into_owned(), waited);
        }
        for child in text("children").split_whitespace().filter_map(|number| number.parse().ok()) {
            note_waits(child, waits);
        }
    }
}

/// Kills the process with its children, which are in its group.
fn kill(child: &mut Child) {
    drop(Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status());
    // If there is no program `kill`, its children stay.
    drop(child.kill());
    drop(child.wait());
}
