// CTX-07: what is current is lent for the length of a closure, and no field keeps it longer.
use ascendcl::{Current, Error, Runtime};

ascendcl::names!(Vision);

pub struct Worker<'a> {
    pub current: Option<&'a Current<Vision>>,
    pub device: i32,
}

pub fn start<'a>(runtime: &'a Runtime<Vision>, worker: &mut Worker<'a>) -> Result<(), Error> {
    runtime.with(|current| {
        worker.current = None;
        worker.device = current.device_id();
    })
}

fn main() {}
