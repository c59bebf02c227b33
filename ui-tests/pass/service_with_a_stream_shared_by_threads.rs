// THREAD-03: threads that share a service do not share a stream of it.
use ascendcl::{Error, Runtime, Stream, stream::DefaultAllocator};
use std::sync::Arc;

ascendcl::names!(Vision);

pub struct Service {
    pub runtime: Runtime<Vision>,
    pub stream: Option<fn() -> Own>,
}

pub type Own = Stream<Vision, DefaultAllocator>;

pub fn serve(service: Service) {
    let service = Arc::new(service);
    for _ in 0..2 {
        let service = Arc::clone(&service);
        std::thread::spawn(move || work(&service));
    }
}

pub fn work(service: &Service) -> Result<(), Error> {
    service.runtime.with(|current| current.stream()?.synchronize(current))?
}

fn main() {}
