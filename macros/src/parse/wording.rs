//! `on register { message: "…", label: "…", note: "…" }`: the texts for a wrong use of an operation.

use super::Documentation;
use crate::errors::Errors;
use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Error, LitStr, Result, Token, braced};

pub(crate) struct Wording {
    pub(crate) operation: Ident,
    pub(crate) message: Option<LitStr>,
    pub(crate) label: Option<LitStr>,
    pub(crate) notes: Vec<LitStr>,
}

impl Wording {
    pub(super) fn read(documentation: &Documentation, input: ParseStream<'_>) -> Result<Self> {
        input.call(Ident::parse_any)?;
        let operation = input.call(Ident::parse_any)?;
        if let Some(comment) = documentation.attributes.first() {
            let message = "a comment here would be shown nowhere: put it on a line of the operation, or write `//`";
            return Err(Error::new_spanned(comment, message));
        }
        if !input.peek(syn::token::Brace) {
            return Err(
                input.error(format!("expected `on {operation} {{ message: \"…\", label: \"…\", note: \"…\" }}`"))
            );
        }
        let block;
        braced!(block in input);
        if block.is_empty() {
            let message = format!("the block says nothing; write `message: \"…\"` in it, or remove `on {operation}`");
            return Err(Error::new(operation.span(), message));
        }
        let mut wording = Self { operation, message: None, label: None, notes: Vec::new() };
        let mut errors = Errors::default();
        while !block.is_empty() {
            let (key, text) = entry(&block)?;
            errors.keep(wording.set(&key, text));
        }
        errors.finish()?;
        Ok(wording)
    }

    fn set(&mut self, key: &Ident, text: LitStr) -> Result<()> {
        placeholders(&text)?;
        let once = match key.to_string().as_str() {
            "message" => &mut self.message,
            "label" => &mut self.label,
            "note" => {
                self.notes.push(text);
                return Ok(());
            }
            _ => return Err(Error::new(key.span(), format!("`{key}` is unknown; use `message`, `label` or `note`"))),
        };
        if once.is_some() {
            return Err(Error::new(key.span(), format!("a second `{key}`; only `note` can be repeated")));
        }
        *once = Some(text);
        Ok(())
    }
}

fn entry(block: ParseStream<'_>) -> Result<(Ident, LitStr)> {
    let key = block.call(Ident::parse_any)?;
    block.parse::<Token![:]>()?;
    let text = block.parse()?;
    if !block.is_empty() {
        block.parse::<Token![,]>()?;
    }
    Ok((key, text))
}

/// The compiler fills in only `{Self}`. For another name it would only warn, at the place where the macro is used.
fn placeholders(text: &LitStr) -> Result<()> {
    let value = text.value().replace("{{", "").replace("}}", "").replace("{Self}", "");
    if value.contains(['{', '}']) {
        let message = "only `{Self}`, the state that was found, is filled in; write a brace as `{{` or `}}`";
        return Err(Error::new(text.span(), message));
    }
    Ok(())
}
