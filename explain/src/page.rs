//! The page of a rule.

use crate::pages::{self, CProgram, Link, Program};
use ascendcl_rules::{Class, RuleId, Severity};
use core::fmt::{self, Display, Formatter};

pub(crate) struct Page {
    pub(crate) id: RuleId,
    pub(crate) programs: Programs,
}

/// The programs to print.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Programs {
    One,
    All,
}

impl Display for Page {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { id, .. } = self;
        let rule = id.rule();
        writeln!(f, "{id} ({})\n\n{}\n", rule.area.title(), rule.text)?;
        writeln!(f, "Broken by: {}", rule.misuse)?;
        writeln!(f, "Then:      {}", rule.consequence)?;
        writeln!(f, "Stated in: {} ({})", rule.source, basis(rule.basis))?;
        writeln!(f, "Priority:  {} of 3\n", rule.priority)?;
        writeln!(f, "What this crate does\n\n{} {}", class(rule.class), rule.means)?;
        if !rule.hole.is_empty() {
            writeln!(f, "Left open: {}", rule.hole)?;
        }
        c_program(f, *id)?;
        self.programs(f)?;
        list(f, "Kept by", pages::mechanisms(*id))?;
        list(f, "Shown by", pages::tests(*id))
    }
}

impl Page {
    fn programs(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let all = pages::programs(self.id);
        let printed = if self.programs == Programs::All { all.len() } else { 1 };
        all.iter().take(printed).try_for_each(|program| program.fmt(f))?;
        let mut others = all.iter().skip(printed).peekable();
        if others.peek().is_some() {
            writeln!(f, "\nMore programs that are refused (`--all` prints them)\n")?;
        }
        others.try_for_each(|program| writeln!(f, "  ui-tests/fail/{}.rs: {}", program.name, program.sentence))
    }
}

/// The C program that breaks the rule.
fn c_program(f: &mut Formatter<'_>, id: RuleId) -> fmt::Result {
    if let Some(reason) = pages::no_c_program(id) {
        return writeln!(f, "\nNo C program: {reason}");
    }
    let Some(CProgram { program, said, found, .. }) = pages::c_program(id) else { return Ok(()) };
    writeln!(
        f,
        "\nThis C program breaks it, and C compilers accept it (sim/dylib/tests/rules/{id}.c):\n\n```c\n{program}```"
    )?;
    writeln!(
        f,
        "\nIts calls answer on the simulator, as those of the vendor's code where that was measured:\n\n```text\n{said}```"
    )?;
    match *found {
        "none" => {
            writeln!(f, "\nNo call fails, and the simulator's checker (`ASCENDCL_SIM=report`) sees nothing wrong.")
        }
        found => {
            let word = if id.severity() == Severity::Advice { "report,advice" } else { "report" };
            writeln!(f, "\nThe simulator's checker (`ASCENDCL_SIM={word}`) reports: {found}.")
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, refused, message, repaired, .. } = self;
        writeln!(f, "\nThe compiler refuses this program (ui-tests/fail/{name}.rs):\n\n```rust\n{refused}```")?;
        writeln!(f, "\nIts message:\n\n```text\n{message}```")?;
        writeln!(f, "\nThe repaired program compiles (ui-tests/pass/{name}.rs):\n\n```rust\n{repaired}```")
    }
}

fn list(f: &mut Formatter<'_>, title: &str, links: impl Iterator<Item = &'static Link>) -> fmt::Result {
    let mut links = links.peekable();
    if links.peek().is_some() {
        writeln!(f, "\n{title}\n")?;
    }
    links.try_for_each(|link| writeln!(f, "  {}: {}", link.file, link.name))
}

/// The meaning of a class for a program.
fn class(class: Class) -> &'static str {
    match class {
        Class::Compile => "A program that breaks it does not compile.",
        Class::ByConstruction => "The crate keeps it, whatever the program does.",
        Class::RunTime => {
            "A check at run time, or the library's own refusal, is an error. It names the rule, unless the code of a refusal does \
             not identify it."
        }
        Class::Limit => "Nothing can enforce it.",
        Class::NotOffered => "The crate has no safe API for its subject.",
    }
}

/// The basis of a rule.
fn basis(basis: &str) -> String {
    let words = basis.split('+').map(|part| match part {
        "doc" => "a manual of the vendor",
        "header" => "a comment of a C header",
        "source" => "behaviour that was read or measured",
        "search" => "another public page of the vendor",
        "derived" => "follows from other rules",
        other => other,
    });
    words.collect::<Vec<_>>().join("; ")
}
