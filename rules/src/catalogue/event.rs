//! Events.

rules! {
    ($) EVENT doc_event {
        EVENT_01 = "EVENT-01" {
            text: "Events from plain aclrtCreateEvent must not be reset.",
            misuse: "aclrtResetEvent on such an event",
            consequence: "undefined",
            source: "aclrtCreateEvent, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "Programs cannot reset events. A build resets its own, which have the flag for waits.",
        }
        EVENT_02 = "EVENT-02" {
            text: "Without the sync flag an event cannot be used for stream waits or reset.",
            misuse: "timing-only event in aclrtStreamWaitEvent",
            consequence: "ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000 (measured)",
            source: "aclrtCreateEventWithFlag, constraints; measured",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: Compile,
            means: "The kind of an event is in its type. A wait of a stream takes an event of a kind that `SyncKind`; \
                programs cannot reset events, and those that a build resets have the flag.",
        }
        EVENT_03 = "EVENT-03" {
            text: "Ex events reject reset, the old query call and wait-status queries; IPC and external flags stand \
                alone.",
            misuse: "aclrtResetEvent on an Ex event",
            consequence: "error",
            source: "aclrtCreateEventExWithFlag, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "Ex events order the branches of a capture, and no handle leads to them. The crate calls none of \
                the functions that they reject: the events that a build resets are others.",
        }
        EVENT_04 = "EVENT-04" {
            text: "Elapsed time needs two timing-enabled events recorded in order on the same stream and a stream \
                synchronise before asking.",
            misuse: "asking before synchronise",
            consequence: "107006 without timing; 107007 and 507006 by the manual; measured: 507000 for an event that \
                was never recorded, and 0 with a time of 0 or less in the wrong order",
            source: "aclrtEventElapsedTime; 107006, 107007, 507006; measured",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: RunTime,
            means: "`Event::milliseconds_since` takes two recorded events of kinds that have a time, refuses events of two streams, and waits \
                for both before it asks. For events in the wrong order it returns the library's refusal as an \
                `Error::Vendor`, or the library's time, which is 0 or negative.",
        }
        EVENT_05 = "EVENT-05" {
            text: "Waiting is only meaningful on an event already recorded; an Ex event never recorded counts as \
                complete, so the wait does nothing.",
            misuse: "StreamWaitEvent before RecordEvent",
            consequence: "missing dependency, data race. Measured for plain events: the stream's wait is refused with \
                107000, the host's wait returns at once",
            source: "aclrtRecordEvent / aclrtStreamWaitEvent; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "An `Event` is `Unrecorded` until `Stream::record`. Waiting needs a `Recorded` event.",
        }
        EVENT_06 = "EVENT-06" {
            text: "An event may be destroyed before it completes, but not while another call uses it, and only once.",
            misuse: "destroy concurrently with a wait",
            consequence: "undefined; a second destroy answers ACL_ERROR_RT_INVALID_HANDLE 107017 (measured)",
            source: "aclrtDestroyEvent; measured",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: ByConstruction,
            means: "`Event::destroy` takes the event by value. A gate delays the call until every other call has \
                left the event.",
        }
        EVENT_07 = "EVENT-07" {
            text: "Record and wait need event and stream on the same device.",
            misuse: "event of device 0 on a stream of device 1",
            consequence: "call fails",
            source: "developer guide on several devices",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "The event, the stream and the `Current` of a call belong to one context, and so to one device. \
                `Stream::wait_across_contexts` compares the devices before it calls the library.",
        }
        EVENT_08 = "EVENT-08" {
            text: "Events per device are limited (65536, 1023 on Atlas inference, 65535 on Atlas training) and a \
                record may block until one is free.",
            misuse: "an event per tiny task without reuse",
            consequence: "ACL_ERROR_RT_NO_EVENT_RESOURCE 207007 or blocking",
            source: "aclrtCreateEvent*, limits; 207007",
            pages: [],
            basis: "doc",
            priority: 2,
            class: RunTime,
            means: "The library's refusal (207007) is an `Error::Vendor` that names this rule. `Current::collect` \
                destroys events that no handle names.",
            hole: "The crate cannot see that a record blocks until an event is free.",
        }
        EVENT_09 = "EVENT-09" {
            text: "Recording again replaces what the event captured; waits issued later see the newest record.",
            misuse: "recording in a loop while another thread waits on 'the first' one",
            consequence: "waits on the wrong point",
            source: "aclrtRecordEvent (Ex events)",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "`Stream::record` takes the event by value, so no other code can start to wait for the older \
                record.",
        }
        EVENT_10 = "EVENT-10" {
            text: "Resetting an event that several streams wait on can leave the others waiting forever.",
            misuse: "reset after the first of two waits",
            consequence: "hang",
            source: "aclrtResetEvent, warning",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "Programs cannot reset events. An event of a build has one wait, and the stream that waits resets it \
                behind the wait (`Capture::branch`).",
        }
        EVENT_11 = "EVENT-11" {
            text: "Timeout units and sentinels differ per call (-1 or >0 ms, 0 = never in seconds) and the \
                process-wide wait timeout is last-wins.",
            misuse: "passing milliseconds where seconds are expected",
            consequence: "premature timeout or hang",
            source: "aclrtSynchronizeEventWithTimeout, aclrtSetOpWaitTimeout",
            pages: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "Limits are `Duration`s, rounded up to whole milliseconds. There is no API for the process-wide \
                limit.",
        }
        EVENT_12 = "EVENT-12" {
            text: "External record/wait only work on capturing streams with Ex sync events that aclrtRecordEvent has not \
                recorded before their first external use, and one graph does not both record and wait for an event.",
            misuse: "external record outside capture, or of an event that was recorded",
            consequence: "error",
            source: "aclrtRecordEventWithFlag / StreamWaitEventWithFlag",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "External events cannot be recorded.",
        }
    }
}
