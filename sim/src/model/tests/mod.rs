//! Tests of the model engine.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod bits;
mod bytes;
mod ceiling;
mod corners;
mod crashes;
mod description;
mod digits;
mod external;
mod files;
mod form;
mod fusions;
mod gears;
mod halves;
mod limits;
mod meaning;
mod names;
mod networks;
mod numbers;
mod parts;
mod refusals;
mod refused;
mod runs;
mod scans;
mod volumes;

use super::{Input, Model};

/// Runs a model on inputs of its fixed dims, and gives the bytes of its outputs.
fn run_static(model: &Model, inputs: &[&[u8]]) -> Vec<Vec<u8>> {
    let inputs: Vec<_> =
        model.inputs().iter().zip(inputs).map(|(port, bytes)| Input { dims: &port.dims, bytes }).collect();
    model.run(&inputs).unwrap().iter().map(|output| output.to_bytes().unwrap()).collect()
}

/// Elements as bytes, by `$type::to_le_bytes`.
macro_rules! bytes_of {
    ($type:ty: $($value:expr),* $(,)?) => {{
        let values: &[$type] = &[$($value),*];
        values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>()
    }};
}
use bytes_of;
