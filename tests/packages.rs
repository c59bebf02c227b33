//! The contents of the published packages: complete for readers and users, without files that users do not need.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of the packages, with the largest number of files of each.
const PACKAGES: [(&str, usize); 9] = [
    (".", 340),
    ("doctor", 30),
    ("ge", 30),
    ("ge/sys", 30),
    ("macros", 50),
    ("rules", 75),
    ("sim", 345),
    ("sim/dylib", 25),
    ("sys", 80),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn manifest(package: &str) -> String {
    fs::read_to_string(root().join(package).join("Cargo.toml")).unwrap()
}

/// The files of a package.
fn files(package: &str) -> BTreeSet<String> {
    let mut list = Command::new(env!("CARGO"));
    list.args(["package", "--list", "--allow-dirty", "--offline"]).current_dir(root().join(package));
    let output = list.output().unwrap();
    assert!(output.status.success(), "{package}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| line.replace('\\', "/")).collect()
}

#[test]
fn each_package_has_its_licences_a_readme_and_no_tests_of_the_compilers_messages() {
    for (package, most) in PACKAGES {
        let files = files(package);
        for needed in ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            assert!(files.contains(needed), "the package in {package} has no {needed}");
        }
        let unneeded: Vec<_> = files
            .iter()
            .filter(|file| ["ui-tests/", "tests/", "benches/"].iter().any(|end| file.starts_with(end)))
            .collect();
        assert!(unneeded.is_empty(), "{package}: {} files, such as {}", unneeded.len(), unneeded[0]);
        assert!(files.len() <= most, "{package}: {} files", files.len());
    }
}

#[test]
fn the_licences_are_the_same_everywhere() {
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let text = fs::read_to_string(root().join(licence)).unwrap();
        for (package, _) in PACKAGES {
            let own = fs::read_to_string(root().join(package).join(licence));
            assert!(own.is_ok_and(|own| own == text), "the {licence} in {package} is missing, or another one");
        }
    }
}

#[test]
fn each_manifest_says_what_a_registry_shows() {
    for (package, _) in PACKAGES {
        let manifest = manifest(package);
        for key in [
            "description = ",
            "keywords = ",
            "categories = ",
            "readme = \"README.md\"",
            "rust-version = ",
            "repository",
        ] {
            assert!(manifest.contains(key), "{package}/Cargo.toml does not say `{key}`");
        }
        assert!(manifest.contains("[package.metadata.docs.rs]"), "{package}/Cargo.toml says nothing to docs.rs");
    }
}

/// Outside of this workspace an example has the features only that it asks for.
#[test]
fn the_packaged_examples_say_which_features_they_need_and_have_their_files() {
    let (files, manifest) = (files("."), manifest("."));
    let packaged: Vec<_> =
        files.iter().filter_map(|file| file.strip_prefix("examples/")?.strip_suffix(".rs")).collect();
    let packaged: Vec<_> = packaged.into_iter().filter(|name| !name.contains('/')).collect();
    assert!(packaged.len() >= 19, "{packaged:?}");
    for name in packaged {
        let entry = format!("[[example]]\nname = \"{name}\"\nrequired-features = [\"sim\"]\n");
        assert!(manifest.contains(&entry), "Cargo.toml does not say: {entry}");
        let text = fs::read_to_string(root().join(format!("examples/{name}.rs"))).unwrap();
        assert!(!text.contains("ascendcl_ge_double"), "{name} needs a crate that is not published");
        for module in text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')) {
            let file = format!("examples/{module}/mod.rs");
            assert!(files.contains(&file), "{name} needs {file}");
        }
    }
    for data in fs::read_dir(root().join("examples/data")).unwrap() {
        let file = PathBuf::from("examples/data").join(data.unwrap().file_name());
        assert!(files.contains(file.to_str().unwrap()), "{}", file.display());
    }
}
