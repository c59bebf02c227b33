//! The packages of the build, from `cargo metadata`, `cargo tree` and `Cargo.lock`.

use super::ground::Ground;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Where a package is used. If it is used in several places, the first one in this list counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Reach {
    /// In a program for a device: `ascendcl` without features.
    Program,
    /// In a program with features of `ascendcl`, or in the other published crates, among them the simulator.
    Features,
    /// In the compiler: procedural macros and build scripts of published crates.
    Compiler,
    /// Only on systems other than Linux.
    OtherSystems,
    /// Only in tests, examples and tools of this repository.
    Tests,
}

impl Reach {
    pub(crate) const ALL: [Self; 5] = [Self::Program, Self::Features, Self::Compiler, Self::OtherSystems, Self::Tests];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Features => "features",
            Self::Compiler => "compiler",
            Self::OtherSystems => "other systems",
            Self::Tests => "tests",
        }
    }
}

pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    /// An SPDX expression; empty if the package states none.
    pub(crate) license: String,
    pub(crate) repository: String,
    /// Whether the package belongs to this workspace.
    pub(crate) own: bool,
    pub(crate) published: bool,
    /// SHA-256 of the package's file, as `Cargo.lock` states it.
    pub(crate) checksum: Option<String>,
    /// Ids of the packages that it uses.
    pub(crate) uses: Vec<String>,
    pub(crate) reach: Reach,
}

impl Package {
    pub(crate) fn of_others(packages: &[Self]) -> impl Iterator<Item = &Self> {
        packages.iter().filter(|package| !package.own)
    }

    /// The names of the packages that use it directly.
    pub(crate) fn users<'p>(&self, packages: &'p [Self]) -> Vec<&'p str> {
        let users = packages.iter().filter(|user| user.uses.contains(&self.id));
        users.map(|user| user.name.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// All packages of `Cargo.lock`, by name and version.
pub(crate) fn packages(ground: &Ground) -> Result<Vec<Package>, String> {
    let asked = ground.output(ground.command("cargo").args(["metadata", "--format-version", "1", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&asked).map_err(|error| format!("cargo metadata: {error}"))?;
    let list = |name: &str| metadata.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let own: BTreeSet<_> = list("workspace_members").iter().map(string).collect();
    let mut uses: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let nodes = metadata.pointer("/resolve/nodes").and_then(Value::as_array).cloned().unwrap_or_default();
    for node in &nodes {
        let of_node = node.get("dependencies").and_then(Value::as_array).cloned().unwrap_or_default();
        uses.insert(text(node, "id"), of_node.iter().map(string).collect());
    }
    let sums = checksums(&ground.read("Cargo.lock")?);
    let reach = Reached::of(ground, &list("packages"), &own)?;
    let mut packages: Vec<_> = list("packages")
        .iter()
        .map(|package| {
            let (id, name, version) = (text(package, "id"), text(package, "name"), text(package, "version"));
            let key = (name.clone(), version.clone());
            Package {
                license: text(package, "license").replace('/', " OR "),
                repository: text(package, "repository"),
                own: own.contains(&id),
                published: package.get("publish").is_some_and(Value::is_null),
                checksum: sums.get(&key).cloned(),
                uses: uses.get(&id).cloned().unwrap_or_default(),
                reach: reach.where_is(&key),
                id,
                name,
                version,
            }
        })
        .collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(packages)
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).map(string).unwrap_or_default()
}

type Key = (String, String);

/// The packages that are used in each place.
struct Reached(Vec<(Reach, BTreeSet<Key>)>);

impl Reached {
    fn of(ground: &Ground, packages: &[Value], own: &BTreeSet<String>) -> Result<Self, String> {
        let published: Vec<_> = packages
            .iter()
            .filter(|package| own.contains(&text(package, "id")) && package.get("publish").is_some_and(Value::is_null))
            .flat_map(|package| ["-p".to_owned(), text(package, "name")])
            .collect();
        let program = tree(ground, &["-p", "ascendcl", "-e", "normal,no-proc-macro"], &[])?;
        let features = tree(ground, &["--all-features", "-e", "normal,no-proc-macro"], &published)?;
        let compiler = tree(ground, &["--all-features", "-e", "normal,build"], &published)?;
        let anywhere = tree(ground, &["--all-features", "-e", "normal,build", "--target", "all"], &published)?;
        Ok(Self(vec![
            (Reach::Program, program),
            (Reach::Features, features),
            (Reach::Compiler, compiler),
            (Reach::OtherSystems, anywhere),
        ]))
    }

    fn where_is(&self, key: &Key) -> Reach {
        self.0.iter().find(|(_, reached)| reached.contains(key)).map_or(Reach::Tests, |(reach, _)| *reach)
    }
}

fn tree(ground: &Ground, arguments: &[&str], packages: &[String]) -> Result<BTreeSet<Key>, String> {
    let mut command = ground.command("cargo");
    command.args(["tree", "--locked", "--prefix", "none", "--format", "{p}"]).args(arguments).args(packages);
    let listed = ground.output(&mut command)?;
    let key = |line: &str| {
        let (name, rest) = line.split_once(" v")?;
        Some((name.to_owned(), rest.split(' ').next()?.to_owned()))
    };
    Ok(listed.lines().filter_map(key).collect())
}

/// Name and version of each third-party package in a `Cargo.lock`, with its checksum.
pub(crate) fn checksums(lock: &str) -> BTreeMap<Key, String> {
    let entry = |block: &str| {
        let value = |name: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
            line.map(|line| line.trim_end_matches('"').to_owned())
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    };
    lock.split("[[package]]").filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_lock_states_a_checksum_for_packages_of_others_only() {
        let lock = "version = 4\n\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\ndependencies = [\n \"other\",\n]\n\n\
            [[package]]\nname = \"other\"\nversion = \"1.2.3\"\nsource = \"registry\"\nchecksum = \"abc\"\n";
        let found: Vec<_> = super::checksums(lock).into_iter().collect();
        assert_eq!(found, [(("other".to_owned(), "1.2.3".to_owned()), "abc".to_owned())]);
    }
}
