//! The inventory of unsafe code: each place with the obligation that its comment states.

use super::rust_source::{code_only, without_tests};
use std::fs;
use std::path::{Path, PathBuf};

/// The sources of the published crates. `ge/double` is for tests and is not published.
pub(crate) const SOURCES: [&str; 9] =
    ["src", "sys/src", "ge/src", "ge/sys/src", "sim/src", "sim/dylib/src", "rules/src", "macros/src", "doctor/src"];

/// A place with the word `unsafe`.
pub(crate) struct Place {
    /// The path from the root of the repository.
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) kind: Kind,
    /// The name of the function.
    name: String,
    /// The obligation that its comment or its documentation states; empty if there is none.
    pub(crate) obligation: String,
}

/// Functions whose obligation is stated elsewhere: file, name, and where.
const ELSEWHERE: [(&str, &str, &str); 2] = [
    (
        "sys/src/groups.rs",
        "$name",
        "one method per line of the table: the contract of the C function of its name, which the vendor states",
    ),
    (
        "sim/src/abi/matrices.rs",
        "from_c",
        "of the trait's `from_c` (`sim/src/abi/arguments.rs`): the value is an argument of a C call that is under way",
    ),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Code that relies on an obligation that it states.
    Block,
    Implementation,
    /// Items that put an obligation on their users.
    Function,
    Trait,
    /// A function that C calls. Its obligation is the C contract. Each block in it states what it requires of that
    /// contract.
    CFunction,
    /// `unsafe extern { … }`, or an attribute such as `#[unsafe(no_mangle)]`.
    Declaration,
    /// The type of a pointer to an unsafe function, which has no obligation by itself.
    Type,
}

impl Kind {
    pub(crate) const ALL: [Self; 7] = [
        Self::Block,
        Self::Implementation,
        Self::Function,
        Self::Trait,
        Self::CFunction,
        Self::Declaration,
        Self::Type,
    ];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Implementation => "impl",
            Self::Function => "fn",
            Self::Trait => "trait",
            Self::CFunction => "C function",
            Self::Declaration => "declaration",
            Self::Type => "type",
        }
    }

    /// The kind of a place, by the code after the word `unsafe`.
    fn of(after: &str) -> Option<Self> {
        let mut words = after.split_whitespace();
        let first = words.next()?;
        if first == "extern" {
            // The name of the ABI is a string literal, so the code does not contain it.
            return match words.next()? {
                "fn" => Some(Self::CFunction),
                next if next.starts_with("fn(") => Some(Self::Type),
                _ => Some(Self::Declaration),
            };
        }
        match first {
            "impl" => Some(Self::Implementation),
            "trait" => Some(Self::Trait),
            "fn" => Some(Self::Function),
            first if first.starts_with("impl<") => Some(Self::Implementation),
            first if first.starts_with("fn(") => Some(Self::Type),
            first if first.starts_with('{') => Some(Self::Block),
            first if first.starts_with('(') => Some(Self::Declaration),
            _ => None,
        }
    }

    /// Whether the place must state an obligation.
    pub(crate) const fn owes(self) -> bool {
        matches!(self, Self::Block | Self::Implementation | Self::Function | Self::Trait)
    }
}

impl Place {
    /// The ids of the vendor's rules that the obligation rests on: `STREAM-06`.
    pub(crate) fn rules(&self) -> Vec<String> {
        let is_id = |word: &&str| {
            word.split_once('-').is_some_and(|(area, number)| {
                area.len() > 1
                    && area.bytes().all(|byte| byte.is_ascii_uppercase())
                    && number.len() == 2
                    && number.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        let words = self.obligation.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
        words.filter(is_id).map(str::to_owned).collect()
    }
}

/// All places, ordered by file and line.
pub(crate) fn of(root: &Path) -> Result<Vec<Place>, String> {
    let mut places = Vec::new();
    for folder in SOURCES {
        for path in files(&root.join(folder))? {
            let source = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let file = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            places.extend(in_source(&file, &source));
        }
    }
    Ok(places)
}

/// The files with Rust code below a folder.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn in_source(file: &str, source: &str) -> Vec<Place> {
    let code = without_tests(&code_only(source));
    let lines: Vec<_> = source.lines().collect();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let found = code.match_indices("unsafe").filter(|(at, word)| {
        let before = code.get(..*at).and_then(|before| before.chars().next_back());
        let after = code.get(at + word.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    });
    let mut places: Vec<Place> = Vec::new();
    for (at, word) in found {
        let after = code.get(at + word.len()..).unwrap_or_default();
        let Some(kind) = Kind::of(after) else { continue };
        let line = code.get(..at).unwrap_or_default().matches('\n').count() + 1;
        let above = lines.get(..line.saturating_sub(1)).unwrap_or_default();
        let name = after.split_whitespace().skip_while(|word| *word != "fn").nth(1).unwrap_or_default();
        let name = name.split(['(', '<']).next().unwrap_or_default().to_owned();
        let obligation = match kind {
            Kind::Block | Kind::Implementation => comment(above),
            Kind::Trait => documentation(above),
            Kind::Function => documentation(above).or_else(|| elsewhere(file, &name, &places)),
            Kind::CFunction | Kind::Declaration | Kind::Type => None,
        };
        places.push(Place { file: file.to_owned(), line, kind, name, obligation: obligation.unwrap_or_default() });
    }
    places
}

/// Where the contract of a function without its own section is: in the list, or at the function of the same name that
/// the trait above declares.
fn elsewhere(file: &str, name: &str, above: &[Place]) -> Option<String> {
    if let Some((_, _, place)) = ELSEWHERE.iter().find(|(known, of, _)| *known == file && *of == name) {
        return Some((*place).to_owned());
    }
    let declared = above.iter().find(|place| place.kind == Kind::Function && place.name == name)?;
    Some(format!("of the trait's `{name}`: {}", declared.obligation))
}

/// The nearest comment `// SAFETY: …` above, with no statement or item between. Clippy's `undocumented_unsafe_blocks`
/// also wants it there.
fn comment(above: &[&str]) -> Option<String> {
    let ends_something = |line: &str| line.is_empty() || line.ends_with(';') || line == "}" || line.ends_with("=> {}");
    let begin = above.iter().rposition(|line| line.trim_start().starts_with("// SAFETY:"))?;
    let mut words = Vec::new();
    let mut rest = above.get(begin..)?.iter().map(|line| line.trim());
    let mut after = None;
    for line in rest.by_ref() {
        match line.strip_prefix("// ") {
            Some(text) => words.push(text.strip_prefix("SAFETY: ").unwrap_or(text)),
            None => {
                after = Some(line);
                break;
            }
        }
    }
    let between = after.into_iter().chain(rest);
    let foreign = between.filter(|line| !line.starts_with("//")).any(ends_something);
    (!foreign).then(|| words.join(" "))
}

/// The section `# Safety` of the documentation above, which attributes may follow.
fn documentation(above: &[&str]) -> Option<String> {
    let lines = above.iter().rev().map(|line| line.trim());
    let own = lines.take_while(|line| !line.is_empty() && (line.starts_with("//") || !line.ends_with([';', '{', '}'])));
    let mut text: Vec<_> = own.filter_map(|line| line.strip_prefix("///")).map(str::trim).collect();
    text.reverse();
    let begin = text.iter().position(|line| *line == "# Safety")? + 1;
    let section = text.get(begin..)?.iter().take_while(|line| !line.starts_with("# "));
    let words: Vec<_> = section.filter(|line| !line.is_empty()).copied().collect();
    Some(words.join(" ")).filter(|words| !words.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Kind, in_source, of};
    use std::path::Path;

    #[test]
    fn each_unsafe_block_impl_and_function_of_the_published_crates_states_its_obligation() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        let places = of(root).unwrap_or_default();
        assert!(places.iter().filter(|place| place.kind == Kind::Block).count() > 100, "the sources were not read");
        let lacking = places.iter().filter(|place| place.kind.owes() && place.obligation.is_empty());
        let lacking: Vec<_> = lacking.map(|at| format!("{}:{} {}", at.file, at.line, at.kind.word())).collect();
        assert!(lacking.is_empty(), "no obligation is stated at:\n{}", lacking.join("\n"));
    }

    #[test]
    fn an_obligation_belongs_to_the_next_statement_alone() {
        let places = in_source(
            "a.rs",
            "fn f() {
                // SAFETY: the stream lives (STREAM-06),
                // and so does its context.
                let a = g(1, || {
                    unsafe { first() }
                });
                let b = unsafe { second() };
            }
            /// Text.
            ///
            /// # Safety
            ///
            /// It is alive.
            #[inline]
            pub unsafe fn third() {}
            unsafe extern \"C\" fn fourth() {}
            type Call = unsafe extern \"C\" fn(u8);
            unsafe extern \"C\" { fn fifth(); }
            // SAFETY: it has no state.
            unsafe impl<T> Send for A<T> {}
            #[unsafe(no_mangle)]
            static UNSAFE: &str = \"unsafe { text }\";",
        );
        let found: Vec<_> = places.iter().map(|at| (at.line, at.kind, at.obligation.as_str())).collect();
        assert_eq!(
            found,
            [
                (5, Kind::Block, "the stream lives (STREAM-06), and so does its context."),
                (7, Kind::Block, ""),
                (15, Kind::Function, "It is alive."),
                (16, Kind::CFunction, ""),
                (17, Kind::Type, ""),
                (18, Kind::Declaration, ""),
                (20, Kind::Implementation, "it has no state."),
                (21, Kind::Declaration, ""),
            ]
        );
        assert_eq!(places.first().map(super::Place::rules), Some(vec!["STREAM-06".to_owned()]));
    }
}
