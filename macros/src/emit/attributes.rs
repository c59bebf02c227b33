//! The output of `#[rule]` and `#[proves]`.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Result};

/// The item with the text of each rule after its own documentation.
///
/// Parses only the attributes. The item may be anything, for example a method of an impl, or code that is still being
/// typed.
pub(crate) fn documented(ids: &[Ident], item: TokenStream) -> TokenStream {
    let split = |input: ParseStream<'_>| Ok((input.call(Attribute::parse_outer)?, input.parse::<TokenStream>()?));
    let (attributes, rest) = match split.parse2(item.clone()) {
        Ok(parts) => parts,
        Err(_) => (Vec::new(), item),
    };
    let rules = ids.iter().map(|id| {
        let text = format_ident!("doc_{}", area(id), span = id.span());
        // With the id's span, so that the compiler reports an unknown rule there.
        quote_spanned!(id.span()=> #[doc = ::ascendcl_rules::#text!(#id)])
    });
    quote! {
        #(#attributes)*
        #[doc = ""]
        #(#rules)*
        #rest
    }
}

fn area(id: &Ident) -> String {
    let id = id.to_string();
    id.split_once('_').map_or(id.as_str(), |(area, _)| area).to_lowercase()
}

/// The test, with each rule's constant named in its body, where the test's own `#[cfg]` applies too.
pub(crate) fn proven(ids: &[Ident], test: TokenStream) -> Result<TokenStream> {
    let mut tokens: Vec<TokenTree> = test.into_iter().collect();
    let is_function = tokens.iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "fn"));
    match tokens.pop() {
        Some(TokenTree::Group(body)) if is_function && body.delimiter() == Delimiter::Brace => {
            let rules = ids.iter().map(|id| quote_spanned!(id.span()=> let _ = ::ascendcl_rules::#id;));
            // Attributes of the body stand before all statements.
            let (attributes, inside) = Parser::parse2(inner_and_rest, body.stream())?;
            let mut proven = Group::new(Delimiter::Brace, quote!(#(#attributes)* #(#rules)* #inside));
            proven.set_span(body.span());
            tokens.push(proven.into());
            Ok(tokens.into_iter().collect())
        }
        last => {
            tokens.extend(last);
            let item: TokenStream = tokens.into_iter().collect();
            Err(Error::new_spanned(item, "`#[proves]` goes on a test function: what is evidence for a rule is run"))
        }
    }
}

fn inner_and_rest(body: ParseStream<'_>) -> Result<(Vec<Attribute>, TokenStream)> {
    Ok((body.call(Attribute::parse_inner)?, body.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> Vec<Ident> {
        vec![format_ident!("ALLOC_07"), format_ident!("STREAM_06")]
    }

    #[test]
    fn the_rules_follow_the_documentation_of_the_item() {
        let item = quote! {
            /// Registers.
            #[must_use]
            pub fn register(self) -> Self { self }
        };
        let expected = quote! {
            /// Registers.
            #[must_use]
            #[doc = ""]
            #[doc = ::ascendcl_rules::doc_alloc!(ALLOC_07)]
            #[doc = ::ascendcl_rules::doc_stream!(STREAM_06)]
            pub fn register(self) -> Self { self }
        };
        assert_eq!(documented(&ids(), item).to_string(), expected.to_string());
    }

    #[test]
    fn an_item_that_is_still_being_typed_is_kept() {
        let item = quote!(pub fn register(self) -> where S:);
        assert!(documented(&ids(), item.clone()).to_string().ends_with(&item.to_string()));
    }

    #[test]
    fn a_test_names_its_rules_and_keeps_its_body() {
        let test = quote!(
            #[test]
            fn holds() -> Result<(), Error> {
                check()?;
                Ok(())
            }
        );
        let expected = quote! {
            #[test] fn holds() -> Result<(), Error> {
                let _ = ::ascendcl_rules::ALLOC_07;
                let _ = ::ascendcl_rules::STREAM_06;
                check()?; Ok(())
            }
        };
        assert_eq!(proven(&ids(), test).unwrap().to_string(), expected.to_string());
    }

    #[test]
    fn what_cannot_be_run_proves_nothing() {
        assert!(
            proven(
                &ids(),
                quote!(
                    struct Stream {}
                )
            )
            .is_err()
        );
        assert!(
            proven(
                &ids(),
                quote!(
                    fn declared();
                )
            )
            .is_err()
        );
    }
}
