//! Single operators: their attributes, which of them are found, what each takes and gives, and running them.
//!
//! * [`Request`] is what a call says: a name, descriptions, attributes. [`Plan::new`] checks it, and works out the
//!   output.
//! * `catalogue` knows the operators; `rten` calculates them, from a model of a few nodes that `graphs` makes.
//! * `known` tells which operators a program may execute: those it compiled, or all that it loaded.
//! * `kernels` has the functions that choose kernels of a program's own, of which there are none here.
//! * `statistics` notes what operators are given, if a program wants that.
//! * [`Job`] runs a plan on buffers, in its turn on a stream.

mod attributes;
mod catalogue;
mod graphs;
mod handles;
mod job;
mod kernels;
mod known;
mod operand;
mod options;
mod plan;
pub(crate) mod statistics;

pub(crate) use attributes::{Attribute, create_attributes, destroy_attributes, read_attributes, set_attribute};
pub(crate) use handles::{create_handle, destroy_handle, find_handle};
pub(crate) use job::Job;
pub(crate) use kernels::{Chosen, check_chosen, choice_of, choose, register_choice, unregister_choice};
pub(crate) use known::{check_found, choose_directory, compile, keep_at_most, knows_attribute, load_image, set_fuzzy};
pub(crate) use options::{create_dump_options, destroy_dump_options};
pub(crate) use plan::{Plan, Request};

use crate::machine::live::Live;

pub(crate) fn count(live: &mut Live) {
    live.operator_attributes = attributes::count();
    live.operator_handles = handles::count();
}

pub(in crate::machine) fn clear() {
    attributes::clear();
    handles::clear();
    kernels::clear();
    known::clear();
    options::clear();
    statistics::clear();
}
