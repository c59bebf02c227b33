//! Submission numbers that are known before a call, and those that are not.

use super::*;

const NOTHING: [&LastUse; 0] = [];

#[proves(MEM_02)]
#[test]
fn two_threads_that_queue_on_one_stream_get_a_number_each() {
    loom::model(|| {
        let (stream, mine, yours) =
            (Arc::new(Stream::new(STREAM)), LastUse::of(CONTEXT), Arc::new(LastUse::of(CONTEXT)));
        let submits = with(&stream, &yours, Stream::submit_among_others);
        let my_place = stream.submit_among_others(&mine);
        stream.synchronize().unwrap();
        let is_complete = |place| stream.complete.load(Ordering::Acquire) >= place;
        assert!(!stream.calls_idle(&mine) || is_complete(my_place), "idle memory is in use");
        let their_place = submits.join().unwrap();
        assert!(!stream.calls_idle(&yours) || is_complete(their_place), "idle memory is in use");
        stream.synchronize().unwrap();
        assert!(stream.calls_idle(&mine) && stream.calls_idle(&yours));
    });
}

#[proves(MEM_02)]
#[test]
fn a_number_is_known_only_where_no_other_stream_may_be_using_any_of_the_memory() {
    loom::model(|| {
        let (stream, other) = (Stream::new(STREAM), Stream::new(OTHER));
        let [new, own, of_another] = [(); 3].map(|()| LastUse::of(CONTEXT));
        stream.submit(&own);
        other.submit(&of_another);
        let is_known = |uses: [&LastUse; 2]| stream.timeline.next_for(Obstacles::NONE, uses).is_some();
        assert!(is_known([&new, &own]) && is_known([&own, &new]));
        assert!(!is_known([&own, &of_another]) && !is_known([&of_another, &own]));
        of_another.mark_idle();
        assert!(is_known([&own, &of_another]));
    });
}

#[proves(MEM_02)]
#[test]
fn a_call_that_runs_code_which_queues_work_and_waits_is_not_covered_by_that_wait() {
    loom::model(|| {
        let (stream, used, within) = (Stream::new(STREAM), LastUse::of(CONTEXT), LastUse::of(CONTEXT));
        let call = || {
            stream.submit(&within);
            stream.synchronize().unwrap();
            stream.queued.fetch_add(1, Ordering::AcqRel);
            Ok(())
        };
        assert_eq!(stream.queue_by(Unknown, &used, call, true), Ok(2));
        assert!(stream.calls_idle(&within) && !stream.calls_idle(&used), "idle memory is in use");
        stream.submit(&within);
        assert!(!stream.calls_idle(&within), "two submissions have one number");
        stream.synchronize().unwrap();
        assert!(stream.calls_idle(&used) && stream.calls_idle(&within));
    });
}

#[proves(MEM_02)]
#[test]
fn work_that_is_queued_while_a_failure_is_told_keeps_its_number() {
    loom::model(|| {
        let (stream, used, within) = (Stream::new(STREAM), LastUse::of(CONTEXT), LastUse::of(CONTEXT));
        // Code of the program hears of the failure before the call counts.
        let call = || {
            let _places = [(); 2].map(|()| stream.submit(&within));
            stream.synchronize().unwrap();
            Err(FAILED)
        };
        assert_eq!(
            stream.queue_by(stream.timeline.next_for(Obstacles::NONE, [&used]).unwrap(), &used, call, false),
            Err(FAILED)
        );
        stream.submit(&within);
        assert!(!stream.calls_idle(&within), "two submissions have one number");
        stream.synchronize().unwrap();
        assert!(stream.calls_idle(&within));
    });
}

/// A record of an event, for example.
#[proves(MEM_02)]
#[test]
fn work_without_memory_is_counted_among_the_work_around_it() {
    loom::model(|| {
        let (stream, used) = (Arc::new(Stream::new(STREAM)), Arc::new(LastUse::of(CONTEXT)));
        let waits = with(&stream, &used, |stream, _| stream.synchronize().map_or(1, |()| 0));
        let queue = |answer: Result<(), i32>| {
            let timeline = &stream.timeline;
            let ticket = timeline.next_for(Obstacles::NONE, []).unwrap();
            let call = || {
                stream.queued.fetch_add(1, Ordering::AcqRel);
                answer
            };
            submitted!(timeline, ticket, NOTHING, call(), |code, number| ((code, number), true))
        };
        assert_eq!(queue(Ok(())), Ok(1));
        let place = stream.submit(&used);
        assert_eq!(queue(Err(FAILED)), Err((FAILED, 3)));
        let is_complete = || stream.complete.load(Ordering::Acquire) >= place;
        assert!(!stream.calls_idle(&used) || is_complete(), "idle memory is in use");
        assert_eq!(queue(Ok(())), Ok(4));
        waits.join().unwrap();
        assert!(!stream.calls_idle(&used) || is_complete(), "idle memory is in use");
        stream.synchronize().unwrap();
        assert!(stream.calls_idle(&used));
    });
}

#[proves(MEM_02)]
#[test]
fn of_two_waits_that_end_in_the_other_order_the_later_counts() {
    // Two waits have as many steps as programs of three threads.
    of_three_threads(|| {
        let (stream, used) = (Arc::new(Stream::new(STREAM)), Arc::new(LastUse::of(CONTEXT)));
        stream.submit(&used);
        let waits = with(&stream, &used, |stream, _| stream.synchronize().map_or(1, |()| 0));
        stream.submit(&used);
        stream.synchronize().unwrap();
        waits.join().unwrap();
        assert!(stream.calls_idle(&used), "what a wait has covered is not done any more");
    });
}
