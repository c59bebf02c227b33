//! Events between contexts and between streams.

use super::run;
use crate::common::{acl, alone};
use ascendcl::{Error, Thread};
use ascendcl_macros::proves;
use std::sync::mpsc;
use std::time::Duration;

#[proves(EVENT_07)]
#[test]
fn an_event_is_awaited_in_another_context_of_its_device_and_refused_on_another_device() {
    let alone = alone();
    let acl = acl();
    let mut thread = Thread::new().unwrap();
    let (zero, one) = (acl.device(&mut thread, 0).unwrap(), acl.device(&mut thread, 1).unwrap());
    zero.with_current(&mut thread, |outer| {
        let stream = outer.stream().unwrap();
        let (release, waits) = mpsc::channel::<()>();
        drop(stream.launch_host_fn(outer, move || waits.recv().is_ok()).unwrap());
        let event = stream.record(outer, outer.event().unwrap()).unwrap();
        zero.with_current(outer, |inner| {
            let follower = inner.stream().unwrap();
            follower.wait_across_contexts(inner, &event).unwrap();
            assert!(!follower.is_complete(inner).unwrap());
            release.send(()).unwrap();
            follower.synchronize_within(inner, Duration::from_secs(60)).unwrap();
        })
        .unwrap();
        one.with_current(outer, |inner| {
            let refused = inner.stream().unwrap().wait_across_contexts(inner, &event).unwrap_err();
            assert!(matches!(refused, Error::OtherDevice { expected: 1, found: 0, .. }), "{refused}");
        })
        .unwrap();
    })
    .unwrap();
    one.reset(&mut thread).unwrap();
    zero.reset(&mut thread).unwrap();
    acl.close().unwrap();
    alone.assert_nothing_lives();
}

#[proves(EVENT_04, EVENT_11)]
#[test]
fn time_between_events_of_two_streams_is_refused_and_a_wait_for_an_event_has_a_limit() {
    let alone = alone();
    run(|current| {
        let (one, two) = (current.stream()?, current.stream()?);
        let start = one.record(current, current.event()?)?;
        let (release, waits) = mpsc::channel::<()>();
        drop(two.launch_host_fn(current, move || waits.recv().is_ok())?);
        let end = two.record(current, current.event()?)?;
        assert!(matches!(end.milliseconds_since(current, &start), Err(Error::EventsOfTwoStreams)));
        let late = end.synchronize_within(current, Duration::from_millis(5)).unwrap_err();
        assert!(late.code().unwrap().is_timeout(), "{late}");
        let late = current.synchronize_within(Duration::from_millis(5)).unwrap_err();
        assert!(late.code().unwrap().is_timeout(), "{late}");
        release.send(()).unwrap();
        end.synchronize_within(current, Duration::from_secs(60))?;
        current.synchronize()?;
        Ok(())
    });
    alone.assert_nothing_lives();
}
