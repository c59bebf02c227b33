// STREAM-09: work is queued on a stream of the context that is current.
use ascendcl::{Error, Runtime, Stream};

ascendcl::names!(Vision, Speech);

struct Robot {
    vision: Runtime<Vision>,
    speech: Runtime<Speech>,
    hears: Stream<Speech>,
}

fn wait(robot: &Robot) -> Result<(), Error> {
    let _ = &robot.speech;
    robot.vision.with(|current| robot.hears.synchronize(current))?
}

fn main() {}
