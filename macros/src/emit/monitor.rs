//! The life cycle as data, and the monitor of one object.

use super::at;
use super::texts::{one_of, pieces};
use crate::parse::ids_in;
use crate::protocol::{Operation, Protocol, outcome_variant};
use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

pub(super) fn emit(protocol: &Protocol) -> TokenStream {
    let places = places(protocol);
    let operations = operations(protocol);
    let edges = edges(protocol);
    let follow = follow();
    quote! {
        #places
        #operations
        #edges
        #follow
    }
}

fn places(protocol: &Protocol) -> TokenStream {
    let states: Vec<_> = protocol.states.iter().map(|state| &state.name).collect();
    let names: Vec<String> = states.iter().map(ToString::to_string).collect();
    let pages = names.iter().map(|name| format!("In state [`{name}`]."));
    quote! {
        /// The state of an object, as a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum At {
            /// The object does not exist yet.
            Start,
            #(
                #[doc = #pages]
                #states,
            )*
            /// The object has ended.
            End,
        }

        impl At {
            /// The start, the states in the order of the declaration, the end.
            pub const ALL: &'static [Self] = &[Self::Start, #(Self::#states,)* Self::End];

            /// As declared: the start and the end are both `[*]`.
            pub const fn name(self) -> &'static str {
                match self {
                    #(Self::#states => #names,)*
                    Self::Start | Self::End => "[*]",
                }
            }

            /// The state after an operation, or `None` if this state does not allow it. It is a `const fn`, so the
            /// compiler can check a wrapper against the protocol.
            pub const fn after(self, op: Op, outcome: Outcome) -> ::core::option::Option<Self> {
                let mut edges = EDGES;
                while let [edge, rest @ ..] = edges {
                    if edge.from.is(self) && edge.op as usize == op as usize && edge.outcome as usize == outcome as usize {
                        return ::core::option::Option::Some(edge.to);
                    }
                    edges = rest;
                }
                ::core::option::Option::None
            }

            /// Equality in constants. With `const { assert!(S::THEN.is(Bound::AT)) }` in a method, the compiler checks
            /// that the method leads to the state that the protocol declares.
            pub const fn is(self, other: Self) -> bool {
                self as usize == other as usize
            }

            /// Writes a text with the name of the place between its pieces.
            fn fill(self, text: &[&str], f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                for (place, piece) in text.iter().enumerate() {
                    if place > 0 {
                        f.write_str(self.name())?;
                    }
                    f.write_str(piece)?;
                }
                Ok(())
            }

            fn describe(self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    Self::Start => f.write_str("no object yet"),
                    Self::End => f.write_str("an object that is gone"),
                    _ => ::core::write!(f, "`{}`", self.name()),
                }
            }
        }

        impl ::core::fmt::Display for At {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.name())
            }
        }
    }
}

fn operations(protocol: &Protocol) -> TokenStream {
    let variants: Vec<_> = protocol.operations.iter().map(|operation| &operation.variant).collect();
    let names = protocol.operations.iter().map(|operation| &operation.name);
    let pages = protocol.operations.iter().map(|operation| page(protocol, operation));
    let starts = protocol.operations.iter().map(|operation| {
        let starts = protocol.done(operation).map(|edge| at(&edge.from));
        quote!(&[#(#starts),*])
    });
    let rules =
        protocol.operations.iter().map(|operation| protocol.rules(operation)).map(|rules| quote!(&[#(#rules),*]));
    let messages = protocol.operations.iter().map(|operation| pieces(&operation.message));
    let notes = protocol.operations.iter().map(|operation| {
        let notes = operation.notes.iter().map(|note| pieces(note));
        quote!(&[#(#notes),*])
    });
    let outcomes = outcomes(protocol);
    quote! {
        /// An operation on an object.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op {
            #(
                #[doc = #pages]
                #variants,
            )*
        }

        impl Op {
            /// In the order of the declaration.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// As declared.
            pub const fn name(self) -> &'static str {
                match self {
                    #(Self::#variants => #names,)*
                }
            }

            /// The states that allow the operation.
            pub const fn allowed(self) -> &'static [At] {
                match self {
                    #(Self::#variants => #starts,)*
                }
            }

            /// The rules that its lines and notes name.
            pub const fn rules(self) -> &'static [&'static str] {
                match self {
                    #(Self::#variants => #rules,)*
                }
            }

            const fn message(self) -> &'static [&'static str] {
                match self {
                    #(Self::#variants => #messages,)*
                }
            }

            const fn notes(self) -> &'static [&'static [&'static str]] {
                match self {
                    #(Self::#variants => #notes,)*
                }
            }
        }

        impl ::core::fmt::Display for Op {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.name())
            }
        }

        #outcomes
    }
}

fn outcomes(protocol: &Protocol) -> TokenStream {
    let outcomes = protocol.outcomes().into_iter().map(outcome_variant);
    let pages = protocol.outcomes().into_iter().map(|name| format!("The call succeeded: `{}`.", name.unraw()));
    quote! {
        /// The outcome of a call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Outcome {
            /// The call succeeded.
            Done,
            /// The call failed.
            Failed,
            #(
                #[doc = #pages]
                #outcomes,
            )*
        }
    }
}

fn page(protocol: &Protocol, operation: &Operation) -> String {
    let from: Vec<String> = protocol.done(operation).map(|edge| edge.from.to_string()).collect();
    format!("`{}`, from {}.", operation.name, one_of(&from))
}

fn edges(protocol: &Protocol) -> TokenStream {
    let rows = protocol.edges.iter().map(|edge| {
        let op = protocol.operations.iter().find(|operation| operation.name == edge.operation);
        let op = op.map(|operation| &operation.variant);
        let outcome = edge.variant();
        let (from, to, why, implied) = (at(&edge.from), at(&edge.to), &edge.why, edge.implied);
        let rules = ids_in(why);
        quote! {
            Edge {
                from: #from,
                op: Op::#op,
                outcome: Outcome::#outcome,
                to: #to,
                rules: &[#(#rules),*],
                why: #why,
                implied: #implied,
            }
        }
    });
    let outcomes = protocol.outcomes().into_iter().map(outcome_variant);
    let suffixes = protocol.outcomes().into_iter().map(|name| format!(" as {}", name.unraw()));
    quote! {
        /// One step of a life cycle. It is displayed as its line in the diagram.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Edge {
            /// The state before.
            pub from: At,
            /// The operation.
            pub op: Op,
            /// The outcome.
            pub outcome: Outcome,
            /// The state afterwards.
            pub to: At,
            /// The rules that the line's comment names.
            pub rules: &'static [&'static str],
            /// The line's comment.
            pub why: &'static str,
            /// Whether the step was not declared: by default, a failed operation keeps the state.
            pub implied: bool,
        }

        impl ::core::fmt::Display for Edge {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::write!(f, "{} --> {} : {}", self.from, self.to, self.op)?;
                match self.outcome {
                    Outcome::Done => Ok(()),
                    Outcome::Failed => f.write_str(" fails"),
                    #(Outcome::#outcomes => f.write_str(#suffixes),)*
                }
            }
        }

        /// All steps. An implied failure follows the line of its operation.
        pub const EDGES: &[Edge] = &[#(#rows),*];
    }
}

/// The same for every protocol.
fn follow() -> TokenStream {
    quote! {
        /// Follows one object through its life cycle.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Monitor {
            at: At,
        }

        impl Monitor {
            /// A monitor of an object that does not exist yet.
            pub const fn new() -> Self {
                Self { at: At::Start }
            }

            /// The state of the object.
            pub const fn at(&self) -> At {
                self.at
            }

            /// Records an operation and returns the state afterwards.
            ///
            /// # Errors
            ///
            /// The state does not allow the operation. The monitor does not change.
            pub fn step(&mut self, op: Op, outcome: Outcome) -> ::core::result::Result<At, Refused> {
                let Some(to) = self.at.after(op, outcome) else {
                    return Err(Refused { at: self.at, op, rules: op.rules(), allowed: op.allowed() });
                };
                self.at = to;
                Ok(to)
            }
        }

        impl ::core::default::Default for Monitor {
            fn default() -> Self {
                Self::new()
            }
        }

        /// An operation that the state of the object does not allow.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Refused {
            /// The state of the object.
            pub at: At,
            /// The refused operation.
            pub op: Op,
            /// The rules that the operation breaks.
            pub rules: &'static [&'static str],
            /// The states that allow it.
            pub allowed: &'static [At],
        }

        impl ::core::fmt::Display for Refused {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                self.at.fill(self.op.message(), f)?;
                ::core::write!(f, ": `{}` expects ", self.op)?;
                for (place, at) in self.allowed.iter().enumerate() {
                    if place > 0 {
                        f.write_str(if place + 1 == self.allowed.len() { " or " } else { ", " })?;
                    }
                    at.describe(f)?;
                }
                f.write_str(", found ")?;
                self.at.describe(f)?;
                for note in self.op.notes() {
                    f.write_str("; ")?;
                    self.at.fill(note, f)?;
                }
                Ok(())
            }
        }

        impl ::core::error::Error for Refused {}
    }
}
