//! The ids in `#[rule(ALLOC_07, STREAM_06)]`.

use crate::errors::Errors;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{Error, Result};

/// The ids in the arguments of `attribute`. Reports every id that is malformed or repeated.
pub(crate) fn rule_ids(arguments: TokenStream, attribute: &str) -> Result<Vec<Ident>> {
    let mut ids: Vec<Ident> = Vec::new();
    let mut errors = Errors::default();
    for piece in pieces(arguments) {
        match errors.keep(id(piece)) {
            Some(id) if ids.contains(&id) => {
                errors.add(Error::new(id.span(), format!("`{id}` is named twice; name it once")));
            }
            Some(id) => ids.push(id),
            None => {}
        }
    }
    errors.finish()?;
    if ids.is_empty() {
        return Err(Error::new(Span::call_site(), format!("no rule is named; write `#[{attribute}(ALLOC_07)]`")));
    }
    Ok(ids)
}

/// The part between two commas.
fn pieces(arguments: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    for token in arguments {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ',' && !piece.is_empty() => {
                pieces.push(core::mem::take(&mut piece));
            }
            _ => piece.push(token),
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

fn id(piece: Vec<TokenTree>) -> Result<Ident> {
    match piece.as_slice() {
        [TokenTree::Ident(id)] if is_rule_id(&id.to_string(), '_') => Ok(id.clone()),
        _ => {
            let found: String = piece.iter().map(ToString::to_string).collect();
            let meant = found.trim_matches('"').replace('-', "_").to_uppercase();
            let fix = if is_rule_id(&meant, '_') {
                format!("write `{meant}`")
            } else {
                "an id is an area and a number, as in `ALLOC_07`".to_owned()
            };
            let tokens: TokenStream = piece.into_iter().collect();
            Err(Error::new_spanned(tokens, format!("`{found}` is not the id of a rule; {fix}")))
        }
    }
}

/// Accepts `ALLOC-07`, the form of prose, and `ALLOC_07`, the form of an identifier.
pub(super) fn is_rule_id(text: &str, separator: char) -> bool {
    let Some((area, number)) = text.split_once(separator) else { return false };
    area.starts_with(|first: char| first.is_ascii_uppercase())
        && area.chars().all(|each| each.is_ascii_uppercase() || each.is_ascii_digit())
        && !number.is_empty()
        && number.chars().all(|each| each.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn said(arguments: TokenStream) -> Vec<String> {
        rule_ids(arguments, "rule").unwrap_err().into_iter().map(|error| error.to_string()).collect()
    }

    #[test]
    fn ids_are_read_in_their_order() {
        let ids = rule_ids(quote!(ALLOC_07, STREAM_06,), "rule").unwrap();
        assert_eq!(ids, ["ALLOC_07", "STREAM_06"]);
    }

    #[test]
    fn an_id_as_the_catalogue_writes_it_is_told_how_to_be_written_here() {
        assert_eq!(said(quote!(ALLOC - 07)), ["`ALLOC-07` is not the id of a rule; write `ALLOC_07`"]);
        assert_eq!(said(quote!("ALLOC-07")), ["`\"ALLOC-07\"` is not the id of a rule; write `ALLOC_07`"]);
        assert_eq!(said(quote!(alloc_07)), ["`alloc_07` is not the id of a rule; write `ALLOC_07`"]);
    }

    #[test]
    fn every_wrong_id_is_reported_at_once() {
        let found = said(quote!(ALLOC, STREAM_06, STREAM_06, _07, A_1_2, , X_1));
        assert_eq!(found.len(), 5, "{found:#?}");
    }

    #[test]
    fn an_attribute_without_rules_is_an_error() {
        assert_eq!(said(quote!()), ["no rule is named; write `#[rule(ALLOC_07)]`"]);
    }
}
