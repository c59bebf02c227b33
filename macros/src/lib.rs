#![doc = include_str!("../README.md")]

mod check;
mod emit;
mod errors;
mod parse;
mod protocol;

use proc_macro::TokenStream;

/// Declares the life cycle of a kind of object. Generates its states, bounds, diagram and monitor.
///
/// The [front page](https://github.com/ascendcl/ascendcl/blob/main/macros/README.md) of `ascendcl-macros` describes the
/// language. Each line with an arrow is a line of a Mermaid `stateDiagram-v2`:
///
/// ```
/// use ascendcl_macros::protocol;
///
/// protocol! {
///     /// A door.
///     pub mod door;
///
///     [*] --> Closed : build;
///     Closed --> Open : open;
///     Open --> Closed : close;
///     /// DOOR-01: an open door is not taken down.
///     Closed --> [*] : take_down;
/// }
///
/// use door::{At, Monitor, Op, Outcome};
///
/// let mut monitor = Monitor::new();
/// assert_eq!(monitor.step(Op::Build, Outcome::Done), Ok(At::Closed));
/// assert_eq!(monitor.step(Op::Open, Outcome::Done), Ok(At::Open));
/// assert_eq!(monitor.step(Op::TakeDown, Outcome::Done).unwrap_err().rules, ["DOOR-01"]);
/// ```
#[proc_macro]
pub fn protocol(declaration: TokenStream) -> TokenStream {
    let checked = parse::Declaration::read(declaration.into()).and_then(check::check);
    checked.map_or_else(syn::Error::into_compile_error, |protocol| emit::module(&protocol)).into()
}

/// Adds the rules that an item keeps to its documentation.
///
/// `#[rule(ALLOC_07, STREAM_06)]` goes on any item or method. The rules follow the item's own documentation as a list.
/// The text of a rule comes from the macro `ascendcl_rules::doc_alloc!`, named `doc_` and the rule's area. So the crate
/// that uses the attribute depends on `ascendcl_rules`, and a rule that is not in the catalogue does not compile.
#[proc_macro_attribute]
pub fn rule(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match parse::rule_ids(arguments.into(), "rule") {
        Ok(ids) => emit::documented(&ids, item.into()).into(),
        Err(error) => with_error(item, error),
    }
}

/// Names the rules that a test is evidence for.
///
/// `#[proves(ALLOC_07)]` goes on a test function, before or after `#[test]`, and does not change the test. A rule that
/// is not a constant of `ascendcl_rules` does not compile.
#[proc_macro_attribute]
pub fn proves(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let ids = match parse::rule_ids(arguments.into(), "proves") {
        Ok(ids) => ids,
        Err(error) => return with_error(item, error),
    };
    match emit::proven(&ids, item.clone().into()) {
        Ok(test) => test.into(),
        Err(error) => with_error(item, error),
    }
}

/// Implements `Debug` for an enum of errors: the name of the variant, then the text of `Display`.
///
/// `unwrap` prints the `Debug` of an error, and so does `main` when it returns one. With this derive both print what the
/// error says.
///
/// ```
/// #[derive(ascendcl_macros::DebugAsText)]
/// enum Error {
///     NoSuchDevice { id: i32 },
/// }
///
/// impl std::fmt::Display for Error {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         let Self::NoSuchDevice { id } = self;
///         write!(f, "there is no device {id}")
///     }
/// }
///
/// assert_eq!(format!("{:?}", Error::NoSuchDevice { id: 8 }), "NoSuchDevice: there is no device 8");
/// ```
#[proc_macro_derive(DebugAsText)]
pub fn debug_as_text(item: TokenStream) -> TokenStream {
    let read = syn::parse(item).and_then(|input| emit::debug_as_text(&input));
    read.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// The item with the error behind it. With the item, the compiler does not report the code that uses it, too.
fn with_error(mut item: TokenStream, error: syn::Error) -> TokenStream {
    item.extend(TokenStream::from(error.into_compile_error()));
    item
}
