// GRAPH-09: the tasks of a group are of one capture.
use ascendcl::capture::{Capture, Captured, CaptureBranch, Tasks};
use ascendcl::operator::{BoundOperator, DeviceTensor};
use ascendcl::{Brand, Error};

type Op<C> = BoundOperator<C, DeviceTensor<C, f32>, DeviceTensor<C, f32>>;

pub fn group<'g, C: Brand, K: CaptureBranch, L>(
    capture: &mut Capture<'g, C, K>,
    first: &mut Captured<'g, Op<C>, K>,
    second: &mut Captured<'g, Op<C>, L>,
) -> Result<(), Error> {
    let group = capture.task_group(Tasks::new().launch(first).launch(second))?;
    drop(group);
    Ok(())
}

fn main() {}
