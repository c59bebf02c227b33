//! Events that link a graph with streams outside of it.

use crate::graphs::captured;
use crate::support::*;
use std::cell::Cell;

fn waitable() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_SYNC));
    event
}

#[test]
fn an_external_event_was_not_recorded_before_and_has_one_part_in_a_graph() {
    let (record, wait) = (ACL_EVENT_RECORD_EXTERNAL, ACL_EVENT_WAIT_EXTERNAL);
    // In the repaired program the record comes after the first external use. The library takes both orders.
    breaks_without(rules::EVENT_12, |in_order| {
        let (captures, outside, event) = (stream(), stream(), waitable());
        if !in_order {
            ok!(aclrtRecordEvent(event, outside));
        }
        captured(captures, || ok!(aclrtStreamWaitEventWithFlag(captures, event, 0, wait)));
        if in_order {
            ok!(aclrtRecordEvent(event, outside));
            captured(captures, || ok!(aclrtStreamWaitEventWithFlag(captures, event, 0, wait)));
        }
    });
    // The library takes both, and the manual excludes them.
    for record_first in [true, false] {
        breaks_without(rules::EVENT_12, |two_graphs| {
            let (captures, event) = (stream(), waitable());
            let records = || ok!(aclrtRecordEventWithFlag(event, captures, record));
            let waits = || ok!(aclrtStreamWaitEventWithFlag(captures, event, 0, wait));
            let (first, second): (&dyn Fn(), &dyn Fn()) =
                if record_first { (&records, &waits) } else { (&waits, &records) };
            if two_graphs {
                captured(captures, first);
                captured(captures, second);
            } else {
                captured(captures, || {
                    first();
                    second();
                });
            }
        });
    }
}

/// The library refuses the second kind.
#[test]
fn an_event_has_one_kind_of_records_and_one_kind_of_waits() {
    let (record, wait) = (ACL_EVENT_RECORD_EXTERNAL, ACL_EVENT_WAIT_EXTERNAL);
    for outward_first in [true, false] {
        for records in [true, false] {
            breaks_without(rules::EVENT_12, |of_one_kind| {
                let (captures, outside, event, other) = (stream(), stream(), waitable(), waitable());
                let second = if of_one_kind { other } else { event };
                let outward = |event| match records {
                    true => acl!(aclrtRecordEventWithFlag(event, captures, record)),
                    false => acl!(aclrtStreamWaitEventWithFlag(captures, event, 0, wait)),
                };
                let ordinary = |event| match records {
                    true => acl!(aclrtRecordEvent(event, outside)),
                    false => {
                        ok!(aclrtRecordEvent(event, outside));
                        acl!(aclrtStreamWaitEvent(outside, event))
                    }
                };
                if !outward_first {
                    assert_eq!(ordinary(event), ACL_SUCCESS);
                }
                let code = Cell::new(0);
                captured(captures, || code.set(outward(if outward_first { event } else { second })));
                if outward_first {
                    assert_eq!(code.replace(ordinary(second)), ACL_SUCCESS);
                }
                assert_eq!(code.get() == ACL_SUCCESS, of_one_kind);
            });
        }
    }
}
