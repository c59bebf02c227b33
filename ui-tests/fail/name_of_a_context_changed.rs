// STREAM-09: the name of a context stays what it is, also where one name is a subtype of another.
use ascendcl::{Fresh, Scoped, Stream};

pub type Any = for<'a> fn(&'a ());
pub type Static = fn(&'static ());

pub fn rename<'c>(stream: Stream<Scoped<'c, Any>, Fresh>) -> Stream<Scoped<'c, Static>, Fresh> {
    stream
}

fn main() {}
