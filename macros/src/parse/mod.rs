//! Parses tokens into the parts of a declaration, with spans for later errors.

mod declaration;
mod documentation;
mod line;
mod rule_ids;
mod state;
mod wording;

pub(crate) use declaration::{Declaration, Header};
pub(crate) use documentation::{Documentation, ids_in};
pub(crate) use line::{Line, Place};
pub(crate) use rule_ids::rule_ids;
pub(crate) use state::StateLine;
pub(crate) use wording::Wording;
