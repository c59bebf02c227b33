//! Public items of the crate's root have what a reader needs: an example on the page of each type, or on that of the
//! module that it stands for.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ImplItem, Item, ItemImpl, Lit, Meta, Type, UseTree, Visibility};

/// Types of the root that nobody makes or calls something on: bounds, and plain results whose makers have the example.
const WITHOUT: [&str; 0] = [];

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// The types, traits and functions of the source, and those of them whose page has a program.
#[derive(Default)]
struct Pages {
    items: BTreeSet<String>,
    shown: BTreeSet<String>,
}

impl Pages {
    fn item(&mut self, name: &str, public: &Visibility, attributes: &[Attribute]) {
        if matches!(public, Visibility::Public(_)) {
            self.items.insert(name.to_owned());
            self.page(name, attributes);
        }
    }

    fn page(&mut self, name: &str, attributes: &[Attribute]) {
        if attributes.iter().any(|attribute| text(attribute).is_some_and(|line| line.trim_start().starts_with("```"))) {
            self.shown.insert(name.to_owned());
        }
    }
}

fn text(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    let Expr::Lit(text) = &meta.value else { return None };
    let Lit::Str(text) = &text.lit else { return None };
    meta.path.is_ident("doc").then(|| text.value())
}

impl<'ast> Visit<'ast> for Pages {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(item) => self.item(&item.sig.ident.to_string(), &item.vis, &item.attrs),
            Item::Struct(item) => self.item(&item.ident.to_string(), &item.vis, &item.attrs),
            Item::Enum(item) => self.item(&item.ident.to_string(), &item.vis, &item.attrs),
            Item::Trait(item) => self.item(&item.ident.to_string(), &item.vis, &item.attrs),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    /// A program at a method is on the page of its type.
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if let (Type::Path(owner), None) = (&*item.self_ty, &item.trait_) {
            let owner = owner.path.segments.last().unwrap().ident.to_string();
            for method in &item.items {
                if let ImplItem::Fn(method) = method {
                    self.page(&owner, &method.attrs);
                }
            }
        }
    }
}

/// The names that the crate's root exports.
fn exported(tree: &UseTree, names: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => exported(&path.tree, names),
        UseTree::Group(group) => group.items.iter().for_each(|tree| exported(tree, names)),
        UseTree::Name(name) => drop(names.insert(name.ident.to_string())),
        UseTree::Rename(rename) => drop(names.insert(rename.rename.to_string())),
        UseTree::Glob(_) => {}
    }
}

#[test]
fn each_type_of_the_root_has_a_program_on_its_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut pages, mut names) = (Vec::new(), Pages::default(), BTreeSet::new());
    sources(&root, &mut files);
    for file in &files {
        pages.visit_file(&syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap());
    }
    for item in syn::parse_file(&fs::read_to_string(root.join("lib.rs")).unwrap()).unwrap().items {
        if let Item::Use(item) = item
            && matches!(item.vis, Visibility::Public(_))
        {
            exported(&item.tree, &mut names);
        }
    }
    let own: BTreeSet<_> = names.intersection(&pages.items).collect();
    assert!(own.len() >= 35, "{own:?}");
    let without: Vec<_> =
        own.into_iter().filter(|name| !pages.shown.contains(*name) && !WITHOUT.contains(&name.as_str())).collect();
    assert!(without.is_empty(), "{} pages without a program: {without:?}", without.len());
}
