// MEM-14: while memory is registered, the buffer has it.
use ascendcl::memory::Pages;
use ascendcl::{Brand, Current, Error};

fn lend<C: Brand>(current: &Current<C>, pages: Pages<f32>) -> Result<Pages<f32>, Error> {
    let mut host = current.register(pages)?;
    host.slice_mut(current)?.fill(1.0);
    Ok(host.unregister(current)?)
}

fn main() {}
