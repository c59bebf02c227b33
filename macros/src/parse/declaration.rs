//! A whole `protocol! { … }`.

use super::{Documentation, Line, StateLine, Wording};
use crate::errors::Errors;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Error, Result, Token, Visibility};

pub(crate) struct Declaration {
    pub(crate) header: Header,
    pub(crate) lines: Vec<Line>,
    pub(crate) states: Vec<StateLine>,
    pub(crate) wordings: Vec<Wording>,
}

/// `pub mod stream;` with its attributes.
pub(crate) struct Header {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
}

const NO_HEADER: &str = "expected the module that the declaration makes, as in `pub mod stream;`";

impl Declaration {
    /// Reads every part separately, so that an error in one does not hide errors in the others.
    pub(crate) fn read(tokens: TokenStream) -> Result<Self> {
        let mut errors = Errors::default();
        let (parts, rest) = parts(tokens);
        if let Some(last) = rest.last() {
            errors.add(Error::new_spanned(last, "expected `;` after this: also the last line ends with it"));
        }
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else {
            errors.finish()?;
            return Err(Error::new(Span::call_site(), NO_HEADER));
        };
        let header = header.parse2(first);
        if let Err(error) = &header {
            errors.add(error.clone());
        }
        let (mut lines, mut states, mut wordings) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            if part.to_string() == ";" {
                errors.add(Error::new_spanned(part, "remove this `;`: the part before it has ended already"));
                continue;
            }
            match errors.keep(syn::parse2(part)) {
                Some(Part::Line(line)) => lines.push(line),
                Some(Part::State(state)) => states.push(state),
                Some(Part::Wording(wording)) => wordings.push(wording),
                None => {}
            }
        }
        errors.finish()?;
        Ok(Self { header: header?, lines, states, wordings })
    }
}

/// A part ends with its `;` or with its block.
fn parts(tokens: TokenStream) -> (Vec<TokenStream>, Vec<TokenTree>) {
    let (mut parts, mut part) = (Vec::new(), Vec::new());
    for token in tokens {
        let ends = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        part.push(token);
        if ends {
            parts.push(core::mem::take(&mut part).into_iter().collect());
        }
    }
    (parts, part)
}

fn header(input: ParseStream<'_>) -> Result<Header> {
    let attributes = input.call(Attribute::parse_outer)?;
    let visibility = input.parse()?;
    input.parse::<Token![mod]>().map_err(|error| Error::new(error.span(), NO_HEADER))?;
    let name = input.parse().map_err(|error: Error| Error::new(error.span(), NO_HEADER))?;
    if input.peek(syn::token::Brace) {
        return Err(input.error(format!("the lines follow the module and do not stand in it: write `mod {name};`")));
    }
    end(input, "the name of the module")?;
    Ok(Header { attributes, visibility, name })
}

/// The `;` of a part.
pub(super) fn end(input: ParseStream<'_>, after: &str) -> Result<()> {
    input
        .parse::<Token![;]>()
        .map(drop)
        .map_err(|error| Error::new(error.span(), format!("expected `;` after {after}")))
}

enum Part {
    Line(Line),
    State(StateLine),
    Wording(Wording),
}

impl Parse for Part {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let documentation = input.call(Documentation::read)?;
        // `state` and `on` are keywords if a name follows. If an arrow follows, they are the name of a state.
        let word = input.fork().call(Ident::parse_any).map(|word| word.to_string()).unwrap_or_default();
        match word.as_str() {
            "state" if input.peek2(syn::Ident::peek_any) => StateLine::read(documentation, input).map(Self::State),
            "on" if input.peek2(syn::Ident::peek_any) => Wording::read(&documentation, input).map(Self::Wording),
            _ => Line::read(documentation, input).map(Self::Line),
        }
    }
}
