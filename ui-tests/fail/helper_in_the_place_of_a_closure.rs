// CTX-10: what runs in a scope is for each context that the scope could have, not for one that was there before.
use ascendcl::{Brand, Current, Error, Library};

fn program<C: Brand>(current: &mut Current<C>) -> Result<(), Error> {
    current.stream()?.synchronize(current)
}

pub fn run() -> bool {
    ascendcl::run(Library::Simulator, program).is_ok()
}

fn main() {}
