// MODEL-17: no bound says of work in flight that it was waited for.
use ascendcl::{Brand, Current, Error, Pending, BoundModel};

pub fn read<C: Brand>(current: &Current<C>, running: Pending<C, BoundModel<C>>) -> Result<Vec<f32>, Error>
where
    Pending<C, BoundModel<C>>: ascendcl::stream::untouched::Waited,
{
    running.read(current, 0)
}

fn main() {}
