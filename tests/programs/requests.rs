//! A request per task of an executor with several threads, with a time limit, and requests that are cancelled. The
//! service is that of the example.

use crate::common::{alone, digits, library};
use crate::service::{Failure, Service};
use std::sync::Arc;
use std::time::Duration;

const PIXELS: usize = 64;

#[test]
fn two_hundred_spawned_requests_are_answered_and_cancelled_ones_leave_nothing() {
    let alone = alone();
    let (labels, pixels) = digits();
    let executor = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_time().build().unwrap();
    let server = Arc::new(Service::open(library(), 4).unwrap());
    let right = executor.block_on(async {
        let requests: Vec<_> = (0..200)
            .map(|index| {
                let (server, image) = (Arc::clone(&server), pixels[index * PIXELS..][..PIXELS].to_vec());
                tokio::spawn(async move { server.classify(&image, Duration::from_secs(30)).await.unwrap() })
            })
            .collect();
        let mut right = 0;
        for (request, label) in requests.into_iter().zip(&labels) {
            right += usize::from(request.await.unwrap() == *label);
        }
        // Time limits that are over at once, and tasks that are aborted in the middle.
        for index in 0..20 {
            let (server, image) = (Arc::clone(&server), pixels[index * PIXELS..][..PIXELS].to_vec());
            let task = tokio::spawn(async move { server.classify(&image, Duration::ZERO).await });
            if index % 2 == 0 {
                task.abort();
            }
            match task.await {
                Err(aborted) => assert!(aborted.is_cancelled()),
                Ok(Ok(_) | Err(Failure::TooLate)) => {}
                Ok(Err(failure)) => panic!("{failure}"),
            }
        }
        right
    });
    assert!(right > 180, "{right} of 200 are right");
    // Cancelled work is still in flight, and is waited for.
    server.close(Duration::ZERO).unwrap();
    drop(server);
    alone.assert_nothing_lives();
}
