//! Reads the marks in the sources: `#[rule]` on items, `#[proves]` on tests, and the first line of a program that must
//! not compile.

use ascendcl_rules::RuleId;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, ImplItem, Item, Meta, Token, TraitItem, Type};

/// What the sources of a repository say about its rules.
#[derive(Default)]
pub(crate) struct Scan {
    /// The items that keep a rule.
    pub(crate) mechanisms: BTreeMap<RuleId, Vec<Place>>,
    /// What shows that it is kept.
    pub(crate) evidence: BTreeMap<RuleId, Vec<Evidence>>,
    /// What could not be read, in words that say what to do.
    pub(crate) unreadable: Vec<String>,
}

/// A named thing in a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    /// From the root of the repository, with `/`.
    pub(crate) file: String,
    pub(crate) name: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Evidence {
    pub(crate) kind: Kind,
    pub(crate) place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// A program that is refused.
    Program,
    /// A test of the safe layer.
    Test,
    /// A test of the simulator: the behaviour of the library that the rule is about.
    Behaviour,
}

/// The folders with marks: the safe layer, the graph engine's crate, and the simulator's tests.
const SOURCES: [(&str, Kind); 5] = [
    ("src", Kind::Test),
    ("tests", Kind::Test),
    ("ge/src", Kind::Test),
    ("ge/tests", Kind::Test),
    ("sim/tests", Kind::Behaviour),
];

impl Scan {
    pub(crate) fn of(root: &Path) -> Self {
        let mut scan = Self::default();
        for (folder, kind) in SOURCES {
            for file in files(&root.join(folder), "rs") {
                scan.source(root, &file, kind);
            }
        }
        for file in files(&root.join("ui-tests/fail"), "rs") {
            scan.program(root, &file);
        }
        scan.mechanisms.values_mut().for_each(|places| places.sort());
        scan.evidence.values_mut().for_each(|evidence| evidence.sort());
        scan
    }

    fn source(&mut self, root: &Path, file: &Path, kind: Kind) {
        let path = relative(root, file);
        match syn::parse_file(&fs::read_to_string(file).unwrap()) {
            Ok(source) => Visitor { scan: self, file: path, kind, owner: None }.visit_file(&source),
            Err(error) => self.unreadable.push(format!("{path} cannot be parsed: {error}")),
        }
    }

    /// `// ALLOC-07, ALLOC-17: a sentence.`
    fn program(&mut self, root: &Path, file: &Path) {
        let path = relative(root, file);
        let text = fs::read_to_string(file).unwrap();
        let first = text.lines().next().unwrap_or_default();
        let Some((ids, _sentence)) = first.strip_prefix("// ").and_then(|line| line.split_once(": ")) else {
            self.unreadable.push(format!(
                "{path} does not say which rule it breaks: begin its first line like `// STREAM-08: a destroyed stream is \
                 not used.`"
            ));
            return;
        };
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        for id in ids.split(", ") {
            match id.parse() {
                Ok(id) => self.shows(id, Kind::Program, Place { file: path.clone(), name: name.clone() }),
                Err(error) => self.unreadable.push(format!("the first line of {path} names no rule: {error}")),
            }
        }
    }

    fn shows(&mut self, id: RuleId, kind: Kind, place: Place) {
        self.evidence.entry(id).or_default().push(Evidence { kind, place });
    }
}

struct Visitor<'a> {
    scan: &'a mut Scan,
    file: String,
    kind: Kind,
    /// The type or trait whose items are visited.
    owner: Option<String>,
}

impl Visitor<'_> {
    fn item(&mut self, attributes: &[Attribute], name: &Ident) {
        let name = self.owner.iter().map(|owner| format!("{owner}::")).collect::<String>() + &name.to_string();
        for attribute in attributes {
            let Meta::List(list) = &attribute.meta else { continue };
            let keeps = list.path.is_ident("rule");
            if !keeps && !list.path.is_ident("proves") {
                continue;
            }
            let has = |word: &str| attributes.iter().any(|attribute| attribute.path().is_ident(word));
            if !keeps && (!has("test") || has("ignore")) {
                let file = &self.file;
                self.scan
                    .unreadable
                    .push(format!("`{name}` in {file} is no test that runs: only such a test shows a rule"));
            }
            let place = Place { file: self.file.clone(), name: name.clone() };
            match list.parse_args_with(Punctuated::<Ident, Token![,]>::parse_terminated) {
                Ok(ids) => ids.iter().for_each(|id| self.names(&id.to_string(), keeps, place.clone())),
                Err(error) => self.scan.unreadable.push(format!("an attribute of `{name}` in {}: {error}", self.file)),
            }
        }
    }

    fn names(&mut self, id: &str, keeps: bool, place: Place) {
        match id.parse() {
            Ok(id) if keeps => self.scan.mechanisms.entry(id).or_default().push(place),
            Ok(id) => self.scan.shows(id, self.kind, place),
            Err(error) => self.scan.unreadable.push(format!("`{}` in {}: {error}", place.name, place.file)),
        }
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let outer = self.owner.clone();
        match item {
            Item::Const(item) => self.item(&item.attrs, &item.ident),
            Item::Enum(item) => self.item(&item.attrs, &item.ident),
            Item::Fn(item) => self.item(&item.attrs, &item.sig.ident),
            Item::Impl(item) => self.owner = type_name(&item.self_ty),
            Item::Static(item) => self.item(&item.attrs, &item.ident),
            Item::Struct(item) => self.item(&item.attrs, &item.ident),
            Item::Trait(item) => {
                self.item(&item.attrs, &item.ident);
                self.owner = Some(item.ident.to_string());
            }
            Item::Type(item) => self.item(&item.attrs, &item.ident),
            _ => (),
        }
        visit::visit_item(self, item);
        self.owner = outer;
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Const(item) => self.item(&item.attrs, &item.ident),
            ImplItem::Fn(item) => self.item(&item.attrs, &item.sig.ident),
            ImplItem::Type(item) => self.item(&item.attrs, &item.ident),
            _ => (),
        }
        visit::visit_impl_item(self, item);
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        match item {
            TraitItem::Const(item) => self.item(&item.attrs, &item.ident),
            TraitItem::Fn(item) => self.item(&item.attrs, &item.sig.ident),
            TraitItem::Type(item) => self.item(&item.attrs, &item.ident),
            _ => (),
        }
        visit::visit_trait_item(self, item);
    }
}

fn type_name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

/// The files below a folder with this ending, in the order of their names.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub(crate) fn relative(root: &Path, file: &Path) -> String {
    let parts = file.strip_prefix(root).unwrap().components();
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
