// STREAM-09: in a task, too, a stream is used while its own context is current.
use ascendcl::{Error, Runtime, Stream};

ascendcl::names!(Vision, Speech);

pub async fn waits(vision: &Runtime<Vision>, speech: &Runtime<Speech>, stream: Stream<Speech>) -> Result<(), Error> {
    let task = async move {
        let _ = (vision, speech);
        vision.with(|current| stream.synchronize(current))?
    };
    task.await
}

fn main() {}
