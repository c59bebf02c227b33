// MODEL-16: a static is reached by all threads, a model by one at a time.
use ascendcl::Model;
use std::sync::Mutex;

ascendcl::names!(Vision);

pub static MODEL: Mutex<Option<Model<Vision>>> = Mutex::new(None);

fn main() {}
