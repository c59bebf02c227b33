//! A thread that waits for a future.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Runs a future on this thread, which sleeps until it is woken; answers with its output and how often it was polled.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> (F::Output, usize) {
    struct Unparks(Thread);
    impl Wake for Unparks {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unparks(std::thread::current())));
    let (mut future, mut polls, start) = (pin!(future), 0, Instant::now());
    loop {
        polls += 1;
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return (output, polls);
        }
        assert!(start.elapsed() < Duration::from_secs(20), "nobody woke the task");
        std::thread::park_timeout(Duration::from_secs(30));
    }
}
