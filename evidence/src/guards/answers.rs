//! `evidence/guards.tsv`: why no test fails when a guard is changed. Only a person can say that.
//!
//! A row names the file, the function and the change, not the number of a line, so that it stays when lines move.

use super::text::Mutant;
use std::collections::BTreeMap;

/// The path from the root of the repository.
pub(crate) const FILE: &str = "evidence/guards.tsv";

/// File, function, change.
pub(crate) type Place = (String, String, String);

pub(crate) fn place(mutant: &Mutant) -> Place {
    (mutant.file.clone(), mutant.function.clone(), mutant.change.clone())
}

/// Rows without a reason.
pub(crate) fn rows(places: impl Iterator<Item = Place>) -> String {
    places.map(|(file, function, change)| format!("{file}\t{function}\t{change}\t\n")).collect()
}

/// The reasons.
pub(crate) fn of(text: &str) -> Result<BTreeMap<Place, String>, String> {
    let mut answers = BTreeMap::new();
    for row in text.lines().filter(|row| !row.starts_with('#')) {
        let parts: Vec<_> = row.split('\t').map(str::trim).collect();
        let [file, function, change, why] = parts.as_slice() else {
            return Err(format!("{FILE}: not file, function, change and reason, with a tab between: {row}"));
        };
        let place = ((*file).to_owned(), (*function).to_owned(), (*change).to_owned());
        if why.is_empty() || answers.insert(place, (*why).to_owned()).is_some() {
            return Err(format!("{FILE}: a row without a reason, or a second one: {row}"));
        }
    }
    Ok(answers)
}

/// The rows about changes that the sources do not have.
pub(crate) fn stale<'a>(answers: &'a BTreeMap<Place, String>, mutants: &[Mutant]) -> Vec<&'a Place> {
    let places: std::collections::BTreeSet<_> = mutants.iter().map(place).collect();
    answers.keys().filter(|row| !places.contains(*row)).collect()
}

#[cfg(test)]
mod tests {
    use super::{FILE, of, stale};
    use crate::guards::workspace;
    use std::path::Path;

    #[test]
    fn each_reason_is_about_a_change_that_the_sources_have() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        let mutants = workspace::mutants(root).unwrap_or_else(|wrong| panic!("{wrong}"));
        let text = std::fs::read_to_string(root.join(FILE)).unwrap_or_default();
        let answers = of(&text).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(mutants.len() > 1000, "the sources were not read");
        let stale = stale(&answers, &mutants);
        assert!(stale.is_empty(), "{FILE} has rows about what is not there: {stale:#?}");
    }

    #[test]
    fn a_row_without_a_reason_and_one_that_is_there_twice_are_refused() {
        assert!(of("# about\na.rs\tf\treturn None\tnobody asks").is_ok_and(|rows| rows.len() == 1));
        assert!(of("a.rs\tf\treturn None\t").is_err() && of("a.rs\tf\treturn None").is_err());
        assert!(of("a.rs\tf\treturn None\twhy\na.rs\tf\treturn None\tagain").is_err());
        let answers = of("a.rs\tf\treturn None\tgone").unwrap_or_default();
        assert_eq!(stale(&answers, &[]).len(), 1);
    }
}
