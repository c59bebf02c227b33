//! Memory that another stream adopts, events that cover work, and waits for more than one stream.

use super::*;

#[proves(MEM_02, STREAM_04)]
#[test]
fn memory_that_another_stream_took_over_is_idle_only_when_that_stream_was_waited_for_afterwards() {
    of_three_threads(|| {
        let (stream, other) = (Arc::new(Stream::new(STREAM)), Arc::new(Stream::new(OTHER)));
        let row = counted::Arc::new(LastUse::of(CONTEXT));
        let first = stream.submit(&row);
        let takes_over = {
            let (other, handle) = (Arc::clone(&other), row.clone());
            thread::spawn(move || {
                // As `StreamOps::adopt_after` does it: the other stream waits for an event behind the work.
                other.submit(&LastUse::of(CONTEXT));
                handle.follow(OTHER, other.timeline.clock().last_submitted());
                drop(handle);
            })
        };
        let waits = {
            let (stream, other) = (Arc::clone(&stream), Arc::clone(&other));
            thread::spawn(move || {
                let wait = || {
                    if other.queued.load(Ordering::Acquire) > 0 {
                        // The event is complete, and so is the work before it.
                        stream.complete.fetch_max(first, Ordering::AcqRel);
                    }
                    Ok::<(), i32>(())
                };
                other.timeline.wait(None, wait, |code| Some(*code), || false, || || false).unwrap();
            })
        };
        for row in unreferenced([&row].into_iter()) {
            let has_done = |stream, number| {
                assert_eq!(stream, OTHER);
                other.timeline.clock().has_done(number)
            };
            let idle = row.is_over(has_done, || panic!("one stream"));
            assert!(!idle || stream.complete.load(Ordering::Acquire) >= first, "idle memory is in use");
        }
        takes_over.join().unwrap();
        waits.join().unwrap();
    });
}

#[proves(STREAM_04, EVENT_05)]
#[test]
fn an_event_covers_nothing_that_another_thread_queued_behind_it() {
    loom::model(|| {
        let (stream, nothing) = (Arc::new(Stream::new(STREAM)), Arc::new(LastUse::of(CONTEXT)));
        let queues = with(&stream, &nothing, |stream, nothing| {
            let mut place = 0;
            let mut call = || {
                place = stream.queued.fetch_add(1, Ordering::AcqRel) + 1;
                Ok::<(), i32>(())
            };
            // As `Pending::new` does it: the number that the submission got.
            let number = submitted!(&stream.timeline, Unknown, [nothing], call(), |code, _| (code, true)).unwrap();
            place << 32 | number
        });
        // As `RawEvent::record` does it, on a default stream that both threads see.
        let before = stream.timeline.clock().last_submitted();
        let record = stream.submit_among_others(&LastUse::of(CONTEXT));
        let both = queues.join().unwrap();
        let (place, number) = (both >> 32, both & 0xffff_ffff);
        assert!(number > before || place < record, "work behind the event counts as covered");
    });
}

/// The library may have told the failure to a wait for the stream, which has not noted it when the other wait returns.
#[proves(ERR_02)]
#[test]
fn a_wait_for_the_whole_context_leaves_no_failed_work_that_counts_as_done() {
    loom::model(|| {
        let (stream, used) = (Arc::new(Stream::new(STREAM)), Arc::new(LastUse::of(CONTEXT)));
        let number = stream.submit(&used);
        stream.failure.store(true, Ordering::Release);
        let waits_for_the_stream = with(&stream, &used, |stream, _| stream.synchronize().is_err().into());
        // As `RawStream::wait_for_context` does it, for one of its streams.
        let covers = stream.timeline.covers();
        stream.complete.fetch_max(number, Ordering::AcqRel);
        let is_told = stream.failure.swap(false, Ordering::AcqRel);
        if is_told {
            stream.timeline.failed(covers, None, FAILED);
        } else {
            stream.timeline.succeeded_among(covers, || stream.gate.inside() > 0);
        }
        assert!(is_told || stream.timeline.clock().has_done(number));
        assert_eq!(stream.timeline.failure_among(number, number), Some(FAILED), "failed work counts as done");
        assert_eq!(waits_for_the_stream.join().unwrap() == 1, !is_told);
    });
}
