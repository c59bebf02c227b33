// THREAD-01: the state of a service shares its runtime.
use ascendcl::{Runtime, names};
use std::sync::Arc;

names!(Vision);

#[derive(Clone)]
pub struct State {
    pub runtime: Arc<Runtime<Vision>>,
    pub paths: Arc<Vec<String>>,
}

fn main() {}
