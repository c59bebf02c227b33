//! Findings: a broken rule, with the information that is needed to repair the program.

use crate::events::{Object, Thread};
use crate::rule::{RuleId, Severity};
use core::fmt;
use std::borrow::Cow;

/// One call of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The C function.
    pub name: &'static str,
    /// Its object.
    pub object: Object,
    /// Its number among the calls of all threads.
    pub number: u64,
    /// The calling thread.
    pub thread: Thread,
}

/// An object of a finding, with the calls that created it and last used it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Concerned {
    /// The object.
    pub object: Object,
    /// The call that made it.
    pub made: Option<Call>,
    /// The last call that used it, besides the one that made it.
    pub used: Option<Call>,
}

/// A broken rule.
///
/// It prints as a report of several lines: the rule and its text, what was found, what was expected, the objects with
/// the calls that made and last used them, the earlier call that conflicts, and the fix.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// Which rule.
    pub rule: RuleId,
    /// The call that breaks it.
    pub call: Call,
    /// The caller, if known: the return address, with its symbol and file.
    pub caller: Option<String>,
    /// What was found.
    pub found: Cow<'static, str>,
    /// What was expected.
    pub expected: Cow<'static, str>,
    /// The objects concerned.
    pub objects: Vec<Concerned>,
    /// The earlier call that conflicts with this one, and what it did.
    pub contradicts: Option<(Call, Cow<'static, str>)>,
    /// What to do.
    pub fix: Cow<'static, str>,
    /// How many more times the mistake was made: with the same object, or at the same place of the program.
    pub repeated: usize,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (call {}, {})", self.name, self.number, self.thread)
    }
}

impl fmt::Display for Concerned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.object)?;
        self.made.iter().try_for_each(|made| write!(f, ", made by {made}"))?;
        self.used.iter().try_for_each(|used| write!(f, ", last used by {used}"))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// How many objects are listed one by one.
        const LISTED: usize = 8;
        match self.rule.severity() {
            Severity::Advice => write!(f, "advice: ")?,
            Severity::Warning => write!(f, "warning: ")?,
            Severity::Misuse => {}
        }
        writeln!(f, "{} is broken by {}", self.rule, self.call)?;
        self.caller.iter().try_for_each(|caller| writeln!(f, "  from:     {caller}"))?;
        writeln!(f, "  rule:     {}", self.rule.rule().text)?;
        writeln!(f, "  found:    {}", self.found)?;
        writeln!(f, "  expected: {}", self.expected)?;
        for concerned in self.objects.iter().take(LISTED) {
            writeln!(f, "  object:   {concerned}")?;
        }
        if let Some(more) = self.objects.len().checked_sub(LISTED).filter(|more| *more > 0) {
            writeln!(f, "  object:   and {more} more")?;
        }
        if let Some((call, what)) = &self.contradicts {
            writeln!(f, "  earlier:  {call} {what}")?;
        }
        write!(f, "  fix:      {}", self.fix)?;
        match self.repeated {
            0 => Ok(()),
            1 => write!(f, "\n  repeated: once more"),
            times => write!(f, "\n  repeated: {times} times more"),
        }
    }
}
