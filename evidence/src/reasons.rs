//! `evidence/dependencies.tsv`: why each third-party package is trusted. This is the only part that a run cannot
//! produce.

use std::collections::{BTreeMap, BTreeSet};

/// The path from the root of the repository.
pub(crate) const FILE: &str = "evidence/dependencies.tsv";

/// The reason for each name.
pub(crate) fn of(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once('\t'));
    pairs.map(|(name, reason)| (name.to_owned(), reason.trim().to_owned())).collect()
}

/// The differences between the reasons and the names in `Cargo.lock`, in words.
pub(crate) fn wrong(reasons: &BTreeMap<String, String>, names: &BTreeSet<String>) -> Vec<String> {
    let lacking = names.iter().filter(|name| reasons.get(*name).is_none_or(String::is_empty));
    let lacking = lacking.map(|name| format!("{name} is in Cargo.lock and has no reason: why is it trusted?"));
    let left = reasons.keys().filter(|name| !names.contains(*name));
    lacking.chain(left.map(|name| format!("{name} has a reason and is not in Cargo.lock: delete its line"))).collect()
}

#[cfg(test)]
mod tests {
    use super::{FILE, of, wrong};
    use crate::metadata::checksums;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn read(name: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        std::fs::read_to_string(root.join(name)).unwrap_or_default()
    }

    #[test]
    fn each_dependency_has_a_reason_and_each_reason_a_dependency() {
        let names: BTreeSet<_> = checksums(&read("Cargo.lock")).into_keys().map(|(name, _)| name).collect();
        assert!(!names.is_empty(), "Cargo.lock was not read");
        let wrong = wrong(&of(&read(FILE)), &names);
        assert!(wrong.is_empty(), "{FILE}:\n{}", wrong.join("\n"));
    }

    #[test]
    fn a_new_dependency_and_a_reason_that_is_left_over_are_found() {
        let reasons = of("# a comment\nlibc\tof the Rust project\nempty\t \nold\tgone\n");
        let names = ["libc", "empty", "new"].map(str::to_owned).into();
        let found = wrong(&reasons, &names);
        let about: Vec<_> = found.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(about, ["empty", "new", "old"]);
    }
}
