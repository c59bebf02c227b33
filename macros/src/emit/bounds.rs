//! One trait per operation, implemented by the states that allow it.

use super::texts::one_of;
use super::{at, states};
use crate::protocol::{Edge, Operation, Protocol};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

pub(super) fn emit(protocol: &Protocol) -> TokenStream {
    protocol.bounded().map(|operation| bound(protocol, operation)).collect()
}

fn bound(protocol: &Protocol, operation: &Operation) -> TokenStream {
    let starts: Vec<&Edge> = protocol.done(operation).filter(|edge| edge.from.state().is_some()).collect();
    let (name, seal, variant) = (operation.bound(), operation.seal(), &operation.variant);
    let from: Vec<String> = starts.iter().map(|edge| edge.from.to_string()).collect();
    let page = format!("The operation `{}` can be done in {}.", operation.name, one_of(&from));
    let done = format!("Where [`Op::{variant}`] leads.");
    let failed = format!("Where [`Op::{variant}`] leads when it fails.");
    let diagnostic = diagnostic(operation, &from);
    let impls = starts.iter().map(|edge| implementation(protocol, operation, edge));
    let constants = quote! {
        #[doc = #done]
        const THEN: At;

        #[doc = #failed]
        const OTHERWISE: At;
    };
    let kind = quote_spanned!(variant.span()=> pub trait #name: State + sealed::#seal { #constants });
    quote! {
        #[doc = #page]
        #diagnostic
        #kind

        #(#impls)*
    }
}

fn diagnostic(operation: &Operation, from: &[String]) -> TokenStream {
    let Operation { message, notes, .. } = operation;
    let label = operation.label.clone().unwrap_or_else(|| format!("expected state {}", one_of(from)));
    quote!(#[diagnostic::on_unimplemented(message = #message, label = #label #(, note = #notes)*)])
}

fn implementation(protocol: &Protocol, operation: &Operation, done: &Edge) -> TokenStream {
    let (name, seal) = (operation.bound(), operation.seal());
    let state = protocol.states.iter().find(|state| done.from.state() == Some(&state.name));
    let (generics, parameters) = state.map(|state| (states::generics(state), state.parameters.as_slice())).unzip();
    let parameters = parameters.unwrap_or_default();
    let (from, then) = (done.from.state(), at(&done.to));
    let otherwise = at(protocol.failed(done).map_or(&done.from, |edge| &edge.to));
    let constants = quote! {
        const THEN: At = #then;
        const OTHERWISE: At = #otherwise;
    };
    // From the state to the operation: the line.
    let first = from.map(|state| quote_spanned!(state.span()=> impl));
    let sealed = quote!(impl #generics sealed::#seal for #from<#(#parameters),*> {});
    let implementation = quote_spanned!(done.place=> #first #generics #name for #from<#(#parameters),*> { #constants });
    quote!(#sealed #implementation)
}
