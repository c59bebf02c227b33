//! Events that link a graph with streams outside of it.

use crate::graphs::captured;
use crate::support::*;

fn waitable() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    ok!(aclrtCreateEventExWithFlag(&mut event, ACL_EVENT_SYNC));
    event
}

#[test]
fn an_external_event_was_not_recorded_before_and_has_one_part_in_a_graph() {
    let (record, wait) = (ACL_EVENT_RECORD_EXTERNAL, ACL_EVENT_WAIT_EXTERNAL);
    // In the repaired program the record comes after the first external use.
    breaks_without(rules::EVENT_12, |in_order| {
        let (captures, outside, event) = (stream(), stream(), waitable());
        if !in_order {
            ok!(aclrtRecordEvent(event, outside));
        }
        captured(captures, || {
            let code = acl!(aclrtStreamWaitEventWithFlag(captures, event, 0, wait));
            assert_eq!(code == ACL_SUCCESS, in_order);
        });
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
