//! The doc comments of a line.

use super::rule_ids::is_rule_id;
use syn::parse::ParseStream;
use syn::{Attribute, Error, Expr, ExprLit, Lit, Meta, Result};

pub(crate) struct Documentation {
    pub(crate) attributes: Vec<Attribute>,
    /// The comment in one line.
    pub(crate) text: String,
}

impl Documentation {
    pub(super) fn read(input: ParseStream<'_>) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let mut lines = Vec::new();
        for attribute in &attributes {
            match comment(attribute) {
                Some(line) => lines.push(line),
                None => return Err(Error::new_spanned(attribute, "only a doc comment can stand here: `/// why`")),
            }
        }
        let text = lines.join(" ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Self { attributes, text })
    }
}

fn comment(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// The ids (`ALLOC-07`) in a text, each once, in their order.
pub(crate) fn ids_in(text: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for word in text.split(|each: char| !each.is_alphanumeric() && each != '-' && each != '_') {
        if is_rule_id(word, '-') && !ids.iter().any(|id| id == word) {
            ids.push(word.to_owned());
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_of_a_text_are_found_once_each() {
        assert_eq!(
            ids_in("ALLOC-04, `STREAM-06`: see (ALLOC-04) and RFC2-9293."),
            ["ALLOC-04", "STREAM-06", "RFC2-9293"]
        );
    }

    #[test]
    fn what_only_looks_like_an_id_is_none() {
        assert_eq!(ids_in("alloc-04 ALLOC-04x xALLOC-04 ALLOC-4-5 ALLOC_04 4-4 ALLOC- -04"), [""; 0]);
    }
}
