//! Generates the tokens from a checked protocol.
//!
//! The heads of types and impls have spans of the declaration, so that the compiler quotes the declared line in its
//! messages. Their contents have the span of the call, so that lints treat them as generated code.

mod attributes;
mod bounds;
mod debug;
mod monitor;
mod pages;
mod states;
mod texts;
mod types;

pub(crate) use attributes::{documented, proven};
pub(crate) use debug::debug_as_text;

use crate::protocol::{Point, Protocol};
use proc_macro2::TokenStream;
use quote::quote;

/// The module of a protocol. It uses absolute paths into `core`, because a state may be called `Option`.
pub(crate) fn module(protocol: &Protocol) -> TokenStream {
    let (attributes, visibility, name) =
        (&protocol.header.attributes, &protocol.header.visibility, &protocol.header.name);
    let (page, diagram, object) = (pages::module(protocol), pages::diagram(protocol), protocol.object());
    let states = states::emit(protocol);
    let bounds = bounds::emit(protocol);
    let monitor = monitor::emit(protocol);
    let types = types::emit(protocol);
    quote! {
        #(#attributes)*
        #[doc = ""] // rustdoc cuts the empty lines at the start of a text
        #[doc = #page]
        #[allow(dead_code, unreachable_pub, reason = "a protocol is generated whole, whatever is used of it")]
        #visibility mod #name {
            /// The name of the protocol.
            pub const NAME: &str = #object;

            /// The declaration as a Mermaid diagram.
            pub const DIAGRAM: &str = #diagram;

            #states
            #bounds
            #monitor
            #types
        }
    }
}

fn at(point: &Point) -> TokenStream {
    match point {
        Point::Start => quote!(At::Start),
        Point::State(state) => quote!(At::#state),
        Point::End => quote!(At::End),
    }
}
