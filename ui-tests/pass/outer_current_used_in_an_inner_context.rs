// CTX-05: one context is current on a thread; while another one is entered, it is not.
use ascendcl::{Context, Current, Error, Scoped};

pub fn nest<'o, 'i>(outer: &mut Current<Scoped<'o>>, inner: &'i Context<Scoped<'i>>) -> Result<(), Error> {
    inner.enter(outer, |current| {
        drop(current.stream());
    })
}

fn main() {}
