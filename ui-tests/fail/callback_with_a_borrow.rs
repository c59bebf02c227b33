// CB-08: what a callback uses stays alive until it has run, so it owns it.
use ascendcl::{Brand, Current, Error, Stream};

fn counts<C: Brand>(current: &Current<C>, stream: &Stream<C>) -> Result<(), Error> {
    let words = vec!["one", "two"];
    let words = &words;
    let _count = stream.call_back(current, move || words.len()).map_err(|undone| undone.error)?;
    Ok(())
}

fn main() {}
