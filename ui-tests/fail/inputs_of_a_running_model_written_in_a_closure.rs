// DATA-10: the next input is written when the execution is over, in a callback of the program too.
use ascendcl::{BoundModel, Brand, Current, Error, Pending};

pub fn next<C: Brand>(
    current: &Current<C>,
    mut running: Pending<C, BoundModel<C>>,
    camera: impl Fn(&mut dyn FnMut(&[f32])),
) -> Result<(), Error> {
    camera(&mut |image| drop(running.write(current, 0, image)));
    Ok(())
}

fn main() {}
