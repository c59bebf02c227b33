//! The generated code names `core` alone, and is not disturbed by the names of a declaration or of its surroundings.

#![no_std]
#![allow(clippy::unwrap_used)]
#![deny(missing_docs, unused_qualifications, unreachable_pub, dead_code, warnings)]

extern crate std as standard;

ascendcl_macros::protocol! {
    mod odd;

    [*] --> Option : new;
    Option --> Some : step;
    Some --> None : name;
    None --> Ok : all;
    Ok --> Err : default;
    Err --> Result : at;
    Result --> Debug : fmt;
    Debug --> Sealed : r#loop;
    Sealed --> Copy : after;
    Copy --> Sized : is;
    Sized --> Edges : r#match;
    Edges --> [*] : drop;

    state Option<T>;
    state Some<Infallible>;
    state Sized<Formatter, Str>;
}

/// An error that never happens has no variants.
#[derive(ascendcl_macros::DebugAsText)]
pub enum Never {}

impl standard::fmt::Display for Never {
    fn fmt(&self, _: &mut standard::fmt::Formatter<'_>) -> standard::fmt::Result {
        match *self {}
    }
}

#[test]
fn an_enum_without_variants_has_a_debug_text_that_is_never_printed() {
    let done: standard::vec::Vec<Result<u8, Never>> = standard::vec![Ok(3)];
    assert_eq!(standard::format!("{done:?}"), "[Ok(3)]");
}

/// Shadows what the generated code could rely on.
pub mod core {}

#[test]
fn a_declaration_full_of_the_names_of_the_prelude_is_followed_to_its_end() {
    let mut monitor = odd::Monitor::new();
    for op in odd::Op::ALL {
        monitor.step(*op, odd::Outcome::Done).unwrap();
    }
    assert_eq!(monitor.at(), odd::At::End);
    let held = odd::BOUNDS.iter().filter(|(.., leads)| leads.is_some()).count();
    assert_eq!(held, odd::Op::ALL.len() - 1);
}
