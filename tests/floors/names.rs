//! Names that only some files may have: of C functions, and of what is in `ffi`.

use crate::graph::paths;
use proc_macro2::{TokenStream, TokenTree};
use std::fs;
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{Attribute, ExprMethodCall, ItemFn, ItemMod, ItemUse, LitStr, Visibility};

/// How the names of the library's C functions begin.
const BEGINS: &str = "acl";

/// What one file names.
pub(crate) struct Names {
    /// Texts that begin like the name of a C function, also those in macros. Comments, documentation and what is
    /// compiled for tests alone do not count.
    pub(crate) texts: Vec<String>,
    /// Methods with such a name that are called, other than by a macro.
    pub(crate) methods: Vec<String>,
    /// Names of `ffi` that are given on to everybody.
    pub(crate) given_from_ffi: Vec<String>,
}

/// The names in the sources in this folder, each with its file.
pub(crate) fn of(src: &Path, which: impl Fn(Names) -> Vec<String>) -> Vec<(String, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![src.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let file = path.strip_prefix(src).unwrap().with_extension("").to_str().unwrap().to_owned();
                let names = which(in_code(&fs::read_to_string(&path).unwrap()));
                found.extend(names.into_iter().map(|name| (file.clone(), name)));
            }
        }
    }
    found.sort();
    found
}

fn in_code(code: &str) -> Names {
    let mut names = Names { texts: Vec::new(), methods: Vec::new(), given_from_ffi: Vec::new() };
    names.visit_file(&syn::parse_file(code).unwrap());
    names
}

impl Names {
    fn look(&mut self, text: &LitStr) {
        let text = text.value();
        self.texts.extend(text.starts_with(BEGINS).then_some(text));
    }

    fn look_through(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.look_through(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse_str::<LitStr>(&literal.to_string()) {
                        self.look(&text);
                    }
                }
                _ => (),
            }
        }
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    })
}

impl Visit<'_> for Names {
    fn visit_item_mod(&mut self, module: &ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &ItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        let mut names = Vec::new();
        paths(&item.tree, &[], &mut names);
        if matches!(item.vis, Visibility::Public(_)) {
            let of_ffi = names.iter().map(|path| path.join("::")).filter(|path| path.starts_with("crate::ffi::"));
            self.given_from_ffi.extend(of_ffi);
        }
    }

    /// Documentation is an attribute.
    fn visit_attribute(&mut self, _: &Attribute) {}

    fn visit_macro(&mut self, called: &syn::Macro) {
        self.look_through(called.tokens.clone());
    }

    fn visit_lit_str(&mut self, text: &LitStr) {
        self.look(text);
    }

    fn visit_expr_method_call(&mut self, called: &ExprMethodCall) {
        let name = called.method.to_string();
        self.methods.extend(name.starts_with(BEGINS).then_some(name));
        visit::visit_expr_method_call(self, called);
    }
}

#[test]
fn names_are_found_in_code_and_not_in_documentation_or_tests() {
    let found = in_code(
        r##"
        /// "aclDocumented" and `aclrtDocumented`
        #[doc = "aclrtDocumented"]
        fn of_code() { failed("aclrtMalloc", "create a stream", r#"aclInit"#); }
        pub use crate::ffi::{Gears, ge::RawInputs};
        pub(crate) use crate::ffi::Api;
        // "aclrtInComment"
        fn that_calls() { call!(api.aclrtSetDevice(0)); api.library().aclrtFree(memory) }
        macro_rules! inside { () => { call("aclrtFree") } }
        fn of_a_macro() { write!(f, "acl{}", ["other", "aclmdlUnload"]); }
        #[cfg(test)]
        mod tests { fn of_tests() { failed("aclrtMemcpy") } }
        "##,
    );
    assert_eq!(found.texts, ["aclrtMalloc", "aclInit", "aclrtFree", "acl{}", "aclmdlUnload"]);
    assert_eq!(found.methods, ["aclrtFree"]);
    assert_eq!(found.given_from_ffi, ["crate::ffi::Gears", "crate::ffi::ge::RawInputs"]);
}
