// EVENT-04: the time between two events is a method of the later event.
use ascendcl::{Brand, Current, Error, Event, event::Recorded};

pub struct Step<C: Brand> {
    pub start: Event<C, Recorded>,
    pub end: Event<C, Recorded>,
}

impl<C: Brand> Step<C> {
    pub fn milliseconds(&self, current: &Current<C>) -> Result<f32, Error> {
        self.end.synchronize(current)?;
        self.start.elapsed_time(&self.end)
    }
}

fn main() {}
