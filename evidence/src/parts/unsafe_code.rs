//! The inventory of unsafe code as a table.

use crate::ground::Ground;
use crate::part::Outcome;
use crate::table::{csv, markdown};
use crate::unsafe_code::{Kind, Place, SOURCES, of};

const HEAD: [&str; 5] = ["file", "line", "kind", "rules", "obligation"];

pub(crate) fn run(ground: &Ground) -> Result<Outcome, String> {
    let places = of(&ground.root)?;
    let row = |place: &Place| {
        let (line, kind) = (place.line.to_string(), place.kind.word().to_owned());
        vec![place.file.clone(), line, kind, place.rules().join(" "), place.obligation.clone()]
    };
    let rows: Vec<_> = places.iter().map(row).collect();
    let lacking: Vec<_> = places.iter().filter(|place| place.kind.owes() && place.obligation.is_empty()).collect();
    let named = places.iter().filter(|place| !place.rules().is_empty()).count();
    let counts = counts(&places);
    let text = format!(
        "# Unsafe code of the published crates\n\nA block and an `impl` state what they rely on, a function and a trait \
         what they ask for. A function that C calls has the contract of its C declaration, and each block in it says \
         what it needs of that.\n\n{}\n{} places name rules of the vendor.\n\n{}",
        markdown(&head_of_counts(), &counts),
        named,
        markdown(&HEAD, &rows)
    );
    ground.write("unsafe.md", &text)?;
    ground.write("unsafe.csv", &csv(&HEAD, &rows))?;
    let count = |kind| places.iter().filter(|place| place.kind == kind).count();
    let (blocks, impls) = (count(Kind::Block), count(Kind::Implementation));
    let mut says = format!("{blocks} blocks, {impls} impls, {} functions, ", count(Kind::Function));
    says += &format!("{} functions that C calls; {} without an obligation", count(Kind::CFunction), lacking.len());
    for place in lacking.iter().take(5) {
        says += &format!("; {}:{}", place.file, place.line);
    }
    let ok = lacking.is_empty() && blocks > 0;
    let outcome = Outcome::judged(ok, says).fact("blocks", blocks).fact("impls", impls);
    let outcome = outcome.fact("functions", count(Kind::Function)).fact("without an obligation", lacking.len());
    Ok(outcome.fact("that name rules", named).file("unsafe.md").file("unsafe.csv"))
}

fn head_of_counts() -> Vec<&'static str> {
    std::iter::once("folder").chain(Kind::ALL.iter().map(|kind| kind.word())).collect()
}

fn counts(places: &[Place]) -> Vec<Vec<String>> {
    let row = |folder: &str| {
        let own = |place: &&Place| place.file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let of = |kind| places.iter().filter(own).filter(|place| place.kind == kind).count().to_string();
        std::iter::once(folder.to_owned()).chain(Kind::ALL.iter().map(|kind| of(*kind))).collect()
    };
    SOURCES.iter().map(|folder| row(folder)).collect()
}
