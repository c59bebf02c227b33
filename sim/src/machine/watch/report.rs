//! Findings: kept for tests, and printed.

use crate::abi::{at_exit, callers_of, described, in_children, is_interpreted, leave};
use crate::config::{
    self, say,
    switches::{self, Switch},
};
use crate::locks::lock;
use crate::machine::thread::errors;
use crate::machine::watch::{CHECKER, LIBRARY, PROGRAM, mode, reconsider, this_thread};
use ascendcl_rules::{Checker, Event, Finding, INIT_01, Object, Op, RuleId, Severity, Thread};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{LazyLock, Mutex, Once, TryLockError};

#[derive(Default)]
struct Record {
    findings: Vec<Finding>,
    /// The subject of each finding, and which one it is, so that a loop reports it once.
    seen: HashMap<Matter, usize>,
    /// The same for the places of the program, where a loop may use another object each time.
    places: HashMap<Place, usize>,
    /// How many of them were printed.
    printed: usize,
    /// How often those were repeated since.
    repeated: BTreeMap<usize, usize>,
    /// The functions that were called and are not simulated.
    absent: BTreeSet<&'static str>,
    /// Where the latest call of each thread came from, if its next call decides whether it is a mistake.
    undecided: BTreeMap<Thread, (u64, Vec<usize>)>,
    /// Findings that were not reported yet.
    untold: Vec<String>,
    /// How many came when there was no more room.
    dropped: usize,
}

/// The rule, the function, the first object, the earlier function.
type Matter = (RuleId, &'static str, Option<Object>, Option<&'static str>);

/// The rule, the return addresses, the earlier function, what was found without its numbers.
type Place = (RuleId, Vec<usize>, Option<&'static str>, String);

static RECORD: LazyLock<Mutex<Record>> = LazyLock::new(Mutex::default);
/// The instruction of the program that faulted last.
static INSTRUCTION: AtomicUsize = AtomicUsize::new(0);
/// Whether a rule was broken, ever, whose severity is not a mere warning.
static BROKEN: AtomicBool = AtomicBool::new(false);

pub(super) fn record(findings: Vec<Finding>) {
    /// A program that breaks a rule in a loop is not to fill the memory.
    const KEPT: usize = 10_000;
    if findings.is_empty() {
        return;
    }
    let config = config::current();
    let reporting = config.reporting();
    let mut record = lock(&RECORD);
    for mut finding in findings {
        let unasked = finding.rule.severity() == Severity::Advice && !switches::is_on(Switch::Advice);
        if unasked || reporting.suppressed.contains(&finding.rule) {
            continue;
        }
        let object = finding.objects.first().map(|concerned| concerned.object);
        let earlier = finding.contradicts.as_ref().map(|(call, _)| call.name);
        let matter = match finding.rule {
            // Consequences of one initialisation that failed or is missing count as one finding.
            rule if rule == INIT_01 => (rule, "", None, earlier),
            rule => (rule, finding.call.name, object, earlier),
        };
        if finding.rule.severity() == Severity::Misuse {
            BROKEN.store(true, SeqCst);
        }
        if let Some(same) = record.seen.get(&matter).copied() {
            record.repeats(same);
            continue;
        }
        if record.seen.len() >= KEPT {
            record.dropped += 1;
            continue;
        }
        let undecided = record.undecided.get(&finding.call.thread).filter(|(number, _)| *number == finding.call.number);
        let callers = match (finding.call.name, undecided) {
            (_, Some((_, callers))) => callers.clone(),
            (LIBRARY, None) => Vec::new(),
            (PROGRAM, None) => vec![INSTRUCTION.load(SeqCst)],
            (name, None) => callers_of(name, errors::address_of(name)),
        };
        let number = record.findings.len();
        if let Some(place) = place(&finding, &callers) {
            let same = *record.places.entry(place).or_insert(number);
            if same < number {
                record.seen.insert(matter, same);
                record.repeats(same);
                continue;
            }
        }
        record.seen.insert(matter, number);
        finding.caller = callers.first().map(|caller| described(*caller));
        let told = reporting.telling.tell(&finding.to_string());
        record.findings.push(finding);
        record.printed += usize::from(told);
    }
}

/// The call with this number is under way, and the next one of its thread decides whether it is a mistake.
pub(super) fn is_undecided(event: &Event, number: u64) {
    let callers = callers_of(event.call, errors::address_of(event.call));
    lock(&RECORD).undecided.insert(event.thread, (number, callers));
}

/// Where the mistake was made, if the return addresses tell one place of the program from another.
fn place(finding: &Finding, callers: &[usize]) -> Option<Place> {
    // An instruction may be one of the C library's functions.
    if callers.is_empty() || finding.call.name == PROGRAM || is_interpreted(callers) {
        return None;
    }
    let earlier = finding.contradicts.as_ref().map(|(call, _)| call.name);
    let mut found = String::new();
    let words = finding.found.split(|letter: char| !letter.is_ascii_alphanumeric());
    for word in words.filter(|word| !word.starts_with(|first: char| first.is_ascii_digit())) {
        found.push_str(word);
        found.push(' ');
    }
    Some((finding.rule, callers.to_vec(), earlier, found))
}

/// Whether findings about the rule are suppressed.
pub(super) fn suppresses(rule: RuleId) -> bool {
    config::current().reporting().suppressed.contains(&rule)
}

/// The instruction that is found next.
pub(super) fn happens_at(instruction: usize) {
    // One more, as if it were a return address.
    INSTRUCTION.store(instruction + 1, SeqCst);
}

/// The program has used pinned memory behind its end, which is no rule of the vendor's.
pub(super) fn overrun(start: usize, size: usize, used: usize) {
    let from = match INSTRUCTION.swap(0, SeqCst) {
        0 => "until it was freed".to_owned(),
        instruction => format!("(from {})", described(instruction)),
    };
    let text = format!(
        "ascendcl-sim: the program has used byte {} of pinned memory {start:#x}, which has {size} bytes {from}",
        used - 1
    );
    BROKEN.store(true, SeqCst);
    let config = config::current();
    if !config.reporting().telling.tell(&text) {
        lock(&RECORD).untold.push(text);
    }
}

/// A function was called that is not simulated.
pub(crate) fn absent(name: &'static str) {
    if mode() == crate::machine::watch::OFF {
        return;
    }
    let config = config::current();
    let mut record = lock(&RECORD);
    if record.absent.insert(name) {
        let text = told_absent(name);
        if !config.reporting().telling.tell(&text) {
            record.untold.push(text);
        }
    }
}

fn told_absent(name: &str) -> String {
    let callers = callers_of(name, errors::address_of(name));
    let from = callers.first().map(|caller| format!(" (from {})", described(*caller))).unwrap_or_default();
    format!("ascendcl-sim: {name} is not simulated, and answered so{from}")
}

/// The findings since the last call.
pub(crate) fn findings() -> Vec<Finding> {
    decide();
    lock(&RECORD).findings.clone()
}

/// Nobody waits for the calls that would decide whether earlier ones are mistakes.
fn decide() {
    let left = lock(&CHECKER).as_mut().map(Checker::left_open);
    record(left.unwrap_or_default());
}

/// Takes what was found.
pub(crate) fn take_findings() -> Vec<Finding> {
    decide();
    std::mem::take(&mut *lock(&RECORD)).findings
}

/// Prints what was found and not printed yet.
pub(crate) fn print() {
    let text = lock(&RECORD).text();
    say_all(&text);
}

/// The text ends with a line feed, or there is nothing to say.
fn say_all(text: &str) {
    if let Some(text) = text.strip_suffix('\n') {
        say(text);
    }
}

/// Has the rest printed when this process exits. One that was forked from it has its own report, if it calls the library.
pub(super) fn print_at_exit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        at_exit(exit);
        in_children(child_begins);
    });
    if FORKED.swap(false, SeqCst) {
        *lock(&RECORD) = Record::default();
        BROKEN.store(false, SeqCst);
    }
}

/// The process was forked from one whose calls are reported, and has made no call itself.
static FORKED: AtomicBool = AtomicBool::new(false);

/// Whether it has: then nothing is told of this process.
pub(super) fn is_idle_child() -> bool {
    FORKED.load(SeqCst)
}

/// Has this kept of a process that was forked, and nothing of its parent's. If another thread of that one had the lock, it
/// is not kept.
pub(super) fn record_in_child(findings: Vec<Finding>) {
    let Ok(mut kept) = RECORD.try_lock() else { return };
    *kept = Record::default();
    drop(kept);
    BROKEN.store(false, SeqCst);
    FORKED.store(false, SeqCst);
    record(findings);
}

extern "C" fn child_begins() {
    FORKED.store(true, SeqCst);
    reconsider();
}

/// Another thread may have stopped with a lock held. Then nothing is printed.
extern "C" fn exit() {
    if is_idle_child() {
        return;
    }
    if let Ok(mut checker) = CHECKER.try_lock()
        && let Some(checker) = &mut *checker
    {
        let event = Event::new("exit", Object::PROCESS, Op::Finalise, this_thread());
        record(checker.exit(&event));
    }
    let text = match RECORD.try_lock() {
        Ok(mut record) => record.text(),
        Err(TryLockError::Poisoned(record)) => record.into_inner().text(),
        Err(TryLockError::WouldBlock) => return,
    };
    say_all(&text);
    if let Some(status) = config::current().reporting().exit
        && BROKEN.load(SeqCst)
    {
        leave(status);
    }
}

impl Record {
    /// The finding with this number was found again.
    fn repeats(&mut self, number: usize) {
        if let Some(finding) = self.findings.get_mut(number) {
            finding.repeated += 1;
        }
        if number < self.printed {
            *self.repeated.entry(number).or_default() += 1;
        }
    }

    fn text(&mut self) -> String {
        /// How many are printed in full.
        const IN_FULL: usize = 100;
        let new = self.findings.get(self.printed..).unwrap_or_default();
        let mut text = String::new();
        for absent in std::mem::take(&mut self.untold) {
            let _ = writeln!(text, "{absent}");
        }
        for (number, times) in std::mem::take(&mut self.repeated) {
            if let Some(Finding { rule, call, .. }) = self.findings.get(number) {
                let _ = match times {
                    1 => writeln!(text, "ascendcl-sim: {rule} is broken as by {call} once more"),
                    _ => writeln!(text, "ascendcl-sim: {rule} is broken as by {call} {times} times more"),
                };
            }
        }
        if new.is_empty() {
            return text;
        }
        // Writing to a string cannot fail.
        let _ = match new.len() {
            1 => writeln!(text, "ascendcl-sim: one of the vendor's rules was broken"),
            times => writeln!(text, "ascendcl-sim: the vendor's rules were broken {times} times"),
        };
        for finding in new.iter().take(IN_FULL) {
            let _ = writeln!(text, "\n{finding}");
        }
        if let Some(more) = new.len().checked_sub(IN_FULL).filter(|more| *more > 0) {
            let _ = writeln!(text, "\nand {more} more");
        }
        if self.dropped > 0 {
            let _ = writeln!(text, "\nand {} times more, which were not kept", self.dropped);
        }
        self.dropped = 0;
        self.printed = self.findings.len();
        text
    }
}
