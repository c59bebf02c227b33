//! Attacks where two features meet: graphs and models, parts and empty tensors, memory in doubt and operators, attached
//! objects and runtimes of one name.

mod doubt;
mod graphs;
mod parts;

use super::common::{alone, assert_lives, difference};
use super::{collect, fail, inside, nothing_fails};
