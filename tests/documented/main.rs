//! Public items have what a reader needs: an example on the page of each type, the errors of each method that can fail,
//! and the vendor's function where one is called.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod failures;
mod messages;
mod units;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Ident, ImplItem, Item, ItemImpl, Lit, Meta, Type, UseTree, Visibility};

/// Types below the root without a program on their page: the page links to the item that makes or takes the type, and
/// that one has a program.
const LINKED: &[(&str, &str)] = &[
    ("Answer", "Actor::start"),
    ("Attached", "Attach"),
    ("Completion", "Pending::into_future"),
    ("CopyScope", "Current::copy_scope"),
    ("EndingContext", "Attach"),
    ("Extension", "ExtensionError"),
    ("GroupStream", "AllocatorGroup"),
    ("GroupTurn", "AllocatorGroup"),
    ("HostFnResult", "StreamOps::launch_host_fn"),
    ("LastUse", "InFlight"),
    ("Tasks", "Stream::update"),
    ("WhenDone", "Pending::when_done"),
];

/// Types whose module has the program, on the page that shows them all.
const OF_MODULES: &[(&str, &str)] =
    &[("Capture", "capture"), ("CapturedGraph", "capture"), ("OperandAccess", "capture"), ("Topology", "capture")];

/// Methods with a `Current` or a thread that name no function of the vendor, and why.
const WITHOUT_CALL: &[(&str, &str)] = &[
    ("Actor::open", "opens a runtime on a thread of its own"),
    ("Actor::call", "sends a function to that thread"),
    ("Actor::start", "sends a function to that thread"),
    ("Current::attach", "keeps a row"),
    ("Attached::get", "lends the object"),
    ("Attached::take_down", "calls what the object implements"),
    ("Current::adopt_stream", "keeps a row"),
    ("Current::adopt_memory", "keeps a row"),
    ("StreamOps::submit", "calls the function that the program gives it"),
    ("CapturedGraph::operands", "lends the operands"),
    ("AllocatorGroup::new", "registers nothing; `attach` does"),
    ("HostBuffer::into_vec", "moves or copies memory of the host"),
    ("HostBuffer::slice", "lends memory of the host"),
    ("HostBuffer::slice_mut", "lends memory of the host"),
    ("SharedBuffer::try_unshare", "counts names"),
    ("SharedTensor::try_unshare", "counts names"),
    ("SharedAnyTensor::try_unshare", "counts names"),
    ("KeptMemory::into_buffer", "counts names"),
    ("DeviceArena::take", "names a part of memory that was allocated before"),
    ("DeviceArena::reset", "counts names"),
    ("AllocatorSlot::check_serves", "compares contexts"),
    ("Current::check_calls_allowed", "looks at what this crate knows"),
    ("LastUse::never", "makes a value"),
    ("DeviceBuffer::check_usable", "looks at what this crate knows"),
    ("SharedBuffer::check_usable", "looks at what this crate knows"),
    ("LastUse::is_over", "looks at what this crate knows"),
    ("StreamOps::submit_object", "calls the function that the program gives it"),
    ("StreamOps::with_raw", "calls the function that the program gives it"),
    ("KeptStream::lend", "names the stream again"),
    ("KeptStream::into_stream", "names the stream again"),
    ("CapturedGraph::with_operands", "moves the operands"),
    ("GraphBuild::add", "lends a `Capture`, whose methods name them"),
];

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
    /// Those that have methods, which a reader calls.
    called: BTreeSet<String>,
    shown: BTreeSet<String>,
    /// What the pages of types say.
    texts: BTreeMap<String, String>,
}

impl Pages {
    fn item(&mut self, name: &str, public: &Visibility, attributes: &[Attribute]) {
        if matches!(public, Visibility::Public(_)) {
            self.items.insert(name.to_owned());
            self.page(name, attributes);
            self.texts.insert(name.to_owned(), attributes.iter().filter_map(text).collect());
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
                    self.page(&format!("{owner}::{}", method.sig.ident), &method.attrs);
                    let is_public = matches!(method.vis, Visibility::Public(_));
                    if is_public && !is_hidden(&item.attrs) && !is_hidden(&method.attrs) {
                        self.called.insert(owner.clone());
                    }
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

fn read(file: &Path) -> syn::File {
    syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap()
}

/// The names that a module exports: what it defines, and what it re-exports.
fn names_of(items: &[Item]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for item in items {
        let (name, public) = match item {
            Item::Use(item) if matches!(item.vis, Visibility::Public(_)) => {
                exported(&item.tree, &mut names);
                continue;
            }
            Item::Struct(item) => (&item.ident, &item.vis),
            Item::Enum(item) => (&item.ident, &item.vis),
            Item::Trait(item) => (&item.ident, &item.vis),
            Item::Fn(item) => (&item.sig.ident, &item.vis),
            _ => continue,
        };
        if matches!(public, Visibility::Public(_)) {
            names.insert(name.to_string());
        }
    }
    names
}

/// The sources that have pages of their own, without what only the crate itself sees.
fn own_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.retain(|file| !["ffi", "ledger"].iter().any(|left_out| file.starts_with(root.join(left_out))));
    files
}

/// The names of the root, and those of the public modules.
fn exports() -> (BTreeSet<String>, BTreeSet<String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let items = read(&root.join("lib.rs")).items;
    let mut below = BTreeSet::new();
    for item in &items {
        if let Item::Mod(module) = item
            && matches!(module.vis, Visibility::Public(_))
        {
            let name = module.ident.to_string();
            let (file, folder) = (root.join(format!("{name}.rs")), root.join(&name).join("mod.rs"));
            below.extend(names_of(&read(if file.exists() { &file } else { &folder }).items));
        }
    }
    (names_of(&items), below)
}

fn pages() -> Pages {
    let mut pages = Pages::default();
    own_files().iter().for_each(|file| pages.visit_file(&read(file)));
    pages
}

#[test]
fn each_type_has_a_program_on_its_page() {
    let (pages, (root, below)) = (pages(), exports());
    let called = below.intersection(&pages.called);
    let own: BTreeSet<_> = root.iter().chain(called).filter(|name| pages.items.contains(*name)).collect();
    assert!(own.len() >= 35, "{own:?}");
    let is_linked = |name: &str| LINKED.iter().chain(OF_MODULES).any(|(linked, _)| *linked == name);
    let without: Vec<_> = own.iter().filter(|name| !pages.shown.contains(**name) && !is_linked(name)).collect();
    assert!(without.is_empty(), "{} pages without a program: {without:?}", without.len());
    for (name, module) in OF_MODULES {
        let page =
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{module}/mod.rs"))).unwrap();
        assert!(below.contains(*name) && page.contains("//! ```\n"), "{name}: the module {module} has no program");
    }
    for (name, to) in LINKED {
        assert!(below.contains(*name) && !pages.shown.contains(*name), "{name} is of the root, or has a program");
        assert!(pages.shown.contains(*to) || is_linked(to), "{to}, to which {name} leads, has no program");
        let last = to.rsplit("::").next().unwrap();
        let text = &pages.texts[*name];
        assert!(
            text.contains(&format!("{last}`]")) || text.contains(&format!("{last})")),
            "{name} does not lead to {to}"
        );
    }
}

/// A public method with its type and what its page says.
struct Method {
    name: String,
    page: String,
    can_fail: bool,
    calls: bool,
}

#[derive(Default)]
struct Methods(Vec<Method>);

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        matches!(&attribute.meta, Meta::List(list) if list.path.is_ident("doc") && list.tokens.to_string() == "hidden")
    })
}

/// The names in a signature.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_ident(&mut self, name: &'ast Ident) {
        self.0.insert(name.to_string());
    }
}

impl<'ast> Visit<'ast> for Methods {
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let (Type::Path(owner), None) = (&*item.self_ty, &item.trait_) else { return };
        if is_hidden(&item.attrs) {
            return;
        }
        let owner = &owner.path.segments.last().unwrap().ident;
        for method in &item.items {
            let ImplItem::Fn(method) = method else { continue };
            if !matches!(method.vis, Visibility::Public(_)) || is_hidden(&method.attrs) {
                continue;
            }
            let (mut takes, mut returns) = (Names::default(), Names::default());
            method.sig.inputs.iter().for_each(|input| takes.visit_fn_arg(input));
            returns.visit_return_type(&method.sig.output);
            let can_fail = returns.0.contains("Result");
            let proof = ["Current", "ThreadToken"].iter().any(|name| takes.0.contains(*name));
            self.0.push(Method {
                name: format!("{owner}::{}", method.sig.ident),
                page: method.attrs.iter().filter_map(text).collect::<Vec<_>>().join("\n"),
                can_fail,
                calls: proof || (owner == "Current" && can_fail),
            });
        }
    }
}

fn methods() -> Vec<Method> {
    let mut methods = Methods::default();
    own_files().iter().for_each(|file| methods.visit_file(&read(file)));
    methods.0
}

#[test]
fn each_method_that_can_fail_says_how() {
    let methods = methods();
    let without: Vec<_> =
        methods.iter().filter(|method| method.can_fail && !method.page.contains("# Errors")).collect();
    let names: Vec<_> = without.iter().map(|method| &method.name).collect();
    assert!(methods.iter().filter(|method| method.can_fail).count() >= 150, "{}", methods.len());
    assert!(names.is_empty(), "{} methods do not say how they fail: {names:#?}", names.len());
}

/// A method that gets the proof of a context calls the library. Its page names the function, or the method that does.
#[test]
fn each_method_that_calls_the_library_names_the_function() {
    let methods = methods();
    let is_listed = |name: &str| WITHOUT_CALL.iter().any(|(listed, _)| *listed == name);
    let says =
        |page: &str| page.contains("`acl") || ["As [`", "as [`", "Like [`"].iter().any(|like| page.contains(like));
    let without = methods.iter().filter(|method| method.calls && !says(&method.page) && !is_listed(&method.name));
    let names: Vec<_> = without.map(|method| &method.name).collect();
    assert!(methods.iter().filter(|method| method.calls).count() >= 150);
    assert!(names.is_empty(), "{} methods name no function of the vendor: {names:#?}", names.len());
    let known: BTreeSet<_> = methods.iter().map(|method| method.name.as_str()).collect();
    let unknown: Vec<_> = WITHOUT_CALL.iter().filter(|(name, _)| !known.contains(name)).collect();
    assert!(unknown.is_empty(), "there is no method {unknown:?}");
}
