//! Attacks on the order between streams: events that mark an unexpected point, and work that is passed on.

use super::common::alone;
use super::{collect, hold, inside};
use crate::common::assert_lives;
use ascendcl::operator::relu;
use ascendcl::{Brand, Current, Error, Event, HostBuffer, Pending, Stream, event::Recorded};
use ascendcl_macros::proves;
use std::mem;

/// A copy to the host that waits behind whatever holds up the stream, and an event behind it.
pub(super) fn held_copy<C: Brand>(
    current: &Current<C>,
    stream: &Stream<C>,
) -> (Pending<C, HostBuffer<C, u8>>, Event<C, Recorded>) {
    let source = current.upload(&[7_u8; 64]).unwrap();
    let copy = stream.copy_to_host(current, source, current.host_buffer(64).unwrap()).unwrap();
    let event = stream.record(current, current.event().unwrap()).unwrap();
    (copy.split().1, event)
}

#[proves(STREAM_04, EVENT_09)]
#[test]
fn an_event_whose_next_record_failed_halfway_covers_no_work_any_more() {
    let alone = alone();
    inside(|current| {
        let [one, two, three] = [(); 3].map(|()| current.stream().unwrap());
        let go = hold(current, &one);
        let (copy, event) = held_copy(current, &one);
        // The library says that it failed, and has moved the event to a point that is reached at once.
        crate::fail("aclrtRecordEvent#1=after:507899");
        let event = two.record(current, event).unwrap_err().value;
        crate::nothing_fails();
        let refused = three.adopt_after(current, copy, &event).unwrap_err();
        assert!(matches!(refused.error, Error::NotCovered), "{}", refused.error);
        // Recorded anew it marks a known point again.
        let event = one.record(current, event).unwrap();
        let copy = three.adopt_after(current, refused.value, &event).unwrap();
        assert!(!copy.is_complete(current).unwrap());
        go.send(()).unwrap();
        assert_eq!(*copy.wait(current).unwrap(), [7; 64]);
    });
    alone.assert_nothing_lives();
}

#[proves(EVENT_04)]
#[test]
fn an_event_whose_next_record_failed_halfway_measures_nothing() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let record = || one.record(current, current.event().unwrap()).unwrap();
        let (start, end) = (record(), record());
        crate::fail("aclrtRecordEvent#1=after:507899");
        let end = two.record(current, end).unwrap_err().value;
        crate::nothing_fails();
        let refused = end.milliseconds_since(current, &start).unwrap_err();
        assert!(matches!(refused, Error::EventsOfTwoStreams), "{refused}");
        // An answer that says that nothing was done proves nothing either.
        let (start, refused) = (record(), record());
        crate::fail("aclrtRecordEvent#1=after:207000");
        let refused = two.record(current, refused).unwrap_err().value;
        crate::nothing_fails();
        assert!(matches!(refused.milliseconds_since(current, &start), Err(Error::EventsOfTwoStreams)));
        assert!(matches!(start.milliseconds_since(current, &refused), Err(Error::EventsOfTwoStreams)));
        // Two that are lost in the same way are not of one stream for that.
        crate::fail("aclrtRecordEvent=after:507899");
        let start = two.record(current, start).unwrap_err().value;
        crate::nothing_fails();
        assert!(matches!(end.milliseconds_since(current, &start), Err(Error::EventsOfTwoStreams)));
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, EVENT_09)]
#[test]
fn an_event_whose_next_record_was_refused_covers_what_it_covered() {
    let alone = alone();
    inside(|current| {
        let [one, two, three] = [(); 3].map(|()| current.stream().unwrap());
        let go = hold(current, &one);
        let (copy, event) = held_copy(current, &one);
        crate::fail("aclrtRecordEvent#1=107000");
        let event = two.record(current, event).unwrap_err().value;
        crate::nothing_fails();
        let copy = three.adopt_after(current, copy, &event).unwrap();
        assert!(!copy.is_complete(current).unwrap());
        go.send(()).unwrap();
        assert_eq!(*copy.wait(current).unwrap(), [7; 64]);
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, MEM_02)]
#[test]
fn swapped_halves_and_swapped_events_cover_their_own_work_only() {
    let alone = alone();
    inside(|current| {
        let [one, two, three] = [(); 3].map(|()| current.stream().unwrap());
        let (go_one, go_two) = (hold(current, &one), hold(current, &two));
        let (mut first, mut first_event) = held_copy(current, &one);
        let (mut second, mut second_event) = held_copy(current, &two);
        mem::swap(&mut first_event, &mut second_event);
        let first_back = three.adopt_after(current, first, &first_event).unwrap_err();
        let second_back = three.adopt_after(current, second, &second_event).unwrap_err();
        assert!(matches!((&first_back.error, &second_back.error), (Error::NotCovered, Error::NotCovered)));
        (first, second) = (first_back.value, second_back.value);
        mem::swap(&mut first, &mut second);
        first = three.adopt_after(current, first, &first_event).unwrap();
        second = three.adopt_after(current, second, &second_event).unwrap();
        // Joined on the third stream, a wait for it covers both.
        let both = first.join(second).unwrap();
        go_one.send(()).unwrap();
        assert!(!both.is_complete(current).unwrap());
        go_two.send(()).unwrap();
        let (first, second) = both.wait(current).unwrap();
        assert_eq!((&*first, &*second), (&[7; 64][..], &[7; 64][..]));
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, MEM_02)]
#[test]
fn work_that_was_handed_over_and_dropped_is_freed_when_both_streams_are_done() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let go = hold(current, &one);
        let (copy, event) = held_copy(current, &one);
        drop(two.adopt_after(current, copy, &event).unwrap());
        event.destroy(current).unwrap();
        collect(current);
        assert_lives!(host_blocks, 1);
        go.send(()).unwrap();
        two.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, ERR_02)]
#[test]
fn a_model_that_may_be_running_all_the_same_gives_no_memory_to_another_stream() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap().without_allocator(), current.stream().unwrap());
        let prepared = super::model(current).bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
        let go = hold(current, &one);
        crate::fail("aclmdlExecuteAsync#1=after:507899");
        let mut prepared = one.execute(current, prepared).unwrap_err().value;
        crate::nothing_fails();
        assert!(matches!(prepared.write(current, 0, &[0.0_f32; 64]), Err(Error::InDoubt { .. })));
        let refused = two.copy_to_input(current, current.host_buffer::<f32>(64).unwrap(), prepared, 0).unwrap_err();
        assert!(matches!(refused.error, Error::InDoubt { .. }), "{}", refused.error);
        go.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, ERR_02)]
#[test]
fn an_operator_that_may_be_running_all_the_same_shows_no_memory() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let relu = relu(current, current.upload_tensor(&[4], &[-1.0_f32; 4]).unwrap()).unwrap();
        let go = hold(current, &stream);
        crate::fail("aclopExecuteV2#1=after:507899");
        let operator = stream.launch(current, relu).unwrap_err().value;
        crate::nothing_fails();
        assert!(matches!(operator.tensors().0.to_vec(current), Err(Error::InDoubt { .. })));
        assert!(matches!(operator.into_tensors(current).unwrap_err().error, Error::StillRunning { .. }));
        go.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

/// What was waited for does not count, so it does not wait for the streams of others.
#[proves(STREAM_04)]
#[test]
fn an_operator_that_may_have_run_on_one_stream_runs_on_two_others_while_a_third_one_works() {
    let alone = alone();
    inside(|current| {
        let streams = [(); 3].map(|()| current.stream().unwrap().without_allocator());
        let busy = current.stream().unwrap();
        let relu = relu(current, current.upload_tensor(&[4], &[-1.0_f32; 4]).unwrap()).unwrap();
        crate::fail("aclopExecuteV2#1=after:507899,aclrtSynchronizeStreamWithTimeout#1+=507899");
        let operator = streams[0].launch(current, relu).unwrap_err().value;
        crate::nothing_fails();
        streams[0].synchronize(current).unwrap();
        let go = hold(current, &busy);
        let mut operator = streams[1].launch(current, operator).unwrap().wait(current).unwrap();
        for stream in &streams[1..] {
            operator = stream.launch(current, operator).unwrap().wait(current).unwrap();
        }
        go.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, ERR_02)]
#[test]
fn a_wait_for_earlier_work_does_not_free_what_later_work_may_use_all_the_same() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap();
        let work = stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
        stream.synchronize(current).unwrap();
        let go = hold(current, &stream);
        crate::fail("aclrtMemcpyAsync#1=after:507899");
        let host = current.host_buffer(64).unwrap();
        let (work, host) = stream.copy_to_host(current, work, host).unwrap_err().value;
        crate::nothing_fails();
        // What it did before is done, and known to be.
        let device = work.wait(current).unwrap();
        let device = device.free(current).unwrap_err();
        assert!(matches!(device.error, Error::StillRunning { .. }), "{}", device.error);
        let host = host.free(current).unwrap_err();
        assert!(matches!(host.error, Error::StillRunning { .. }), "{}", host.error);
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        device.value.free(current).unwrap();
        host.value.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, STREAM_04)]
#[test]
fn handing_earlier_work_over_does_not_free_what_later_work_may_use_all_the_same() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let work = one.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
        let event = one.record(current, current.event().unwrap()).unwrap();
        let go = hold(current, &one);
        crate::fail("aclrtMemsetAsync#1=after:507899");
        let work = one.set_bytes(current, work, 2).unwrap_err().value;
        crate::nothing_fails();
        let work = two.adopt_after(current, work, &event).unwrap();
        let refused = work.wait(current).unwrap().free(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillRunning { .. }), "{}", refused.error);
        go.send(()).unwrap();
        one.synchronize(current).unwrap();
        refused.value.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(MODEL_14, ERR_02)]
#[test]
fn a_wait_for_an_earlier_execution_does_not_unload_a_model_that_may_run_again_all_the_same() {
    let alone = alone();
    inside(|current| {
        let stream = current.stream().unwrap().without_allocator();
        let prepared = super::model(current).bind(current, &[&[1, 64]], &[&[1, 10]]).unwrap();
        let work = stream.execute(current, prepared).unwrap();
        stream.synchronize(current).unwrap();
        let go = hold(current, &stream);
        crate::fail("aclmdlExecuteAsync#1=after:507899");
        let work = stream.execute(current, work).unwrap_err().value;
        crate::nothing_fails();
        let refused = work.wait(current).unwrap().into_model(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillRunning { .. }), "{}", refused.error);
        go.send(()).unwrap();
        stream.synchronize(current).unwrap();
        refused.value.into_model(current).unwrap().unload(current).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, ERR_02)]
#[test]
fn work_that_goes_to_and_fro_between_streams_takes_no_more_memory_each_time() {
    let alone = alone();
    inside(|current| {
        let streams = [(); 2].map(|()| current.stream().unwrap());
        let [one, two] = &streams;
        let mut event = one.record(current, current.event().unwrap()).unwrap();
        let mut work = one.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
        for (from, to) in [(one, two), (two, one)].into_iter().cycle().take(40_000) {
            event = from.record(current, event).unwrap();
            work = to.adopt_after(current, work, &event).unwrap();
        }
        assert_eq!(work.wait(current).unwrap().to_vec(current).unwrap(), [1; 64]);
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, ERR_02)]
#[test]
fn work_that_visits_one_new_stream_after_another_does_not_keep_those_that_are_idle() {
    let alone = alone();
    inside(|current| {
        let mut stream = current.stream().unwrap();
        let mut event = stream.record(current, current.event().unwrap()).unwrap();
        let mut work = stream.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
        for _ in 0..20_000 {
            event = stream.record(current, event).unwrap();
            let next = current.stream().unwrap();
            work = next.adopt_after(current, work, &event).unwrap();
            stream.synchronize(current).unwrap();
            stream.destroy(current).unwrap();
            stream = next;
        }
        assert_eq!(work.wait(current).unwrap().to_vec(current).unwrap(), [1; 64]);
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, ERR_02)]
#[test]
fn work_that_is_joined_keeps_no_stream_whose_part_of_it_is_done() {
    for done_first in [true, false] {
        let alone = alone();
        inside(|current| {
            let [one, two, three] = [(); 3].map(|()| current.stream().unwrap());
            let (done, event) = held_copy(current, &one);
            let done = two.adopt_after(current, done, &event).unwrap();
            let go = hold(current, &three);
            let (held, other) = held_copy(current, &three);
            let held = two.adopt_after(current, held, &other).unwrap();
            one.synchronize(current).unwrap();
            let both = if done_first { done.join(held) } else { held.join(done) };
            let both = both.unwrap();
            event.destroy(current).unwrap();
            drop(one);
            collect(current);
            assert_lives!(streams, 2);
            go.send(()).unwrap();
            let (first, second) = both.wait(current).unwrap();
            assert_eq!((&*first, &*second), (&[7; 64][..], &[7; 64][..]));
        });
        alone.assert_nothing_lives();
    }
}

#[proves(STREAM_04, ERR_02)]
#[test]
fn work_that_is_done_keeps_no_stream_that_it_leaves() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let (copy, event) = held_copy(current, &one);
        one.synchronize(current).unwrap();
        let copy = two.adopt_after(current, copy, &event).unwrap();
        event.destroy(current).unwrap();
        drop(one);
        collect(current);
        assert_lives!(streams, 1);
        assert_eq!(*copy.wait(current).unwrap(), [7; 64]);
    });
    alone.assert_nothing_lives();
}

/// The first stream has more to do. Only a wait for the second one says that this work is over.
#[proves(STREAM_04, MEM_02)]
#[test]
fn work_that_was_handed_over_and_dropped_is_freed_when_its_second_stream_was_waited_for() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let source = current.upload(&[7_u8; 64]).unwrap();
        let copy = one.copy_to_host(current, source, current.host_buffer(64).unwrap()).unwrap();
        let event = one.record(current, current.event().unwrap()).unwrap();
        let go = hold(current, &one);
        drop(two.adopt_after(current, copy, &event).unwrap());
        two.synchronize(current).unwrap();
        collect(current);
        assert_lives!(host_blocks, 0);
        assert_lives!(device_blocks, 0);
        go.send(()).unwrap();
    });
    alone.assert_nothing_lives();
}

#[proves(STREAM_04, MEM_16)]
#[test]
fn memory_in_flight_on_another_stream_is_not_set() {
    let alone = alone();
    inside(|current| {
        let (one, two) = (current.stream().unwrap(), current.stream().unwrap());
        let go = hold(current, &one);
        let work = one.set_bytes(current, current.device_buffer::<u8>(64).unwrap(), 1).unwrap();
        let refused = two.set_bytes(current, work, 2).unwrap_err();
        assert!(matches!(refused.error, Error::OtherStream { .. }), "{}", refused.error);
        go.send(()).unwrap();
        assert_eq!(refused.value.wait(current).unwrap().to_vec(current).unwrap(), [1; 64]);
    });
    alone.assert_nothing_lives();
}
