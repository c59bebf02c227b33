//! One object or one piece of memory that several pieces of work use, each by a value of its own.

use super::*;
use crate::common::assert_lives;

/// One more value that shows the same object.
fn another(counter: &Counter) -> Counter {
    Counter { mark: Arc::clone(&counter.mark), memory: counter.memory.clone() }
}

#[proves(MEM_02, STREAM_04)]
#[test]
fn a_wait_for_one_piece_of_work_does_not_end_the_use_by_another() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let counter = Counter::new(current);
        let mark = Arc::clone(&counter.mark);
        let (other, third) = (another(&counter), another(&counter));
        let short = counted(current, &first, counter, |_| Ok(())).unwrap();
        let release = hold(current, &second);
        let long = counted(current, &second, other, |_| Ok(())).unwrap();
        short.wait(current).unwrap();
        assert!(!mark.is_over(current), "the second stream uses it");
        release.send(()).unwrap();
        long.wait(current).unwrap();
        assert!(mark.is_over(current));
        // On one stream, where a wait for the first covers the first only.
        let short = counted(current, &first, third, |_| Ok(())).unwrap();
        first.synchronize(current).unwrap();
        let release = hold(current, &first);
        let last = Counter { mark: Arc::clone(&mark), memory: Vec::new() };
        mem::forget(counted(current, &first, last, |_| Ok(())));
        short.wait(current).unwrap();
        assert!(!mark.is_over(current), "the forgotten work uses it");
        release.send(()).unwrap();
        first.synchronize(current).unwrap();
        assert!(mark.is_over(current));
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, STREAM_04)]
#[test]
fn work_that_another_stream_takes_over_does_not_hide_other_work_with_the_object() {
    let alone = alone();
    inside(|current| {
        let streams = [(); 3].map(|()| current.stream().unwrap());
        let [first, second, third] = &streams;
        let counter = Counter::new(current);
        let (mark, other) = (Arc::clone(&counter.mark), another(&counter));
        let release = hold(current, second);
        mem::forget(counted(current, second, other, |_| Ok(())));
        let work = counted(current, first, counter, |_| Ok(())).unwrap();
        let event = first.record(current, current.event().unwrap()).map_err(Error::from).unwrap();
        let work = third.adopt_after(current, work, &event).map_err(Error::from).unwrap();
        work.wait(current).unwrap();
        assert!(!mark.is_over(current), "the second stream uses it");
        release.send(()).unwrap();
        second.synchronize(current).unwrap();
        assert!(mark.is_over(current), "the third stream has done what the first one had");
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02, STREAM_04)]
#[test]
fn a_wait_for_the_stream_that_took_work_over_ends_its_use_of_the_object() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let counter = Counter::new(current);
        let mark = Arc::clone(&counter.mark);
        let work = counted(current, &first, counter, |_| Ok(())).unwrap();
        let event = first.record(current, current.event().unwrap()).map_err(Error::from).unwrap();
        drop(second.adopt_after(current, work, &event).map_err(Error::from).unwrap());
        assert!(!mark.is_over(current));
        second.synchronize(current).unwrap();
        assert!(mark.is_over(current), "the second stream has waited for the first one");
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn work_within_the_call_of_other_work_ends_no_use_of_the_object() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let counter = Counter::new(current);
        let (mark, other) = (Arc::clone(&counter.mark), another(&counter));
        let within = |_| {
            // The first call may have queued work by now.
            counted(current, &second, other, |_| Ok(())).unwrap().wait(current).unwrap();
            assert!(!mark.is_over(current), "the first call is under way");
            Ok(())
        };
        counted(current, &first, counter, within).unwrap().wait(current).unwrap();
        assert!(mark.is_over(current));
    });
    alone.assert_nothing_lives();
}

#[proves(MEM_02)]
#[test]
fn memory_that_work_on_two_streams_uses_is_kept_for_both_and_one_doubt_shuts_it() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let kept = current.upload(&[1_u8; 64]).unwrap().keep();
        let with = || Counter { mark: Arc::new(LastUse::never(current)), memory: vec![kept.clone()] };
        let (own, other, last) = (with(), with(), with());
        drop(counted(current, &first, own, |_| Ok(())).unwrap().wait(current).unwrap());
        let release = hold(current, &second);
        let lost = counted(current, &second, other, |_| Err(Refused("lost").into())).unwrap_err();
        drop(lost.value);
        let refused = counted(current, &first, last, |_| unreachable!()).unwrap_err();
        assert!(matches!(refused.error, Error::InDoubt { .. }), "{refused}");
        drop((refused, kept));
        collect(current);
        assert_lives!(device_blocks, 1, "the second stream may use the memory");
        release.send(()).unwrap();
        second.synchronize(current).unwrap();
        collect(current);
        assert_lives!(device_blocks, 0);
    });
    alone.assert_nothing_lives();
}

/// Nothing of the object is queued on the stream that takes the work over.
#[proves(MEM_02, STREAM_04)]
#[test]
fn an_object_whose_work_is_over_is_not_in_use_by_the_stream_that_takes_it_over() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let counter = Counter::new(current);
        let mark = Arc::clone(&counter.mark);
        let work = counted(current, &first, counter, |_| Ok(())).unwrap();
        first.synchronize(current).unwrap();
        assert!(mark.is_over(current));
        let event = first.record(current, current.event().unwrap()).map_err(Error::from).unwrap();
        let release = hold(current, &second);
        let work = second.adopt_after(current, work, &event).map_err(Error::from).unwrap();
        assert!(mark.is_over(current));
        release.send(()).unwrap();
        work.wait(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// A call that failed may have queued work with the object. Work that another stream takes over does not cover it.
#[proves(MEM_02, STREAM_04)]
#[test]
fn an_object_that_failed_work_may_use_is_in_use_until_its_own_stream_was_waited_for() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let (counter, later) = (Counter::new(current), Counter::new(current));
        let (mark, other) = (Arc::clone(&counter.mark), another(&counter));
        let work = counted(current, &first, counter, |_| Ok(())).unwrap();
        crate::fail("aclrtSynchronizeStreamWithTimeout=507046");
        drop(counted(current, &first, other, |_| Err(Refused("lost").into())).unwrap_err());
        crate::nothing_fails();
        let last = counted(current, &first, later, |_| Ok(())).unwrap();
        let event = first.record(current, current.event().unwrap()).map_err(Error::from).unwrap();
        let both = work.join(last).unwrap();
        let both = second.adopt_after(current, both, &event).map_err(Error::from).unwrap();
        second.synchronize(current).unwrap();
        assert!(!mark.is_over(current), "the failed call may have queued work on the first stream");
        first.synchronize(current).unwrap();
        assert!(mark.is_over(current));
        drop(both);
    });
    alone.assert_nothing_lives();
}

/// A buffer of this crate that another stream has taken over, and was waited for there, can be freed: so can this memory.
#[proves(MEM_02, STREAM_04)]
#[test]
fn memory_of_work_that_another_stream_took_over_is_free_when_that_stream_was_waited_for() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let tensor = current.upload_tensor(&[16], &[1_u32; 16]).unwrap();
        let described = tensors(current, &tensor).unwrap();
        let memory = described.into_iter().flatten().map(|tensor| tensor.memory).collect();
        let counter = Counter { mark: Arc::new(LastUse::never(current)), memory };
        let work = counted(current, &first, counter, |_| Ok(())).unwrap();
        let event = first.record(current, current.event().unwrap()).map_err(Error::from).unwrap();
        let work = second.adopt_after(current, work, &event).map_err(Error::from).unwrap();
        // Its own stream goes on.
        let release = hold(current, &first);
        let counter = work.wait(current).unwrap();
        assert!(counter.mark.is_over(current));
        tensor.free(current).unwrap();
        drop(counter);
        release.send(()).unwrap();
        first.synchronize(current).unwrap();
    });
    alone.assert_nothing_lives();
}

/// Other work of the first stream, which nobody has taken over, goes on with the same memory.
#[proves(MEM_02, STREAM_04)]
#[test]
fn memory_of_work_that_another_stream_took_over_stays_in_use_by_other_work_with_it() {
    let alone = alone();
    inside(|current| {
        let (first, second) = (current.stream().unwrap(), current.stream().unwrap());
        let tensor = current.upload_tensor(&[16], &[1_u32; 16]).unwrap();
        let described = tensors(current, &tensor).unwrap();
        let memory = described.into_iter().flatten().map(|tensor| tensor.memory).collect();
        let counter = Counter { mark: Arc::new(LastUse::never(current)), memory };
        let other = another(&counter);
        let work = counted(current, &first, counter, |_| Ok(())).unwrap();
        let event = first.record(current, current.event().unwrap()).map_err(Error::from).unwrap();
        let release = hold(current, &first);
        mem::forget(counted(current, &first, other, |_| Ok(())));
        let work = second.adopt_after(current, work, &event).map_err(Error::from).unwrap();
        drop(work.wait(current).unwrap());
        let refused = tensor.free(current).unwrap_err();
        assert!(matches!(refused.error, Error::StillRunning { .. }), "{refused}");
        release.send(()).unwrap();
        first.synchronize(current).unwrap();
        refused.value.free(current).unwrap();
    });
    alone.assert_nothing_lives();
}
