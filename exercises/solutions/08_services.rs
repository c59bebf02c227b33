//! A robot sees with one runtime and hears with another one.
//!
//! Repair it: it synchronises a stream in the wrong runtime.

use ascendcl::{Error, Library, Runtime, Stream};

ascendcl::names!(Vision, Speech);

struct Robot {
    vision: Runtime<Vision>,
    speech: Runtime<Speech>,
    hears: Stream<Speech>,
}

impl Robot {
    fn open() -> Result<Self, Error> {
        let vision = Runtime::open(Library::Simulator)?;
        let speech = Runtime::open(Library::Simulator)?;
        let hears = speech.with(|current| current.stream())??;
        Ok(Self { vision, speech, hears })
    }

    fn listen(&self) -> Result<(), Error> {
        self.speech.with(|current| self.hears.synchronize(current))?
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let robot = Robot::open()?;
    robot.listen()?;
    robot.vision.close()?;
    robot.speech.close()?;
    Ok(())
}
