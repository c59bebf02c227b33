// MODEL-16: a static is reached by all threads, a model by one at a time.
use ascendcl::Model;
use std::sync::OnceLock;

ascendcl::names!(Vision);

pub static MODEL: OnceLock<Model<Vision>> = OnceLock::new();

fn main() {}
