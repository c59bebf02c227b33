//! Work as futures.

use super::run;
use crate::common::{alone, block_on};
use ascendcl_macros::proves;
use std::future::Future;
use std::mem;
use std::sync::mpsc;
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;

#[test]
fn a_future_of_work_is_woken_and_not_spun() {
    let alone = alone();
    run(|current| {
        let mut stream = current.stream()?;
        let (release, released) = mpsc::channel::<()>();
        let slow = stream.launch_host_fn(current, move || released.recv().is_ok())?;
        let set = stream.set_bytes(current, current.device_buffer::<u8>(8)?, 9)?;
        let work = slow.join(set)?.into_future(current, &mut stream)?;
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(30));
            release.send(()).unwrap();
        });
        let (done, polls) = block_on(work);
        let (reply, buffer) = done?;
        assert!(reply.into_result()?);
        assert!(polls <= 4, "{polls} polls");
        assert_eq!(buffer.to_vec(current)?, [9; 8]);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_04)]
#[test]
fn a_future_that_is_dropped_or_forgotten_in_flight_leaves_nothing() {
    let alone = alone();
    run(|current| {
        for forget in [false, true] {
            let mut stream = current.stream()?;
            let (release, released) = mpsc::channel::<()>();
            let slow = stream.launch_host_fn(current, move || released.recv().is_ok())?;
            let set = stream.set_bytes(current, current.device_buffer::<u8>(8)?, 9)?;
            let mut work = Box::pin(slow.join(set)?.into_future(current, &mut stream)?);
            assert!(work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            if forget {
                mem::forget(work)
            } else {
                drop(work)
            }
            release.send(()).unwrap();
            stream.synchronize(current)?;
        }
        Ok(())
    });
    alone.assert_nothing_lives();
}
