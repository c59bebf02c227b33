//! From each state, an operation leads to one state for each outcome, and can fail only if it is allowed there.

use crate::errors::Errors;
use crate::parse::{Line, Place};
use syn::Error;
use syn::ext::IdentExt;

pub(super) fn check(lines: &[Line], errors: &mut Errors) {
    for (place, line) in lines.iter().enumerate() {
        if let Err(error) = unique(line, lines.iter().take(place)).and_then(|()| possible(line, lines)) {
            errors.add(error);
        }
    }
}

fn unique<'a>(line: &Line, mut before: impl Iterator<Item = &'a Line>) -> Result<(), Error> {
    let Some(other) = before.find(|other| other.starts_as(line) && other.ends_as(line)) else {
        return Ok(());
    };
    let message = if other.to == line.to {
        format!("`{line}` stands here twice; remove one")
    } else {
        let call = if line.fails.is_some() { "a failed" } else { "one" };
        format!("`{other}` was said before, and {call} operation has one outcome; if these are two, name them apart")
    };
    Err(Error::new_spanned(line.call(), message))
}

fn possible(line: &Line, lines: &[Line]) -> Result<(), Error> {
    let Line { from, operation, .. } = line;
    if let (Place::Outside(_), Place::Outside(_)) = (from, &line.to) {
        let message = "this life has no state; a life starts by `[*] --> State : operation;`";
        return Err(Error::new_spanned(line.call(), message));
    }
    let is_plain = |other: &Line| other.fails.is_none() && other.outcome.is_none();
    if line.outcome.is_some() && !lines.iter().any(|other| is_plain(other) && other.starts_as(line)) {
        let message = format!(
            "`{line}` is a second outcome, and there is no first one; add `{from} --> … : {operation};`, or remove the name"
        );
        return Err(Error::new_spanned(line.call(), message));
    }
    if line.fails.is_some() && !lines.iter().any(|other| is_plain(other) && other.starts_as(line)) {
        let message = format!(
            "`{operation}` cannot be done from `{from}`, so it does not fail there; add `{from} --> … : {operation};`, \
             or remove this line"
        );
        return Err(Error::new_spanned(line.call(), message));
    }
    Ok(())
}

impl Line {
    /// The same operation from the same place.
    pub(crate) fn starts_as(&self, other: &Self) -> bool {
        self.from == other.from && self.operation.unraw() == other.operation.unraw()
    }

    /// The same outcome: success, failure, or the success of one name.
    fn ends_as(&self, other: &Self) -> bool {
        let name = |line: &Self| line.outcome.as_ref().map(IdentExt::unraw);
        self.fails.is_some() == other.fails.is_some() && name(self) == name(other)
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Outside(_), Self::Outside(_)) => true,
            (Self::State(this), Self::State(that)) => this == that,
            _ => false,
        }
    }
}
