//! Texts that contain `{Self}`, for the compiler and for the monitor.

use proc_macro2::TokenStream;
use quote::quote;

/// The pieces of a text between which the monitor writes the state.
pub(super) fn pieces(text: &str) -> TokenStream {
    let pieces = text.split("{Self}").map(|piece| piece.replace("{{", "{").replace("}}", "}"));
    quote!(&[#(#pieces),*])
}

/// `A`, `B` or `C`, each in backticks.
pub(super) fn one_of(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [first @ .., last] => {
            let first = first.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            format!("{first} or `{last}`")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_the_state_goes() {
        assert_eq!(pieces("in {Self}, not {{x}}: {Self}").to_string(), quote!(&["in ", ", not {x}: ", ""]).to_string());
    }

    #[test]
    fn the_last_of_several_names_follows_an_or() {
        let names = ["A", "B", "C"].map(String::from);
        assert_eq!(one_of(&names), "`A`, `B` or `C`");
    }
}
