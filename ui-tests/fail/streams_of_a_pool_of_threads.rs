// THREAD-03: a generic helper that spreads work over threads shares no streams.
use ascendcl::{Error, Runtime, Stream};

ascendcl::names!(Vision);

pub fn each<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        for item in items {
            let work = &work;
            scope.spawn(move || work(item));
        }
    });
}

pub fn wait_for_all(runtime: &Runtime<Vision>, streams: &[Stream<Vision>]) {
    each(streams, |stream| {
        let waited: Result<Result<(), Error>, Error> = runtime.with(|current| stream.synchronize(current));
        drop(waited);
    });
}

fn main() {}
