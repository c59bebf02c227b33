// MODEL-01: a model is unloaded while the context is current that it was loaded in.
use ascendcl::{Error, Model, Runtime};

ascendcl::names!(Vision, Speech);

pub struct Robot {
    pub vision: Runtime<Vision>,
    pub speech: Runtime<Speech>,
}

pub fn end(robot: &Robot, words: Model<Speech>) -> Result<(), Error> {
    robot.vision.with(|current| Ok(words.unload(current)?))?
}

fn main() {}
