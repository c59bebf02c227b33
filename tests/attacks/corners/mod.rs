//! Attacks where two features meet: graphs and models, parts and empty tensors, memory in doubt and operators, attached
//! objects and runtimes of one name.

mod attachments;
mod bindings;
mod doubt;
mod ends;
mod executions;
mod graphs;
mod outputs;
mod parts;
#[cfg(feature = "tracing")]
mod subscribers;

use super::common::{alone, assert_lives, difference, digits_in_batches_of, library, positions};
use super::{collect, fail, in_context, inside, must_not_call, nothing_fails};
