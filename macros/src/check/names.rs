//! States become types and operations become variants, so their names must be valid and distinct.

use crate::errors::Errors;
use crate::parse::Declaration;
use crate::protocol::{bound, camel, operations_of, outcomes_of, states_of};
use proc_macro2::Ident;
use syn::Error;
use syn::ext::IdentExt;

/// The names that a generated module has besides the states.
const TAKEN: &[&str] = &["ALL", "At", "Edge", "End", "Monitor", "Op", "Outcome", "Refused", "Self", "Start", "State"];

pub(super) fn check(declaration: &Declaration, errors: &mut Errors) {
    let (states, operations) = (states_of(&declaration.lines), operations_of(&declaration.lines));
    for state in &states {
        if let Err(error) = state_name(state) {
            errors.add(error);
        }
    }
    for operation in &operations {
        if let Err(error) = operation_name(operation) {
            errors.add(error);
        }
    }
    for outcome in declaration.lines.iter().filter_map(|line| line.outcome.as_ref()) {
        if let Err(error) = outcome_name(outcome) {
            errors.add(error);
        }
    }
    for parameter in declaration.states.iter().flat_map(|state| &state.parameters) {
        if TAKEN.contains(&parameter.to_string().as_str()) || states.contains(parameter) {
            let message =
                format!("`{parameter}` is a name of the generated module; give the parameter another, as `T`");
            errors.add(Error::new(parameter.span(), message));
        }
    }
    distinct(&states, Ident::to_string, errors);
    distinct(&outcomes_of(&declaration.lines), |outcome| camel(&outcome.unraw().to_string()), errors);
    distinct(&operations, |operation| camel(&operation.unraw().to_string()), errors);
    for operation in &operations {
        let bound = bound(&operation.unraw().to_string());
        if let Some(state) = states.iter().find(|state| **state == bound) {
            let message = format!("`{state}` is the trait of the operation `{operation}`; give the state another name");
            errors.add(Error::new(state.span(), message));
        }
    }
}

fn state_name(state: &Ident) -> Result<(), Error> {
    let name = state.to_string();
    if TAKEN.contains(&name.as_str()) {
        let message = format!("`{name}` is a name of the generated module; give the state another name");
        return Err(Error::new(state.span(), message));
    }
    // Many scripts have no case.
    if !name.starts_with(char::is_lowercase) && name.chars().all(char::is_alphanumeric) {
        return Ok(());
    }
    let better = instead(&name, camel(&state.unraw().to_string()), "Idle");
    Err(Error::new(state.span(), format!("a state is a type: {better}")))
}

fn operation_name(operation: &Ident) -> Result<(), Error> {
    let name = operation.unraw().to_string();
    // A variant has a namespace of its own: besides keywords, only the list of all variants conflicts with it.
    if ["ALL", "Self"].contains(&camel(&name).as_str()) {
        let message = format!("`{name}` would be the variant `{}`, which is taken; choose another name", camel(&name));
        return Err(Error::new(operation.span(), message));
    }
    let written = |each: char| (each.is_alphanumeric() && !each.is_uppercase()) || each == '_';
    if !name.starts_with('_') && name.chars().all(written) {
        return Ok(());
    }
    let better = instead(&name, snake(&name), "set_current");
    Err(Error::new(operation.span(), format!("an operation is in snake_case: {better}")))
}

/// What to write for a name: `proposal`, if it is another name.
fn instead(name: &str, proposal: String, example: &str) -> String {
    match proposal != name && syn::parse_str::<Ident>(&proposal).is_ok() {
        true => format!("write `{proposal}` for `{name}`"),
        false => format!("choose a name like `{example}` for `{name}`"),
    }
}

fn outcome_name(outcome: &Ident) -> Result<(), Error> {
    let name = outcome.unraw().to_string();
    if ["Done", "Failed", "Self"].contains(&camel(&name).as_str()) {
        let message = format!("`{name}` would be the outcome `{}`, which is taken; choose another name", camel(&name));
        return Err(Error::new(outcome.span(), message));
    }
    operation_name(outcome)
}

/// A reader takes names that differ only in case for the same name, and so does the documentation on some file systems.
fn distinct(names: &[Ident], generated: impl Fn(&Ident) -> String, errors: &mut Errors) {
    for (place, name) in names.iter().enumerate() {
        let this = generated(name);
        let Some(other) = names.iter().take(place).find(|other| generated(other).to_lowercase() == this.to_lowercase())
        else {
            continue;
        };
        let other_becomes = generated(other);
        let how = if other_becomes == this {
            format!("both become `{this}`")
        } else if name.to_string().to_lowercase() == other.to_string().to_lowercase() {
            "differ only in case".into()
        } else {
            format!("become `{this}` and `{other_becomes}`, which differ only in case")
        };
        errors.add(Error::new(name.span(), format!("`{name}` and `{other}` {how}; choose names that tell them apart")));
    }
}

/// `set_current`, for `SetCurrent`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.trim_start_matches('_').chars() {
        if letter.is_uppercase() && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
