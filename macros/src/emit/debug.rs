//! `Debug` of an enum of errors.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Result};

/// The name of the variant, a colon, and the text of `Display`.
pub(crate) fn debug_as_text(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(item) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "`DebugAsText` is for enums: it names the variant"));
    };
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let variants = item.variants.iter().map(|variant| &variant.ident);
    let names = item.variants.iter().map(|variant| variant.ident.to_string());
    if item.variants.is_empty() {
        return Ok(quote! {
            impl #generics ::core::fmt::Debug for #name #arguments #bounds {
                fn fmt(&self, _: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    match *self {}
                }
            }
        });
    }
    Ok(quote! {
        impl #generics ::core::fmt::Debug for #name #arguments #bounds {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let variant = match self {
                    #(Self::#variants { .. } => #names,)*
                };
                ::core::write!(f, "{variant}: {self}")
            }
        }
    })
}
