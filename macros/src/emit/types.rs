//! The table of the types: what the compiler answers when it is asked which state has which bound.

use crate::protocol::{Operation, Protocol};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// An inherent constant is taken before the constant of a trait, where its bound holds: so the entry of a state that
/// has the bound comes from the bound, and of any other from `Lacks`.
pub(super) fn emit(protocol: &Protocol) -> TokenStream {
    let has_bound = |operation: &&Operation| protocol.done(operation).any(|edge| edge.from.state().is_some());
    let operations: Vec<&Operation> = protocol.operations.iter().filter(has_bound).collect();
    // No state has an underscore in its name.
    let probes: Vec<_> = operations.iter().map(|operation| format_ident!("Asks_{}", operation.variant)).collect();
    let bounds = operations.iter().map(|operation| operation.bound());
    let entries = protocol.states.iter().flat_map(|state| {
        let (name, filled) = (&state.name, state.parameters.iter().map(|_| quote!(())));
        let state = quote!(#name<#(#filled),*>);
        operations.iter().zip(&probes).map(move |(operation, probe)| {
            let variant = &operation.variant;
            quote!((<#state as State>::AT, Op::#variant, #probe::<#state>::LEADS))
        })
    });
    quote! {
        /// For each state and operation the compiler's answer: where the operation leads when it is done and when it
        /// fails, or nothing if the state lacks the bound. For tests that compare it with [`EDGES`].
        #[doc(hidden)]
        #[allow(non_camel_case_types, reason = "no state has such a name")]
        pub const BOUNDS: &[(At, Op, ::core::option::Option<(At, At)>)] = {
            trait Lacks_ {
                const LEADS: ::core::option::Option<(At, At)> = ::core::option::Option::None;
            }
            impl<T: ?::core::marker::Sized> Lacks_ for T {}
            #(
                struct #probes<S>(::core::marker::PhantomData<S>);
                impl<S: #bounds> #probes<S> {
                    const LEADS: ::core::option::Option<(At, At)> =
                        ::core::option::Option::Some((S::THEN, S::OTHERWISE));
                }
            )*
            &[#(#entries),*]
        };
    }
}
