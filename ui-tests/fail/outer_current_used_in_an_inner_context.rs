// CTX-05: one context is current on a thread; while another one is entered, it is not.
use ascendcl::{Context, Current, Error};

pub fn nest<'o, 'i>(outer: &mut Current<'o>, inner: &'i Context<'i>) -> Result<(), Error> {
    inner.enter(outer, |_current| {
        drop(outer.stream());
    })
}

fn main() {}
