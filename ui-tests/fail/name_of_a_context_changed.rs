// STREAM-09: the name of a context stays what it is, also where one name is a subtype of another.
use ascendcl::{Scoped, Stream, stream::Undecided};

pub type Any = for<'a> fn(&'a ());
pub type Static = fn(&'static ());

pub fn rename<'c>(stream: Stream<Scoped<'c, Any>, Undecided>) -> Stream<Scoped<'c, Static>, Undecided> {
    stream
}

fn main() {}
