//! Checks of a declaration beyond its grammar.

mod lines;
mod names;
mod paths;
mod references;

use crate::errors::Errors;
use crate::parse::Declaration;
use crate::protocol::Protocol;
use syn::Result;

/// Each check reports all its findings.
pub(crate) fn check(declaration: Declaration) -> Result<Protocol> {
    let mut errors = Errors::default();
    names::check(&declaration, &mut errors);
    lines::check(&declaration.lines, &mut errors);
    paths::check(&declaration, &mut errors);
    references::check(&declaration, &mut errors);
    errors.finish()?;
    Ok(Protocol::new(declaration))
}

#[cfg(test)]
mod exhaustive;
