// CB-08: what a callback uses stays alive until it has run, so it owns it.
use ascendcl::{Brand, Current, Error, Stream};

fn counts<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<(), Error> {
    let words = vec!["one", "two"];
    let words = &words;
    let _count = stream.launch_host_fn(current, move || words.len()).map_err(|failed| failed.error)?;
    Ok(())
}

fn main() {}
