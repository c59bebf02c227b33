//! What the source says about rules: which items keep them, which tests and programs prove them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A place that names rules.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mention {
    /// The item, test or program.
    pub name: String,
    /// Its file, from the root of the repository.
    pub file: String,
}

/// By rule id, as it is printed.
pub type Mentions = BTreeMap<String, Vec<Mention>>;

/// What was found.
#[derive(Default, Debug)]
pub struct Tree {
    pub mechanisms: Mentions,
    pub tests: Mentions,
    pub programs: Mentions,
}

impl Tree {
    /// Reads the repository that has its root here.
    pub fn read(root: &Path) -> Self {
        let mut tree = Self::default();
        for folder in ["src", "tests", "sim/tests", "rules/tests"] {
            for (file, text) in files(root, folder) {
                attributes(&text, "#[rule(", &file, &mut tree.mechanisms);
                attributes(&text, "#[proves(", &file, &mut tree.tests);
            }
        }
        for (file, text) in files(root, "ui-tests/fail") {
            header(&text, &file, &mut tree.programs);
        }
        tree
    }

    /// Everything that is evidence for a rule.
    pub fn evidence(&self, rule: &str) -> impl Iterator<Item = &Mention> {
        self.tests.get(rule).into_iter().chain(self.programs.get(rule)).flatten()
    }
}

/// All Rust files under a folder, with their text, by path.
fn files(root: &Path, folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![root.join(folder)];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The items under an attribute that lists rules. The formatter puts attributes on lines of their own.
fn attributes(text: &str, attribute: &str, file: &str, into: &mut Mentions) {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (index, line) in lines.iter().enumerate() {
        let Some(list) = line.strip_prefix(attribute).and_then(|rest| rest.split(')').next()) else { continue };
        let item = lines[index + 1..].iter().find(|line| !line.starts_with("#[") && !line.starts_with("//"));
        let name = item.map(|item| name_of(item)).unwrap_or_default();
        for id in list.split(',').map(|id| id.trim().replace('_', "-")) {
            into.entry(id).or_default().push(Mention { name: name.clone(), file: file.to_owned() });
        }
    }
}

/// What an item's first line calls it.
fn name_of(item: &str) -> String {
    const KINDS: [&str; 9] = ["fn", "struct", "enum", "trait", "impl", "type", "const", "static", "macro_rules!"];
    let words: Vec<&str> = item.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '!')).collect();
    let kind = words.iter().position(|word| KINDS.contains(word) && *word != "const");
    let after = kind.or_else(|| words.iter().position(|word| *word == "const")).map_or(0, |kind| kind + 1);
    words[after.min(words.len())..].iter().find(|word| !word.is_empty()).unwrap_or(&item).to_string()
}

/// The rules before the colon of a program's first line: `// ALLOC-04, ALLOC-15: a sentence`.
fn header(text: &str, file: &str, into: &mut Mentions) {
    let first = text.lines().next().unwrap_or_default();
    let ids = first.trim_start_matches("// ").split(':').next().unwrap_or_default();
    let name = Path::new(file).file_stem().unwrap().to_string_lossy().into_owned();
    for id in ids.split(',').map(|id| id.trim().to_owned()) {
        into.entry(id).or_default().push(Mention { name: name.clone(), file: file.to_owned() });
    }
}

#[test]
fn attributes_and_headers_are_read_with_what_they_stand_on() {
    let mut mechanisms = Mentions::new();
    let text = "/// Destroys.\n    #[rule(STREAM_05, STREAM_08)]\n    #[must_use]\n    pub fn destroy(self) {}\n";
    attributes(text, "#[rule(", "src/stream.rs", &mut mechanisms);
    let destroy = Mention { name: "destroy".into(), file: "src/stream.rs".into() };
    assert_eq!(mechanisms["STREAM-05"], std::slice::from_ref(&destroy));
    assert_eq!(mechanisms["STREAM-08"], [destroy]);
    let mut programs = Mentions::new();
    header("// ALLOC-04, ALLOC-15: too late.\nfn main() {}\n", "ui-tests/fail/late.rs", &mut programs);
    assert_eq!(programs["ALLOC-15"], [Mention { name: "late".into(), file: "ui-tests/fail/late.rs".into() }]);
    assert_eq!(name_of("pub const fn rules(self) -> u8 {"), "rules");
}
