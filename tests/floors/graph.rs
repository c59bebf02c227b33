//! Reads the imports of each file from the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{Item, ItemMod, ItemUse, UseTree};

/// A file by its place under the crate's `src`, without its ending: `ffi/stream`; the root is empty.
pub(crate) type File = String;

/// Files, and for each of them those that it imports.
pub(crate) type Graph = BTreeMap<File, BTreeSet<File>>;

/// Names that a file gives on: (file, name), and the path that they stand for.
type Given = BTreeMap<(File, String), Vec<String>>;

/// A file, and the paths that it names, from the root of the crate on.
struct Source {
    imports: Vec<Vec<String>>,
    given: Vec<Vec<String>>,
}

/// The graph of the sources in this folder. A module that stands in its parent's file is part of that file, and what is
/// compiled for tests alone does not count.
pub(crate) fn of(src: &Path) -> Graph {
    let mut files = BTreeMap::new();
    collect(src, src, &mut files);
    let names: BTreeSet<File> = files.keys().cloned().collect();
    let mut given = Given::new();
    for (file, source) in &files {
        for path in &source.given {
            given.extend(path.last().map(|name| ((file.clone(), name.clone()), path.clone())));
        }
    }
    let imports = |file: &File, source: &Source| -> BTreeSet<File> {
        let targets = source.imports.iter().map(|path| target(path.clone(), &names, &given));
        targets.filter(|target| target != file && !target.is_empty()).collect()
    };
    files.iter().map(|(file, source)| (file.clone(), imports(file, source))).collect()
}

fn collect(src: &Path, folder: &Path, files: &mut BTreeMap<File, Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(src, &path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let name = path.strip_prefix(src).unwrap().with_extension("");
            let name = name.to_str().unwrap();
            let name = name.strip_suffix("/mod").unwrap_or(name);
            let name = if name == "lib" || name == "mod" { "" } else { name };
            let module = name.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
            let mut reader =
                Reader { module, children: BTreeSet::new(), source: Source { imports: vec![], given: vec![] } };
            let parsed = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
            reader.children = parsed.items.iter().filter_map(module_of).collect();
            reader.visit_file(&parsed);
            files.insert(name.to_owned(), reader.source);
        }
    }
}

fn module_of(item: &Item) -> Option<String> {
    if let Item::Mod(module) = item { Some(module.ident.to_string()) } else { None }
}

/// The file that a path leads to, through the names that other files give on.
fn target(mut path: Vec<String>, files: &BTreeSet<File>, given: &Given) -> File {
    // A name is given on a few times at the most.
    for _ in 0..8 {
        let depth = (0..=path.len()).rev().find(|depth| files.contains(&path[..*depth].join("/"))).unwrap_or(0);
        let file = path[..depth].join("/");
        let next = path.get(depth).and_then(|name| given.get(&(file.clone(), name.clone())));
        match next {
            Some(next) => path = [next, &path[depth + 1..]].concat(),
            None => return file,
        }
    }
    path.join("/")
}

struct Reader {
    module: Vec<String>,
    children: BTreeSet<String>,
    source: Source,
}

impl Reader {
    /// The path from the root of the crate on; `None` for one that leads to another crate.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let above = path.iter().take_while(|part| *part == "super").count();
        let first = path.first()?;
        match first.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([&self.module, &path[1..]].concat()),
            "super" => Some([&self.module[..self.module.len().checked_sub(above)?], &path[above..]].concat()),
            first if self.children.contains(first) => Some([&self.module, path].concat()),
            _ => None,
        }
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    })
}

pub(crate) fn paths(tree: &UseTree, before: &[String], found: &mut Vec<Vec<String>>) {
    match tree {
        UseTree::Path(path) => paths(&path.tree, &[before, &[path.ident.to_string()]].concat(), found),
        UseTree::Name(name) if name.ident == "self" => found.push(before.to_vec()),
        UseTree::Name(name) => found.push([before, &[name.ident.to_string()]].concat()),
        UseTree::Rename(name) => found.push([before, &[name.ident.to_string()]].concat()),
        UseTree::Glob(_) => found.push(before.to_vec()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| paths(tree, before, found)),
    }
}

impl Visit<'_> for Reader {
    fn visit_item_mod(&mut self, module: &ItemMod) {
        if is_for_tests(&module.attrs) {
            return;
        }
        let Some((_, items)) = &module.content else { return };
        // Inside, `super` is this file.
        let outer = (self.module.clone(), self.children.clone());
        self.module.push(module.ident.to_string());
        self.children = items.iter().filter_map(module_of).collect();
        visit::visit_item_mod(self, module);
        (self.module, self.children) = outer;
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        if is_for_tests(&item.attrs) {
            return;
        }
        let mut found = Vec::new();
        paths(&item.tree, &[], &mut found);
        let found: Vec<_> = found.iter().filter_map(|path| self.absolute(path)).collect();
        match &item.vis {
            syn::Visibility::Inherited => self.source.imports.extend(found),
            _ => self.source.given.extend(found),
        }
    }

    /// A visibility is not an import: `pub(in crate::machine)`.
    fn visit_visibility(&mut self, _: &syn::Visibility) {}

    fn visit_path(&mut self, path: &syn::Path) {
        let parts: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if parts.len() > 1 && matches!(parts[0].as_str(), "crate" | "super") {
            self.source.imports.extend(self.absolute(&parts));
        }
        visit::visit_path(self, path);
    }
}

/// The circles of imports, the longest first.
pub(crate) fn circles(graph: &Graph) -> Vec<Vec<File>> {
    let reached: BTreeMap<&File, BTreeSet<&File>> = graph.keys().map(|file| (file, reach(graph, file))).collect();
    let mut circles: BTreeSet<Vec<File>> = BTreeSet::new();
    for (file, others) in &reached {
        let together: Vec<File> =
            others.iter().filter(|other| reached[**other].contains(*file)).map(|other| (*other).clone()).collect();
        if together.len() > 1 {
            circles.insert(together);
        }
    }
    let mut circles: Vec<_> = circles.into_iter().collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

fn reach<'g>(graph: &'g Graph, file: &File) -> BTreeSet<&'g File> {
    let (mut found, mut next) = (BTreeSet::new(), vec![file]);
    while let Some(file) = next.pop() {
        for target in graph.get(file).into_iter().flatten() {
            if graph.contains_key(target) && found.insert(target) {
                next.push(target);
            }
        }
    }
    found
}
