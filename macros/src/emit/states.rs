//! The states as types.

use super::texts::one_of;
use crate::protocol::{Protocol, State};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

pub(super) fn emit(protocol: &Protocol) -> TokenStream {
    let message = format!("`{{Self}}` is not a state of `{}`", protocol.object());
    let names: Vec<String> = protocol.states.iter().map(|state| state.name.to_string()).collect();
    let label = format!("expected {}", one_of(&names));
    let states = protocol.states.iter().map(|state| emit_state(protocol, state));
    let seals = protocol.bounded().map(|operation| {
        let message = format!("no line of the declaration has `{}` in state `{{Self}}`", operation.name);
        let seal = operation.seal();
        let label = "only a line of the declaration gives a state this bound: write that line";
        quote! {
            #[diagnostic::on_unimplemented(message = #message, label = #label)]
            pub trait #seal {}
        }
    });
    quote! {
        // Above each bound is a trait of this private module. So no code outside, not even of the declaring crate, gives a
        // state another bound.
        mod sealed {
            pub trait Sealed {}
            #(#seals)*
        }

        /// A state as a type without values.
        #[diagnostic::on_unimplemented(message = #message, label = #label)]
        pub trait State: sealed::Sealed {
            /// The state as a value.
            const AT: At;
        }

        #(#states)*
    }
}

fn emit_state(protocol: &Protocol, state: &State) -> TokenStream {
    let State { name, parameters, documentation } = state;
    let page = page(protocol, state);
    // `fn() -> …`: the mark is `Send` and `Sync` whatever its parameter is.
    let phantom = (!parameters.is_empty()).then(|| {
        let marks = parameters.iter().map(|each| quote!(fn() -> ::core::marker::PhantomData<#each>));
        quote!(parameters: ::core::marker::PhantomData<(#(#marks,)*)>,)
    });
    let fields = quote! {
        never: ::core::convert::Infallible,
        #phantom
    };
    let constant = quote!(const AT: At = At::#name;);
    let generics = generics(state);
    let kind = quote_spanned!(name.span()=> pub struct #name #generics { #fields });
    let is_state = quote_spanned!(name.span()=> impl #generics State for #name<#(#parameters),*> { #constant });
    quote! {
        #(#documentation)*
        #[doc = ""] // rustdoc cuts the empty lines at the start of a text
        #[doc = #page]
        #kind

        #is_state

        impl #generics sealed::Sealed for #name<#(#parameters),*> {}

        impl #generics ::core::fmt::Debug for #name<#(#parameters),*> {
            fn fmt(&self, _: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self.never {}
            }
        }
    }
}

/// The parameters as they are declared.
pub(super) fn generics(state: &State) -> TokenStream {
    let parameters = &state.parameters;
    if parameters.is_empty() { TokenStream::new() } else { quote!(<#(#parameters: ?::core::marker::Sized),*>) }
}

/// The operations that the state allows, and the states that they lead to.
fn page(protocol: &Protocol, state: &State) -> String {
    let first = if state.documentation.is_empty() { format!("State `{}`.\n\n", state.name) } else { String::new() };
    let leaving = protocol.edges.iter().filter(|edge| edge.is_plain() && edge.from.state() == Some(&state.name));
    let leaving: Vec<String> = leaving.map(|edge| format!("`{}` (then `{}`)", edge.operation, edge.to)).collect();
    format!("{first}Can be done here: {}.", leaving.join(", "))
}
