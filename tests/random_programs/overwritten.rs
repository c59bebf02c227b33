//! Operators whose output is in flight when they are launched.

use crate::actor::Actor;
use crate::buffers::elements;
use crate::holdings::{AnyStream, Launched, Operands, Work};
use crate::runs::combined;
use ascendcl::operator::Operator;
use ascendcl::stream::{CanExecute, StreamState};
use ascendcl::{Current, Error, Pending, Scoped, Stream};

impl<'c> Actor<'_, 'c> {
    /// The memory of the output is set first, on the same stream, and perhaps written by another operator then.
    pub(crate) fn operator_over_an_output(&mut self, current: &Current<Scoped<'c>>, a: u16, b: u16) {
        let Some(at) = self.has.executing(None, a) else { return };
        let on = &self.has.streams[at];
        let (of_x, of_y) = (elements(16, a), elements(16, b));
        let launched = match &on.stream {
            AnyStream::DefaultAllocator(on) => launched(current, on, (&of_x, &of_y), b),
            AnyStream::Pooled(on) => launched(current, on, (&of_x, &of_y), b),
            AnyStream::Undecided(_) => return,
        };
        let number = on.number;
        let Some(pending) = self.world.well("launching an operator over an output in flight", launched) else { return };
        let inputs = [Some(of_x), Some(of_y)];
        let output = combined(&inputs, |a, b| a + b);
        self.has.queued(self.world, number, Work::Operator(pending, Operands { inputs, output }));
    }
}

fn launched<'c, S: StreamState + CanExecute>(
    current: &Current<Scoped<'c>>,
    on: &Stream<Scoped<'c>, S>,
    (of_x, of_y): (&[f32], &[f32]),
    b: u16,
) -> Result<Pending<Scoped<'c>, Launched<'c>>, Error> {
    let tensor = |elements: &[f32]| current.upload_tensor(&[16], elements);
    let (x, y) = (tensor(of_x)?, tensor(of_y)?);
    let mut output = on.set_bytes(current, current.device_buffer::<f32>(16)?, b as u8)?.into_tensor(&[16])?;
    for _ in 0..b / 4 % 3 {
        let relu = Operator::new("Relu").bind(current, tensor(of_x)?, output)?;
        output = on.launch(current, relu)?.into_outputs();
    }
    Ok(on.launch(current, Operator::new("Add").bind(current, (x, y), output)?)?)
}
