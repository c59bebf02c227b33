//! The table of third-party packages.

use super::ground::Ground;
use super::metadata::{Package, Reach, packages};
use super::part::Outcome;
use super::reasons;
use super::table::{csv, markdown};
use std::collections::BTreeSet;

const HEAD: [&str; 6] = ["package", "version", "licence", "where it ends up", "used by", "why it is trusted"];

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    let packages = packages(ground)?;
    let reasons = reasons::of(&ground.read(reasons::FILE)?);
    let names: BTreeSet<_> = Package::of_others(&packages).map(|package| package.name.clone()).collect();
    let wrong = reasons::wrong(&reasons, &names);
    let mut others: Vec<_> = Package::of_others(&packages).collect();
    others.sort_by_key(|package| package.reach);
    let row = |package: &&Package| {
        let why = reasons.get(&package.name).cloned().unwrap_or_default();
        let users = package.users(&packages).join(", ");
        let (name, version, license) = (&package.name, &package.version, &package.license);
        vec![name.clone(), version.clone(), license.clone(), package.reach.word().to_owned(), users, why]
    };
    let rows: Vec<_> = others.iter().map(row).collect();
    let count = |reach| others.iter().filter(|package| package.reach == reach).count();
    let counts: Vec<_> = Reach::ALL.iter().map(|reach| format!("{} {}", count(*reach), reach.word())).collect();
    let text = format!(
        "# Dependencies\n\n{} packages: {}. `program` is a program for a device, `ascendcl` without features; \
         `features` adds the features and the other published crates.\n\n{}",
        others.len(),
        counts.join(", "),
        markdown(&HEAD, &rows)
    );
    ground.write("dependencies.md", &text)?;
    ground.write("dependencies.csv", &csv(&HEAD, &rows))?;
    let says = format!("{} packages ({})", others.len(), counts.join(", "));
    let says = if wrong.is_empty() { says } else { format!("{says}; {}", wrong.join("; ")) };
    let outcome = Outcome::judged(wrong.is_empty(), says).fact("packages", others.len()).fact("problems", wrong);
    let outcome = outcome.fact("in a program", count(Reach::Program)).fact("with features", count(Reach::Features));
    Ok(outcome.file("dependencies.md").file("dependencies.csv"))
}
