// THREAD-03: a global is used by all threads, so a stream is none.
use ascendcl::{Runtime, Stream};
use std::sync::{Mutex, OnceLock};

ascendcl::names!(Vision);

pub static RUNTIME: OnceLock<Runtime<Vision>> = OnceLock::new();
pub static STREAM: OnceLock<Stream<Vision>> = OnceLock::new();

pub type Locked = Mutex<Stream<Vision>>;

fn main() {}
