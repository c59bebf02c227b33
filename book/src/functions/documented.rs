//! Which public items name a vendor function in their documentation.

use super::words;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ImplItem, Item, Lit, Meta, TraitItem, Type, Visibility};

/// The names of items, by the vendor function.
pub(super) fn items(root: &Path) -> io::Result<BTreeMap<String, BTreeSet<String>>> {
    let mut named = Named(BTreeMap::new());
    let mut files = Vec::new();
    for folder in ["src", "ge/src"] {
        sources(&root.join(folder), &mut files)?;
    }
    for file in files.iter().filter(|file| !file.components().any(|part| part.as_os_str() == "ffi")) {
        let source = syn::parse_file(&fs::read_to_string(file)?).map_err(io::Error::other)?;
        named.visit_file(&source);
    }
    Ok(named.0)
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

struct Named(BTreeMap<String, BTreeSet<String>>);

impl Named {
    fn add(&mut self, name: &str, attributes: &[Attribute]) {
        for function in text_of(attributes).iter().flat_map(|line| words(line)).filter(|word| is_function(word)) {
            self.0.entry(function.to_owned()).or_default().insert(name.to_owned());
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(item) if is_public(&item.vis) => self.add(&item.sig.ident.to_string(), &item.attrs),
            Item::Struct(item) if is_public(&item.vis) => self.add(&item.ident.to_string(), &item.attrs),
            Item::Enum(item) if is_public(&item.vis) => self.add(&item.ident.to_string(), &item.attrs),
            Item::Trait(item) if is_public(&item.vis) => {
                self.add(&item.ident.to_string(), &item.attrs);
                for method in &item.items {
                    if let TraitItem::Fn(method) = method {
                        self.add(&format!("{}::{}", item.ident, method.sig.ident), &method.attrs);
                    }
                }
            }
            Item::Impl(item) => {
                for method in &item.items {
                    if let (ImplItem::Fn(method), Some(owner)) = (method, owner(&item.self_ty))
                        && is_public(&method.vis)
                    {
                        self.add(&format!("{owner}::{}", method.sig.ident), &method.attrs);
                    }
                }
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn owner(owner: &Type) -> Option<String> {
    let Type::Path(path) = owner else { return None };
    Some(path.path.segments.last()?.ident.to_string())
}

/// The lines of a documentation outside of its programs: what those call beside the item is none of its functions.
fn text_of(attributes: &[Attribute]) -> Vec<String> {
    let (mut lines, mut is_program) = (Vec::new(), false);
    for line in attributes.iter().filter_map(documentation) {
        let fence = line.trim_start().starts_with("```");
        is_program ^= fence;
        if !fence && !is_program {
            lines.push(line);
        }
    }
    lines
}

fn documentation(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    let Expr::Lit(text) = &meta.value else { return None };
    let Lit::Str(text) = &text.lit else { return None };
    meta.path.is_ident("doc").then(|| text.value())
}

/// `aclrtMalloc`, and not `aclError`, which the table of functions does not have.
fn is_function(word: &str) -> bool {
    word.starts_with("acl") && word.contains(char::is_uppercase)
}
