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
use ascendcl::model::ModelSource;
use ascendcl::{BoundModel, Brand, Current};

/// The difference of two inputs.
fn bound<C: Brand>(current: &Current<C>) -> BoundModel<C> {
    let model = current.load(ModelSource::memory(&difference()).into()).unwrap();
    let mut model = model.bind(current, &[&[4], &[4]], &[&[4]]).unwrap();
    model.write(current, 0, &[5.0_f32; 4]).unwrap();
    model.write(current, 1, &[2.0_f32; 4]).unwrap();
    model
}
