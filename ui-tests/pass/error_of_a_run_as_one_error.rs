// ERR-01: a run can fail in several steps.
use ascendcl::{Error, Library, RunError};

pub type Failure = RunError<Error>;

pub fn sum(numbers: &[u32]) -> Result<u32, Failure> {
    let sum = ascendcl::run(Library::Vendor, |current| {
        let numbers = current.upload(numbers)?.to_vec(current)?;
        Ok::<u32, Error>(numbers.iter().sum())
    })?;
    Ok(sum)
}

pub fn retried(numbers: &[u32]) -> Result<u32, RunError<Error>> {
    ascendcl::run(Library::Vendor, |current| Ok(current.upload(numbers)?.to_vec(current)?.iter().sum()))
}

fn main() {}
