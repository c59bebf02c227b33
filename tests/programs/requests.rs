//! A request per task of an executor with several threads, with a time limit, and requests that are cancelled. The
//! service is that of the example.

use crate::common::plans::{fail, nothing_fails};
use crate::common::{alone, assert_lives, digits, library};
use crate::service::{Failure, Service};
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    server.close(Duration::from_secs(30)).unwrap();
    drop(server);
    alone.assert_nothing_lives();
}

/// Requests to a device that is slow answer in time, load no more models, and leave the places as they were. So do requests
/// that are cancelled.
#[test]
fn late_and_cancelled_requests_to_a_slow_device_keep_the_limit_and_the_number_of_workers() {
    const LIMIT: Duration = Duration::from_millis(150);
    const WORKERS: usize = 2;
    let alone = alone();
    let (labels, pixels) = digits();
    let image = |index: usize| pixels[index * PIXELS..][..PIXELS].to_vec();
    let executor = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_time().build().unwrap();
    let server = Arc::new(Service::open(library(), WORKERS).unwrap());
    executor.block_on(async {
        for cancel in [false, true] {
            fail("aclmdlExecuteAsync#1=slow:1500ms");
            for index in 0..5 {
                let (server, image, start) = (Arc::clone(&server), image(index), Instant::now());
                let task = tokio::spawn(async move { server.classify(&image, LIMIT).await });
                if cancel {
                    tokio::time::sleep(LIMIT / 3).await;
                    task.abort();
                }
                match task.await {
                    Err(aborted) => assert!(cancel && aborted.is_cancelled()),
                    Ok(answer) => assert!(matches!(answer, Err(Failure::TooLate)), "{answer:?}"),
                }
                assert!(start.elapsed() < 6 * LIMIT, "answered after {:?}", start.elapsed());
            }
            nothing_fails();
            // All places are there again, and the workers are those of the beginning.
            let requests: Vec<_> = (0..4 * WORKERS)
                .map(|index| {
                    let (server, image) = (Arc::clone(&server), image(index));
                    tokio::spawn(async move { server.classify(&image, Duration::from_secs(30)).await.unwrap() })
                })
                .collect();
            let mut right = 0;
            for (request, label) in requests.into_iter().zip(&labels) {
                right += usize::from(request.await.unwrap() == *label);
            }
            assert!(right > 3 * WORKERS, "{right} are right");
            assert_lives!(models, WORKERS);
        }
    });
    server.close(Duration::from_secs(30)).unwrap();
    drop(server);
    alone.assert_nothing_lives();
}

/// The work of a request fails, and its worker is lost. The next request makes another one, and frees the lost one.
#[test]
fn a_worker_that_failed_is_replaced_and_freed() {
    let alone = alone();
    let (labels, pixels) = digits();
    let executor = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let server = Arc::new(Service::open(library(), 1).unwrap());
    executor.block_on(async {
        for index in 0..4 {
            fail("aclmdlExecuteAsync#1=507018");
            let failed = server.classify(&pixels[..PIXELS], Duration::from_secs(30)).await;
            assert!(matches!(failed, Err(Failure::Library(_))), "{index}: {failed:?}");
            nothing_fails();
            let right = server.classify(&pixels[..PIXELS], Duration::from_secs(30)).await.unwrap();
            assert_eq!(right, labels[0], "{index}");
            assert_lives!(models, 1);
            assert_lives!(streams, 1);
        }
    });
    server.close(Duration::from_secs(30)).unwrap();
    drop(server);
    alone.assert_nothing_lives();
}
