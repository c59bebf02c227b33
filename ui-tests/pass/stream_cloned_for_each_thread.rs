// THREAD-03: one thread at a time uses a stream; there is no second handle of it.
use ascendcl::{Error, Runtime};

ascendcl::names!(Vision);

pub fn serve(runtime: &Runtime<Vision>) -> Result<(), Error> {
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || runtime.with(|current| current.stream()?.synchronize(current)));
        }
    });
    Ok(())
}

fn main() {}
