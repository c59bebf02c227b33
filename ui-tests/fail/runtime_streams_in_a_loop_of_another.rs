// STREAM-09: each stream is synchronised while its own context is current, in a loop too.
use ascendcl::{Error, Runtime, Stream};

ascendcl::names!(Vision, Speech);

pub struct Robot {
    pub vision: Runtime<Vision>,
    pub speech: Runtime<Speech>,
    pub hears: Vec<Stream<Speech>>,
}

pub fn wait_for_all(robot: &Robot) -> Result<(), Error> {
    robot.vision.with(|current| {
        for stream in &robot.hears {
            stream.synchronize(current)?;
        }
        Ok(())
    })?
}

fn main() {}
