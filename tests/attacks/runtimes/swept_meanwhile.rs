//! Sweeps beside a thread that waits to recover a device for all that have given it up.

use super::several_by_force::{BRIEFLY, DEVICE, alone_on_three, hang, is_refused, open, works_anew};
use super::*;
use crate::common::acl;
use ascendcl::{Recovered, Thread};

/// A sweep that took a part back would wait for work that hangs, and keep the one that is to end this work from it.
#[proves(DEV_08, DEV_10)]
#[test]
fn a_sweep_takes_nothing_back_while_a_thread_waits_to_recover_the_device() {
    const LONG: Duration = Duration::from_secs(5);
    let alone = alone_on_three();
    let [dropped, goes_on] = [false; 2].map(open);
    let _work = hang([&dropped]);
    is_refused(dropped.close_by_force(BRIEFLY));
    drop(dropped);
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let mut probe = Some(acl.device(&mut thread, DEVICE).unwrap());
    let (begun, is_taken) = channel::<()>();
    thread::scope(|threads| {
        let waits = threads.spawn(|| {
            let mut thread = Thread::new().unwrap();
            let device = acl.device(&mut thread, DEVICE).unwrap();
            begun.send(()).unwrap();
            let recovered = device.recover(&mut thread, LONG);
            recovered.map(|recovered| matches!(recovered, Recovered::Reset { .. })).map_err(|failed| failed.error)
        });
        is_taken.recv().unwrap();
        // Until the thread waits: then nobody but the runtime that goes on is in the way.
        loop {
            let refused = probe.take().unwrap().recover(&mut thread, Duration::ZERO).unwrap_err();
            let Error::DeviceShared { held, .. } = refused.error else { panic!("{}", refused.error) };
            probe = Some(refused.value);
            if held.matches(".rs").count() == 1 {
                break;
            }
        }
        let swept = threads.spawn(|| runtime::sweep(Some(LONG))).join().unwrap();
        assert!(swept.is_empty(), "it was left to the thread that waits: {swept:?}");
        threads.spawn(|| goes_on.close().unwrap()).join().unwrap();
        assert!(waits.join().unwrap().unwrap(), "the device was reset");
    });
    nothing_fails();
    probe.unwrap().reset(&mut thread).unwrap();
    drop(thread);
    acl.close().unwrap();
    drop(goes_on);
    sweep();
    works_anew();
    alone.assert_nothing_lives();
}
