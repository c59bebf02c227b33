//! The table of types: for each state, the bounds that the compiler says it has.

use crate::protocol::{Operation, Protocol};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The compiler prefers an inherent constant to a trait's constant if the inherent constant's bound holds. So the entry
/// of a state with the bound comes from the bound, and any other entry from `Lacks_`.
pub(super) fn emit(protocol: &Protocol) -> TokenStream {
    let operations: Vec<&Operation> = protocol.bounded().collect();
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
        /// For each state and operation: the states after success and after failure, or `None` if the state lacks the
        /// bound. Tests compare this with [`EDGES`].
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
