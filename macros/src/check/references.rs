//! `on` and `state` name operations and states of the lines.

use crate::errors::Errors;
use crate::parse::Declaration;
use crate::protocol::{operations_of, states_of};
use proc_macro2::Ident;
use syn::Error;
use syn::ext::IdentExt;

pub(super) fn check(declaration: &Declaration, errors: &mut Errors) {
    let wordings: Vec<&Ident> = declaration.wordings.iter().map(|wording| &wording.operation).collect();
    known("operation", &wordings, &operations_of(&declaration.lines), errors);
    let states: Vec<&Ident> = declaration.states.iter().map(|state| &state.name).collect();
    known("state", &states, &states_of(&declaration.lines), errors);
}

fn known(kind: &str, mentioned: &[&Ident], known: &[Ident], errors: &mut Errors) {
    for (place, name) in mentioned.iter().enumerate() {
        if !known.iter().any(|each| each.unraw() == name.unraw()) {
            let all = known.iter().map(|each| format!("`{}`", each.unraw())).collect::<Vec<_>>().join(", ");
            let message = format!("no line has the {kind} `{name}`; the {kind}s are {all}");
            errors.add(Error::new(name.span(), message));
        }
        if mentioned.iter().take(place).any(|other| other.unraw() == name.unraw()) {
            errors.add(Error::new(name.span(), format!("the {kind} `{name}` was described before; join the two")));
        }
    }
}
