// ERR-01: a run can fail in several steps.
use ascendcl::{Error, Library, RunError};

pub fn sum(numbers: &[u32]) -> Result<u32, Error> {
    let sum = ascendcl::run(Library::Vendor, |current| {
        let numbers = current.upload(numbers)?.to_vec(current)?;
        Ok::<u32, Error>(numbers.iter().sum())
    })?;
    Ok(sum)
}

#[allow(dead_code)]
type Unused = RunError<Error>;

fn main() {}
