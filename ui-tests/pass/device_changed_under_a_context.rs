// CTX-05: work of another device is done in a context of it.
use ascendcl::{Brand, Context, Current, Error};

pub fn both<C: Brand, D: Brand>(current: &mut Current<C>, second: &Context<D>) -> Result<(), Error> {
    current.synchronize()?;
    current.stream()?.synchronize(current)?;
    second.enter(current, |current| current.synchronize())?
}

fn main() {}
