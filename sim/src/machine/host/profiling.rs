//! Profiling: which sessions ran, and when the streams came to the steps that the program marked.
//!
//! There are no hardware counters. This measures the host's clock and writes one file when profiling is finalised.

use crate::failure::{Answer, Failure};
use crate::locks::lock;
use crate::machine::event::clock;
use crate::machine::handles::Table;
use crate::machine::host::process;
use crate::machine::streams::stream::Stream;
use crate::machine::watch;
use ascendcl_rules::{INIT_13, Object};
use ascendcl_sys::error_codes::*;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The subjects of a session.
pub(crate) struct Config {
    devices: Vec<u32>,
    data: u64,
}

/// A step that the program marks the start and the end of, each once.
pub(crate) struct Step {
    number: u32,
    started: AtomicBool,
    ended: AtomicBool,
}

/// What is recorded between initialise and finalise.
struct Recording {
    folder: PathBuf,
    sessions: Vec<Session>,
    marks: Vec<Mark>,
    ranges: Vec<Range>,
}

/// A time that the program named; a moment starts and ends at once.
pub(crate) struct Range {
    pub(crate) text: String,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

struct Session {
    config: usize,
    devices: Vec<u32>,
    data: u64,
    start: u64,
    end: Option<u64>,
}

struct Mark {
    step: u32,
    start: bool,
    stream: i32,
    at: u64,
}

static CONFIGS: Table<Config> = Table::new();
static STEPS: Table<Step> = Table::new();
static RECORDING: Mutex<Option<Recording>> = Mutex::new(None);

/// The name of the file in the folder that the program gave.
const FILE: &str = "ascendcl-sim-profile.json";

pub(crate) fn initialise(folder: &str) -> Answer {
    if !process::is_initialised() {
        return Err(
            nested(Failure::new(ACL_ERROR_UNINITIALIZE, "profiling comes after aclInit")).about(Object::PROCESS)
        );
    }
    let mut recording = lock(&RECORDING);
    if recording.is_some() {
        let failure = Failure::new(ACL_ERROR_PROF_ALREADY_RUN, "profiling is initialised already");
        return Err(nested(failure).about(Object::PROCESS));
    }
    let folder = PathBuf::from(folder);
    fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
    *recording = Some(Recording { folder, sessions: Vec::new(), marks: Vec::new(), ranges: Vec::new() });
    Ok(())
}

pub(crate) fn create_config(devices: Vec<u32>, data: u64) -> usize {
    let number = CONFIGS.add(Config { devices, data });
    watch::is_described(number);
    number
}

pub(crate) fn destroy_config(number: usize) -> Answer {
    if lock(&RECORDING).as_mut().is_some_and(|recording| recording.running(number).is_some()) {
        watch::mistaken(|| {
            let text = "a configuration is destroyed, and a session with it is running";
            nested(Failure::invalid(text)).about(Object::description(number as u64))
        })?;
    }
    CONFIGS.remove(number).map(drop).ok_or_else(|| unknown_config(number))?;
    watch::is_described_no_more(number);
    Ok(())
}

pub(crate) fn start(number: usize) -> Answer {
    let config = CONFIGS.get(number).ok_or_else(|| unknown_config(number))?;
    with(number, |recording| {
        if recording.running(number).is_some() {
            let failure = Failure::new(ACL_ERROR_PROF_ALREADY_RUN, "a session with this configuration is running");
            return Err(nested(failure));
        }
        recording.sessions.push(Session {
            config: number,
            devices: config.devices.clone(),
            data: config.data,
            start: clock(Instant::now()),
            end: None,
        });
        Ok(())
    })
}

pub(crate) fn stop(number: usize) -> Answer {
    CONFIGS.get(number).ok_or_else(|| unknown_config(number))?;
    with(number, |recording| {
        let session = recording.running(number).ok_or_else(|| {
            nested(Failure::new(ACL_ERROR_PROF_NOT_RUN, "no session with this configuration is running"))
        })?;
        session.end = Some(clock(Instant::now()));
        Ok(())
    })
}

/// Ends the sessions that still run, and writes the file.
pub(crate) fn finalise() -> Answer {
    let running = lock(&RECORDING).as_ref().map(Recording::all_running).ok_or_else(not_initialised)?;
    if !running.is_empty() {
        watch::mistaken(|| {
            let text = "profiling is finalised, and a session is running";
            let failure = running.iter().fold(nested(Failure::invalid(text)), |failure, config| {
                failure.about(Object::description(*config as u64))
            });
            // Where the call is refused for that, profiling is not finalised at the end, either.
            failure.about(Object::PROCESS)
        })?;
    }
    let mut recording = lock(&RECORDING).take().ok_or_else(not_initialised)?;
    let now = clock(Instant::now());
    for session in &mut recording.sessions {
        session.end.get_or_insert(now);
    }
    let path = recording.folder.join(FILE);
    fs::write(&path, recording.to_json()).map_err(|error| unwritable(&path, &error))
}

/// The library is finalised while profiling is not: nothing is written.
pub(crate) fn check_finalised() -> Answer {
    let Some(running) = lock(&RECORDING).as_ref().map(Recording::all_running) else { return Ok(()) };
    watch::mistaken(|| {
        let failure = nested(Failure::invalid("the library is finalised, and profiling is not")).about(Object::PROCESS);
        // Profiling may not be finalised because these run, which a finding has told.
        running.iter().fold(failure, |failure, config| failure.about(Object::description(*config as u64)))
    })
}

pub(crate) fn create_step() -> usize {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (started, ended) = (AtomicBool::new(false), AtomicBool::new(false));
    let number = STEPS.add(Step { number: NEXT.fetch_add(1, Relaxed), started, ended });
    watch::is_described(number);
    number
}

pub(crate) fn destroy_step(number: usize) -> Answer {
    STEPS.remove(number).map(drop).ok_or_else(|| unknown_step(number))?;
    watch::is_described_no_more(number);
    Ok(())
}

/// Marks the start or the end of a step where the stream is when it comes to it.
pub(crate) fn mark(step: usize, start: bool, stream: &Arc<Stream>) -> Answer {
    let step = STEPS.get(step).ok_or_else(|| unknown_step(step))?;
    // A mark that fails later counts, too.
    let (marked, what) = if start { (&step.started, "started") } else { (&step.ended, "ended") };
    if marked.swap(true, Relaxed) {
        return Err(Failure::invalid(format!("the step was {what} before; a step is {what} once")));
    }
    lock(&RECORDING).as_ref().map(drop).ok_or_else(not_initialised)?;
    let id = stream.id();
    stream.submit_kernel(move |_| {
        // After the end of profiling no call can report it.
        if let Some(recording) = &mut *lock(&RECORDING) {
            recording.marks.push(Mark { step: step.number, start, stream: id, at: clock(Instant::now()) });
        }
        Ok(())
    })?;
    Ok(())
}

/// Keeps a range, if anything is being recorded.
pub(crate) fn note(range: Range) {
    if let Some(recording) = &mut *lock(&RECORDING) {
        recording.ranges.push(range);
    }
}

pub(in crate::machine) fn clear() {
    drop(lock(&RECORDING).take());
    drop(CONFIGS.remove_all(|_| true));
    drop(STEPS.remove_all(|_| true));
}

impl Recording {
    fn running(&mut self, config: usize) -> Option<&mut Session> {
        self.sessions.iter_mut().find(|session| session.config == config && session.end.is_none())
    }

    /// The configurations with which sessions run.
    fn all_running(&self) -> Vec<usize> {
        self.sessions.iter().filter(|session| session.end.is_none()).map(|session| session.config).collect()
    }

    /// Microseconds of the same clock as event timestamps.
    fn to_json(&self) -> String {
        let sessions = self.sessions.iter().map(|Session { devices, data, start, end, .. }| {
            let end = end.unwrap_or(*start);
            format!(r#"{{"devices":{devices:?},"data":{data},"start_us":{start},"end_us":{end}}}"#)
        });
        let marks = self.marks.iter().map(|Mark { step, start, stream, at }| {
            let tag = if *start { "start" } else { "end" };
            format!(r#"{{"step":{step},"tag":"{tag}","stream":{stream},"at_us":{at}}}"#)
        });
        let ranges = self.ranges.iter().map(|Range { text, start, end }| {
            format!(r#"{{"text":{},"start_us":{start},"end_us":{end}}}"#, quoted(text))
        });
        let lists = [sessions.collect::<Vec<_>>(), marks.collect(), ranges.collect()];
        let [sessions, marks, ranges] = lists.map(|list| list.join(","));
        let mut text = String::new();
        let version = env!("CARGO_PKG_VERSION");
        // Writing to a string cannot fail.
        let head = format!(r#""simulator":"{version}","sessions":[{sessions}],"steps":[{marks}]"#);
        let _ = writeln!(text, r#"{{{head},"ranges":[{ranges}]}}"#);
        text
    }
}

/// A text as JSON writes it.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|letter| match letter {
        '"' | '\\' => format!("\\{letter}"),
        letter if letter.is_control() => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// What the call does with the session of this configuration.
fn with<R>(config: usize, f: impl FnOnce(&mut Recording) -> Answer<R>) -> Answer<R> {
    let answer = lock(&RECORDING).as_mut().ok_or_else(not_initialised).and_then(f);
    answer.map_err(|failure| failure.about(Object::description(config as u64)))
}

/// Initialise, start, stop, finalise.
fn nested(failure: Failure) -> Failure {
    failure.breaks(
        INIT_13,
        "aclprofInit, aclprofStart, aclprofStop and aclprofFinalize in this order, each once for what it begins or ends",
        "call aclprofInit after aclInit, stop each session that was started, and finalise after the last one",
    )
}

fn not_initialised() -> Failure {
    nested(Failure::new(ACL_ERROR_PROF_NOT_RUN, "profiling is not initialised")).about(Object::PROCESS)
}

fn unknown_config(number: usize) -> Failure {
    let failure = Failure::invalid("this is not a configuration that aclprofCreateConfig made, or it was destroyed");
    watch::no_description(number, failure)
}

fn unknown_step(number: usize) -> Failure {
    let failure = Failure::invalid("this is not a step that aclprofCreateStepInfo made, or it was destroyed");
    watch::no_description(number, failure)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(ACL_ERROR_INVALID_FILE, format!("{} cannot be written: {error}", path.display()))
}
