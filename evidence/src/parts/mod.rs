//! The parts, in the order in which they run. Parts that take seconds come first.

mod api;
mod coverage;
mod deny;
mod features;
mod fuzz;
mod guidelines;
mod memcheck;
mod moved;
mod oldest;
mod packaged;
mod packages;
mod scripts;
mod unsafe_code;
mod watched;

use super::part::Part;
use super::{dependencies, guards, sbom, test_run, trace};
pub(crate) use coverage::tests_of;

macro_rules! part {
    ($name:literal, $shows:literal, $run:expr) => {
        Part { name: $name, shows: $shows, long: false, run: $run }
    };
    ($name:literal, $shows:literal, $run:expr, long) => {
        Part { name: $name, shows: $shows, long: true, run: $run }
    };
}

pub(crate) const ALL: &[Part] = &[
    part!("unsafe", "each place of unsafe code with its obligation and the rules it names", unsafe_code::run),
    part!("dependencies", "each third-party package: its licence, its use, and why it is trusted", dependencies::run),
    part!("sbom", "a bill of materials (CycloneDX 1.5)", sbom::run),
    part!("deny", "licences, duplicates and sources are those that deny.toml allows", deny::run),
    part!("guidelines", "what the table of coding guidelines cites exists", guidelines::run),
    part!("api", "the public API is the one in docs/api/", api::run, long),
    part!("packages", "the packages are the same bytes when they are made twice", packages::run),
    part!(
        "packaged",
        "each package compiles from its own files, and a user's program runs on them",
        packaged::run,
        long
    ),
    part!("oldest-rust", "each published crate compiles with its stated oldest Rust", oldest::rust, long),
    part!(
        "minimal",
        "the safe crate compiles with the oldest stated versions of its dependencies",
        oldest::versions,
        long
    ),
    part!("features", "each combination of features compiles without a warning", features::run, long),
    part!("on-move", "messages about moved values have words of the crate on a nightly compiler", moved::run, long),
    part!("tests", "all tests of the workspace", test_run::run, long),
    part!("traceability", "each rule with its code, its tests and their results, as a table", trace::run, long),
    part!("valgrind", "a C program on the simulator's C ABI: no invalid access, no lost memory", memcheck::run, long),
    part!("sanitizer", "tests under the address sanitizer: no invalid access, no lost memory", watched::address, long),
    part!("races", "tests under the thread sanitizer: no data race", watched::threads, long),
    part!("miri", "tests in Miri: no undefined behaviour", watched::miri, long),
    part!("fuzz", "models, settings, declarations, C calls and safe programs that a fuzzer makes", fuzz::run, long),
    part!("mutants", "each line of the stamp protocol has a test that fails without it", scripts::mutants, long),
    part!("guards", "each guard of the code that keeps the rules has a test that fails without it", guards::run, long),
    part!("proof", "models of the stamp protocol are proven for any number of threads", scripts::proof, long),
    part!("cost", "instructions of each operation stay below their limits", scripts::cost, long),
    part!("coverage", "lines of the safe crate that tests run", coverage::run, long),
];

#[cfg(test)]
mod tests {
    use super::ALL;
    use std::path::Path;

    #[test]
    fn the_page_has_a_row_for_each_part() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        let page = std::fs::read_to_string(root.join("docs/evidence.md")).unwrap_or_default();
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        let rows: Vec<_> = rows.collect();
        let parts: Vec<_> = ALL.iter().map(|part| part.name).collect();
        assert_eq!(rows, parts, "docs/evidence.md has a row per part, in the order in which they run");
    }
}
