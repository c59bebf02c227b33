//! Every state can be reached, and every state has a path to the end.

use crate::errors::Errors;
use crate::parse::{Declaration, Line, Place};
use crate::protocol::states_of;
use proc_macro2::Ident;
use syn::Error;

pub(super) fn check(declaration: &Declaration, errors: &mut Errors) {
    let lines = &declaration.lines;
    let outside = |place: &Place| matches!(place, Place::Outside(_));
    if !lines.iter().any(|line| outside(&line.from) && line.fails.is_none()) {
        let message = "no life starts here; add a line `[*] --> State : operation;`";
        return errors.add(Error::new(declaration.header.name.span(), message));
    }
    let reached = reachable(lines, |line| Some((&line.from, &line.to)));
    // A program cannot rely on a failure, so a path that needs one does not count.
    let released = reachable(lines, |line| line.fails.is_none().then_some((&line.to, &line.from)));
    for state in states_of(lines) {
        if !reached.contains(&&state) {
            let message = format!("nothing leads to state `{state}`; add `… --> {state} : operation;`, or remove it");
            errors.add(Error::new(state.span(), message));
        }
        if !released.contains(&&state) {
            let message = format!(
                "state `{state}` has no way to `[*]`, so what is in it is never released; add \
                 `{state} --> [*] : operation;`, or a line to a state that has one"
            );
            errors.add(Error::new(state.span(), message));
        }
    }
}

/// The states that can be reached from `[*]`. `step` gives the direction of a line: its start and its end.
fn reachable<'a>(lines: &'a [Line], step: impl Fn(&'a Line) -> Option<(&'a Place, &'a Place)>) -> Vec<&'a Ident> {
    let mut reached: Vec<&Ident> = Vec::new();
    loop {
        let next = lines.iter().filter_map(&step).find_map(|pair| match pair {
            (Place::Outside(_), Place::State(to)) => (!reached.contains(&to)).then_some(to),
            (Place::State(from), Place::State(to)) => (reached.contains(&from) && !reached.contains(&to)).then_some(to),
            _ => None,
        });
        match next {
            Some(state) => reached.push(state),
            None => return reached,
        }
    }
}
