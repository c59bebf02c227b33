//! Any text as the input of `protocol!`: the items of a life cycle, or errors at places of the input; no panic.

#![no_main]
#![allow(dead_code, unused_imports)]

#[path = "../../macros/src/check/mod.rs"]
mod check;
#[path = "../../macros/src/emit/mod.rs"]
mod emit;
#[path = "../../macros/src/errors.rs"]
mod errors;
#[path = "../../macros/src/parse/mod.rs"]
mod parse;
#[path = "../../macros/src/protocol.rs"]
mod protocol;

use libfuzzer_sys::{Corpus, fuzz_target};
use proc_macro2::TokenStream;

fuzz_target!(|text: &str| -> Corpus {
    let Ok(tokens) = text.parse::<TokenStream>() else { return Corpus::Reject };
    if let Ok(protocol) = parse::Declaration::read(tokens).and_then(check::check) {
        let items = emit::module(&protocol);
        assert!(syn::parse2::<syn::File>(items.clone()).is_ok(), "not Rust: {items}");
    }
    Corpus::Keep
});
