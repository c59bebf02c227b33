//! What is known of other streams after the work of a stream was discarded.

use super::support::*;
use ascendcl_rules::*;

#[test]
fn a_stream_that_was_aborted_knows_nothing_of_what_it_waited_for() {
    let run = |then: &dyn Fn(&mut Program, [Object; 2], Object)| {
        broken(|p| {
            let (m, host, a, b, event) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream(), p.mark());
            p.copy(m, host, a);
            p.record(event, a);
            p.wait(b, event);
            then(p, [a, b], event);
            p.copy(host, m, b);
            p.sync(b);
            p.sync(a);
        })
    };
    let abort = |p: &mut Program, stream: Object| p.call("aclrtStreamAbort", stream, Op::Abort);
    assert_eq!(run(&|_, _, _| ()), []);
    assert_eq!(run(&|p, [_, b], _| abort(p, b)), [STREAM_04]);
    let waits_again = |p: &mut Program, [_, b]: [Object; 2], event: Object| {
        abort(p, b);
        p.wait(b, event);
    };
    assert_eq!(run(&waits_again), []);
    let synced = |first: bool| {
        move |p: &mut Program, [a, b]: [Object; 2], _: Object| {
            p.sync(if first { a } else { b });
            abort(p, b);
        }
    };
    assert_eq!(run(&synced(true)), []);
    assert_eq!(run(&synced(false)), [], "the wait was over before");
    let fenced = |p: &mut Program, [_, b]: [Object; 2], _: Object| {
        p.fence(b);
        abort(p, b);
    };
    assert_eq!(run(&fenced), [], "what it waited for may have told the program");
    let freed = broken(|p| {
        let (m, host, a, b, event) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream(), p.mark());
        p.copy(m, host, a);
        p.record(event, a);
        p.wait(b, event);
        abort(p, b);
        p.sync(b);
        p.free(m);
    });
    assert_eq!(freed, [MEM_02], "the wait for the stream is none for the other one");
}

#[test]
fn a_wait_for_a_record_to_come_is_discarded_with_its_stream() {
    let run = |aborts: bool| {
        broken(|p| {
            let (m, host, a, b, event) = (p.malloc(64), p.malloc_host(64), p.stream(), p.stream(), p.mark());
            p.wait(b, event);
            if aborts {
                p.call("aclrtStreamAbort", b, Op::Abort);
            }
            p.copy(m, host, a);
            p.record(event, a);
            p.copy(host, m, b);
        })
    };
    assert_eq!(run(false).len(), 1, "the wait comes before the record");
    let aborted = run(true);
    assert!(aborted.len() == 2 && aborted[1] == STREAM_04, "{aborted:?}");
}
