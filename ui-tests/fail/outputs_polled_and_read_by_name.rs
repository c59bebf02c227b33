// MODEL-17: outputs are read after a wait, also when the work is known to be done.
use ascendcl::{BoundModel, Brand, Current, Error, Pending};

pub fn poll<C: Brand>(current: &Current<C>, running: Pending<C, BoundModel<C>>) -> Result<Vec<f32>, Error> {
    while !running.is_complete(current)? {
        std::thread::yield_now();
    }
    running.read(current, "probabilities")
}

fn main() {}
