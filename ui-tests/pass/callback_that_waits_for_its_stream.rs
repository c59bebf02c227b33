// CB-01: a callback calls nothing of the library, so it has no `Current`.
use ascendcl::{Current, Error, Stream};

ascendcl::names!(Vision);

pub fn count(current: &'static Current<Vision>, stream: &Stream<Vision>) -> Result<(), Error> {
    let device = current.device_id();
    stream.launch_host_fn(current, move || device == 0).map_err(|failed| failed.error)?.wait(current)?;
    Ok(())
}

fn main() {}
