//! The programs and links of the repository at the time of the build.

use ascendcl_rules::RuleId;

/// A program of `ui-tests/fail`.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    /// The rules that it breaks, as its first line names them.
    pub(crate) rules: &'static [&'static str],
    /// The rest of its first line.
    pub(crate) sentence: &'static str,
    pub(crate) refused: &'static str,
    /// The compiler's message.
    pub(crate) message: &'static str,
    /// The program of the same name in `ui-tests/pass`.
    pub(crate) repaired: &'static str,
}

/// A program of `sim/dylib/tests/rules`.
pub(crate) struct CProgram {
    pub(crate) rule: &'static str,
    pub(crate) program: &'static str,
    /// Its output on the simulator.
    pub(crate) said: &'static str,
    /// The rules that the simulator's checker finds broken, or `none`.
    pub(crate) found: &'static str,
}

/// An item that keeps a rule, or a test that proves it.
pub(crate) struct Link {
    pub(crate) rule: &'static str,
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The programs that break a rule. The first one is the best example: the rule comes first in its first line, the
/// message names the rule, the program does what the rule forbids and does not only call a method that is elsewhere, and it
/// is short.
pub(crate) fn programs(id: RuleId) -> Vec<&'static Program> {
    let mut programs: Vec<_> = PROGRAMS.iter().filter(|program| program.rules.contains(&id.as_str())).collect();
    programs.sort_by_key(|program| {
        let is_first = program.rules.first() == Some(&id.as_str());
        let is_elsewhere = program.message.contains("src/elsewhere/");
        let names_it = program.message.contains(id.as_str());
        (!is_first, !names_it, is_elsewhere, program.refused.len() + program.message.len())
    });
    programs
}

/// The C program that breaks a rule.
pub(crate) fn c_program(id: RuleId) -> Option<&'static CProgram> {
    C_PROGRAMS.iter().find(|program| program.rule == id.as_str())
}

/// Why a rule has no C program.
pub(crate) fn no_c_program(id: RuleId) -> Option<&'static str> {
    WITHOUT.iter().find(|(rule, _)| *rule == id.as_str()).map(|(_, reason)| *reason)
}

/// The items that keep a rule.
pub(crate) fn mechanisms(id: RuleId) -> impl Iterator<Item = &'static Link> {
    links(id).filter(|link| link.name.starts_with('`'))
}

/// The tests that prove that the crate keeps the rule, without the refused programs.
pub(crate) fn tests(id: RuleId) -> impl Iterator<Item = &'static Link> {
    links(id).filter(|link| !link.name.starts_with('`') && !link.file.starts_with("ui-tests/"))
}

fn links(id: RuleId) -> impl Iterator<Item = &'static Link> {
    LINKS.iter().filter(move |link| link.rule == id.as_str())
}
