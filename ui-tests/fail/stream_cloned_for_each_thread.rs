// THREAD-03: one thread at a time uses a stream; there is no second handle of it.
use ascendcl::{Error, Runtime};

ascendcl::names!(Vision);

pub fn serve(runtime: &Runtime<Vision>) -> Result<(), Error> {
    let stream = runtime.with(|current| current.stream())??;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let stream = stream.clone();
            scope.spawn(move || runtime.with(|current| stream.synchronize(current)));
        }
    });
    Ok(())
}

fn main() {}
