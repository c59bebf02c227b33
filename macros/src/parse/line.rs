//! `Undecided --> CustomAllocator : register;`, a line of a Mermaid `stateDiagram-v2` with a `;`.

use super::Documentation;
use super::declaration::end;
use proc_macro2::{Ident, Punct, Spacing, TokenStream};
use quote::{ToTokens, quote};
use std::fmt;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Error, Result, Token, bracketed};

pub(crate) struct Line {
    pub(crate) documentation: Documentation,
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) operation: Ident,
    /// The word `fails` of a line for a failed call.
    pub(crate) fails: Option<Ident>,
    /// The name behind `as`, of a line for another success.
    pub(crate) outcome: Option<Ident>,
}

/// The start or the end of a line: `[*]` or a state.
pub(crate) enum Place {
    Outside(TokenStream),
    State(Ident),
}

impl Line {
    pub(super) fn read(documentation: Documentation, input: ParseStream<'_>) -> Result<Self> {
        let from = input.call(Place::read)?;
        arrow(input, &from)?;
        let to = input.call(Place::read)?;
        if !input.peek(Token![:]) {
            let message = format!("expected the operation of the line: `{from} --> {to} : operation;`");
            return Err(Error::new(input.span(), message));
        }
        input.parse::<Token![:]>()?;
        let operation = input.call(Ident::parse_any).map_err(|error| {
            Error::new(error.span(), "expected the name of an operation in snake_case, as in `: register;`")
        })?;
        let fails = match input.fork().call(Ident::parse_any) {
            Ok(word) if word == "fails" => Some(input.call(Ident::parse_any)?),
            _ => None,
        };
        let outcome = match input.parse::<Option<Token![as]>>()? {
            Some(_) => Some(input.call(Ident::parse_any).map_err(|error| {
                Error::new(
                    error.span(),
                    "expected the name of the outcome in snake_case, as in `: read as end_of_data;`",
                )
            })?),
            None => None,
        };
        let line = Self { documentation, from, to, operation, fails, outcome };
        end(input, &format!("`{line}`"))?;
        Ok(line)
    }

    /// The tokens that name the operation, for an error at that place.
    pub(crate) fn call(&self) -> TokenStream {
        let Self { operation, fails, outcome, .. } = self;
        let named = outcome.as_ref().map(|outcome| quote!(as #outcome));
        quote!(#operation #fails #named)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} --> {} : {}", self.from, self.to, self.operation.unraw())?;
        if self.fails.is_some() {
            f.write_str(" fails")?;
        }
        self.outcome.as_ref().map_or(Ok(()), |outcome| write!(f, " as {}", outcome.unraw()))
    }
}

impl Place {
    fn read(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(syn::token::Bracket) {
            let tokens = input.fork().parse::<proc_macro2::TokenTree>()?.into_token_stream();
            let inside;
            bracketed!(inside in input);
            return match inside.parse::<Token![*]>() {
                Ok(_) if inside.is_empty() => Ok(Self::Outside(tokens)),
                _ => Err(Error::new_spanned(tokens, "expected `[*]`, which is the start or the end")),
            };
        }
        let state = input
            .call(Ident::parse_any)
            .map_err(|error| Error::new(error.span(), "expected a state, or `[*]` for the start or the end"))?;
        if input.peek(Token![<]) {
            let message = format!("write `{state}` alone: its parameter is declared once, by `state {state}<…>;`");
            return Err(Error::new(state.span(), message));
        }
        Ok(Self::State(state))
    }
}

impl ToTokens for Place {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Outside(outside) => tokens.extend(outside.clone()),
            Self::State(state) => state.to_tokens(tokens),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside(_) => f.write_str("[*]"),
            Self::State(state) => state.fmt(f),
        }
    }
}

/// Reads `-->`, the only arrow of state diagrams. Other arrows of Mermaid get an error of their own.
fn arrow(input: ParseStream<'_>, from: &Place) -> Result<()> {
    let mut marks = Vec::new();
    while input.cursor().punct().is_some() {
        marks.push(input.parse::<Punct>()?);
    }
    let found: String = marks.iter().map(Punct::as_char).collect();
    let joined = marks.iter().rev().skip(1).all(|mark| mark.spacing() == Spacing::Joint);
    match found.as_str() {
        "-->" if joined => Ok(()),
        "" => Err(Error::new(input.span(), format!("expected `-->` after `{from}`"))),
        _ => Err(Error::new_spanned(quote!(#(#marks)*), "expected the arrow `-->`; it is the only one")),
    }
}
