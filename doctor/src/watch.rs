//! The first process: starts the others, and watches them.

use crate::arguments::{BIND, PROBE};
use crate::findings::{Findings, Library, ProblemKind};
use crate::probe::MARK;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How many lines of the library's error output are kept.
const LINES: usize = 20;
/// How often the first process checks whether the second one has ended.
const PAUSE: Duration = Duration::from_millis(20);
/// How long this waits for remaining output of a process that has ended.
const REST: Duration = Duration::from_millis(500);

/// What the second process found, and the last lines that the library wrote to the standard error.
pub(crate) struct Probed {
    pub(crate) findings: Findings,
    pub(crate) said: Vec<String>,
}

enum Line {
    Findings(Box<Findings>),
    Said(String),
}

/// Tries the library in a second process, and loads it in a third one with all functions bound, with a time limit for each
/// step.
pub(crate) fn probe(limit: Duration) -> Probed {
    let mut probed = tried(PROBE, &[], limit);
    let is_a_file = |library: &Library| library.path.is_some();
    if probed.findings.finished && probed.findings.library.as_ref().is_some_and(is_a_file) {
        // A program binds a function at its first call, which ends the process if no file has the function. That happens
        // with files of several releases.
        let bound = tried(BIND, &[("LD_BIND_NOW", "1")], limit).findings;
        if let Some(lack) = what_it_lacks(&probed.findings, &bound) {
            let text = format!("a file of the library needs a function that no file has. {lack}");
            probed.findings.problem(ProblemKind::Unbound, text);
        }
    }
    probed
}

/// Why the library, or a file beside it, cannot be loaded if all functions are bound at once.
fn what_it_lacks(found: &Findings, bound: &Findings) -> Option<String> {
    if let Some(refused) = bound.problems.iter().find(|problem| problem.kind == ProblemKind::Refused) {
        return Some(format!("Bound at once, {}", refused.text));
    }
    let missing = |findings: &Findings| {
        let library = findings.library.iter().flat_map(|library| &library.missing);
        library.map(|missing| missing.function.clone()).collect::<Vec<_>>()
    };
    let known = missing(found);
    let more: Vec<_> = missing(bound).into_iter().filter(|function| !known.contains(function)).collect();
    (!more.is_empty()).then(|| format!("Bound at once, the file with {} cannot be loaded", more.join(", ")))
}

/// Starts this program again with an argument, and follows it.
fn tried(argument: &str, variables: &[(&str, &str)], limit: Duration) -> Probed {
    let mut probed = Probed { findings: Findings::default(), said: Vec::new() };
    let started = std::env::current_exe().and_then(|this| {
        let mut command = Command::new(this);
        command.envs(variables.iter().copied());
        command.arg(argument).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    });
    match started {
        Ok(child) => follow(child, limit, &mut probed),
        Err(error) => {
            let text = format!("this program could not start itself to try the library: {error}");
            probed.findings.problem(ProblemKind::NotStarted, text);
        }
    }
    probed
}

fn follow(mut child: Child, limit: Duration, probed: &mut Probed) {
    // The channel is bounded, so a library that writes endlessly is slowed down.
    let (sender, lines) = sync_channel(LINES);
    read(child.stdout.take(), sender.clone(), findings_in);
    read(child.stderr.take(), sender, |line| Some(Line::Said(line)));
    let ended = watched(&mut child, &lines, limit, probed);
    // Reads the output that came while the process ended.
    let rest = Instant::now();
    while rest.elapsed() < REST
        && let Ok(line) = lines.recv_timeout(REST)
    {
        take(line, probed);
    }
    let step = probed.findings.step.clone();
    let while_doing = if step.is_empty() { "at its start".to_owned() } else { format!("while {step}") };
    match ended {
        Some(status) if status.success() && probed.findings.finished => {}
        Some(status) => {
            let text = format!("the library ended the process {while_doing}: {status}");
            probed.findings.problem(ProblemKind::Crashed, text);
        }
        None => {
            let text = format!("the library did not come back within {} s {while_doing}", limit.as_secs());
            probed.findings.problem(ProblemKind::TimedOut, text);
        }
    }
}

/// Returns how the process ended. Returns `None` if a step exceeded the limit and this ended the process.
fn watched(child: &mut Child, lines: &Receiver<Line>, limit: Duration, probed: &mut Probed) -> Option<ExitStatus> {
    let mut last_step = Instant::now();
    loop {
        match lines.recv_timeout(PAUSE) {
            Ok(line) => {
                if matches!(line, Line::Findings(_)) {
                    last_step = Instant::now();
                }
                take(line, probed);
            }
            Err(RecvTimeoutError::Timeout) => {}
            // The process closed both outputs; the library may have done that.
            Err(RecvTimeoutError::Disconnected) => thread::sleep(PAUSE),
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if last_step.elapsed() >= limit {
            // The process may have ended already.
            drop(child.kill());
            drop(child.wait());
            return None;
        }
    }
}

fn take(line: Line, probed: &mut Probed) {
    match line {
        Line::Findings(findings) => probed.findings = *findings,
        Line::Said(line) => {
            probed.said.push(line);
            let surplus = probed.said.len().saturating_sub(LINES);
            probed.said.drain(..surplus);
        }
    }
}

fn findings_in(line: String) -> Option<Line> {
    let (_, findings) = line.split_once(MARK)?;
    serde_json::from_str(findings).ok().map(|findings| Line::Findings(Box::new(findings)))
}

/// Reads lines on a second thread. That thread ends with the output, which another process may keep open.
fn read(
    output: Option<impl Read + Send + 'static>,
    sender: SyncSender<Line>,
    line: impl Fn(String) -> Option<Line> + Send + 'static,
) {
    let Some(output) = output else { return };
    thread::spawn(move || {
        for bytes in BufReader::new(output).split(b'\n') {
            let Ok(bytes) = bytes else { return };
            let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
            if let Some(line) = line(text).filter(|line| !matches!(line, Line::Said(text) if text.is_empty()))
                && sender.send(line).is_err()
            {
                return;
            }
        }
    });
}
