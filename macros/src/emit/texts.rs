//! Texts that contain `{Self}`, for the compiler and for the monitor.

use proc_macro2::TokenStream;
use quote::quote;

/// The pieces of a text between which the monitor writes the state.
pub(super) fn pieces(text: &str) -> TokenStream {
    let mut pieces = vec![String::new()];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        // A brace that is written twice comes first, as for the compiler: `{{Self}}` is no placeholder.
        let (length, is_text) = match rest {
            _ if rest.starts_with("{{") || rest.starts_with("}}") => (2, true),
            _ if rest.starts_with("{Self}") => ("{Self}".len(), false),
            _ => (first.len_utf8(), true),
        };
        match pieces.last_mut() {
            Some(piece) if is_text => piece.push(first),
            _ => pieces.push(String::new()),
        }
        rest = rest.get(length..).unwrap_or_default();
    }
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
        assert_eq!(pieces("not {{Self}}, {{{Self}}}").to_string(), quote!(&["not {Self}, {", "}"]).to_string());
        assert_eq!(pieces("").to_string(), quote!(&[""]).to_string());
    }

    #[test]
    fn the_last_of_several_names_follows_an_or() {
        let names = ["A", "B", "C"].map(String::from);
        assert_eq!(one_of(&names), "`A`, `B` or `C`");
    }
}
