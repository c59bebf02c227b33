//! Methods that other APIs have on a type and that this crate has elsewhere. They exist so that the compiler's message says
//! where.
//!
//! No method of this folder can be called: each has a bound that no type meets. The compiler prints the words of that
//! bound. Without these methods it would only print that there is no such method. The names are those of CUDA's
//! wrappers, of pyACL and of the vendor's functions.

/// Bounds that no type meets, with the words of the compiler's message.
macro_rules! elsewhere {
    ($($(#[$page:meta])* $bound:ident: $message:literal, $label:literal, $($note:literal),+;)+) => { $(
        $(#[$page])*
        ///
        /// No type implements it.
        #[diagnostic::on_unimplemented(message = $message, label = $label $(, note = $note)+)]
        pub trait $bound {
            /// A value of any type: there is no such function.
            #[doc(hidden)]
            fn never<R>() -> R;
        }
    )+ };
}

mod contexts;
mod devices;
mod events;
mod graphs;
mod memory;
mod models;
mod owners;
mod streams;
