//! Copies of slices that the program lends.

use super::run;
use crate::common::alone;
use ascendcl::Error;
use ascendcl_macros::proves;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

#[proves(COPY_03, COPY_04)]
#[test]
fn lent_slices_are_copied_when_the_lending_is_over_whatever_was_forgotten() {
    let alone = alone();
    run(|current| {
        let (image, mut copy) = (vec![3_u64; 1000], vec![0_u64; 1000]);
        current.copy_scope(|current, copies| {
            let stream = current.stream()?;
            let device = copies.copy_to_device(current, &stream, &image, current.device_buffer(1000)?)?;
            mem::forget(copies.copy_to_host(current, &stream, device, &mut copy)?);
            mem::forget(stream);
            Ok::<_, Error>(())
        })??;
        assert_eq!(copy, image);
        Ok(())
    });
    alone.assert_nothing_lives();
}

#[proves(COPY_04)]
#[test]
fn a_panic_while_lending_goes_on_after_the_copies() {
    let alone = alone();
    run(|current| {
        let mut copy = vec![0_u8; 100];
        let finished = Arc::new(());
        let ran = Arc::clone(&finished);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            current.copy_scope(|current, copies| {
                let stream = current.stream().unwrap();
                let device = stream.set_bytes(current, current.device_buffer(100).unwrap(), 8).unwrap();
                drop(copies.copy_to_host(current, &stream, device, &mut copy).unwrap());
                drop(stream.launch_host_fn(current, move || {
                    thread::sleep(Duration::from_millis(20));
                    drop(ran);
                }));
                panic!("while lending")
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(Arc::strong_count(&finished), 1, "everything on the stream was waited for");
        assert_eq!(copy, [8; 100]);
        Ok(())
    });
    alone.assert_nothing_lives();
}
