//! Streams.

rules! {
    ($) STREAM doc_stream {
        STREAM_01 = "STREAM-01" {
            text: "Every explicitly created stream needs exactly one destroy call; if none was created there is \
                nothing to destroy.",
            misuse: "leaking streams from create_stream, or destroying a stream never created",
            consequence: "resource leak; error",
            source: "stream deallocation, runtime resource page",
            pages: [ResourcesInPython, ResourcesInC],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "The ledger keeps a row for each stream until the library has destroyed it. `Stream::destroy`, \
                `Current::collect` or the end of the scope destroys it once.",
        }
        STREAM_02 = "STREAM-02" {
            text: "The default stream cannot be destroyed with aclrtDestroyStream. The Python page on acquiring and \
                releasing runtime resources states the opposite.",
            misuse: "destroy_stream(0) or destroying the queried default stream",
            consequence: "NULL is refused with ACL_ERROR_INVALID_PARAM 100000; for the handle of the queried default \
                stream the call answers 0 (both measured)",
            source: "default stream; aclrtDestroyStream; measured",
            pages: [ResourcesInPython, ResourcesInC],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "`DefaultStream` has no method that destroys it, and its row never reaches `aclrtDestroyStream`.",
        }
        STREAM_03 = "STREAM-03" {
            text: "Passing NULL (0 in pyACL) as the stream argument selects the default stream of the thread's current \
                context.",
            misuse: "passing an uninitialised stream handle expecting an error",
            consequence: "work silently goes to the default stream",
            source: "default stream as argument",
            pages: [ResourcesInPython, ResourcesInC],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "A `Stream` comes from `aclrtCreateStream`. `Current::default_stream` is the only way to the null \
                stream.",
        }
        STREAM_04 = "STREAM-04" {
            text: "Asynchronous tasks on one stream run in the order they were issued; nothing is guaranteed between \
                streams.",
            misuse: "kernel on stream B reads what a copy on stream A writes, no event",
            consequence: "data race on the device",
            source: "stream ordering",
            pages: [ResourcesInPython, ResourcesInC],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Buffers and models are in flight with their work. More work on the same stream takes them \
                directly. Another stream takes them after a wait, or with `Stream::adopt_after` and an event that \
                covers the work.",
        }
        STREAM_05 = "STREAM-05" {
            text: "All tasks must have finished (synchronise) before a stream is destroyed.",
            misuse: "destroy immediately after async work whose buffers are then freed",
            consequence: "vendor requires sync; destroy also waits for pending tasks",
            source: "aclrtDestroyStream, constraints",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "`Stream::destroy`, `Current::collect` and the end of a scope synchronise the stream first. A \
                stream that cannot be synchronised is not destroyed.",
        }
        STREAM_06 = "STREAM-06" {
            text: "The stream's own context must be current when it is destroyed.",
            misuse: "destroying from a thread with another context",
            consequence: "ACL_ERROR_RT_STREAM_CONTEXT 107003 (measured): the stream is leaked",
            source: "aclrtDestroyStream / aclrtDestroyStreamForce, constraints; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "`Stream::destroy` takes a `Current` of the stream's own context. `Current::collect` and the end \
                of the scope also destroy in that context.",
        }
        STREAM_07 = "STREAM-07" {
            text: "No other call may be using the stream while it is destroyed.",
            misuse: "one thread destroys, another enqueues",
            consequence: "undefined / 200005",
            source: "aclrtDestroyStream, constraints",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "`Stream::destroy` takes the handle by value. A gate delays the call until every wait of another \
                thread has left the stream.",
        }
        STREAM_08 = "STREAM-08" {
            text: "A stream must not be used or destroyed again after it was destroyed.",
            misuse: "double destroy",
            consequence: "ACL_ERROR_RT_INVALID_HANDLE 107017; a pointer that never was a stream crashes (both \
                measured)",
            source: "ACL_ERROR_INVALID_RESOURCE_HANDLE, 107017; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "`Stream::destroy` takes the stream by value. A wait that another handle begins later meets a \
                closed gate: it does not reach the library, and answers `Ok`, because no work is left.",
        }
        STREAM_09 = "STREAM-09" {
            text: "Enqueueing on a stream (kernel, async copy or set, event record or wait, callback, reduce, model, \
                abort) requires the stream's context to be the current one.",
            misuse: "launch on stream of ctx A while ctx B is current",
            consequence: "ACL_ERROR_RT_STREAM_CONTEXT 107003. Measured: waiting and asking for the state answer 0",
            source: "error 107003; developer guide on several devices; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "The stream, the event, the buffers and the `Current` of a call share one invariant brand, that \
                of their context.",
        }
        STREAM_10 = "STREAM-10" {
            text: "A stream created on one device cannot be used while another device is current.",
            misuse: "create s0 on device 0, set_device(1), launch on s0",
            consequence: "launch fails",
            source: "developer guide on several devices",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A stream is used with a `Current` of its own context. While that context is current, so is its \
                device.",
        }
        STREAM_11 = "STREAM-11" {
            text: "The number of streams per device is limited and includes default streams: 1984 (950/A3/A2), 512 \
                (200I/500 A2), 1024 (Atlas inference), 2048 (Atlas training).",
            misuse: "creating a stream per request",
            consequence: "ACL_ERROR_RT_NO_STREAM_RESOURCE 207008",
            source: "aclrtCreateStream, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: RunTime,
            means: "The library's refusal (207008) is an `Error::Vendor` that names this rule. `Current::collect` \
                destroys streams that no handle names.",
        }
        STREAM_12 = "STREAM-12" {
            text: "Default streams do not synchronise implicitly with explicit streams.",
            misuse: "relying on CUDA-style legacy default stream ordering",
            consequence: "data race",
            source: "developer guide on streams and callbacks",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "Objects used by work on the default stream are in flight until that work was waited for, as on \
                any other stream.",
        }
        STREAM_13 = "STREAM-13" {
            text: "StreamOps on a persistent stream do not run when issued; synchronise returns success at once, query \
                means nothing, and the stream exists to be bound to a model instance.",
            misuse: "waiting on a persistent stream and then reading results",
            consequence: "stale data",
            source: "ACL_STREAM_PERSISTENT",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "A persistent stream belongs to a graph that is built task by task (`Current::build_graph`), and no \
                handle leads to it: nobody waits for it or queries it. `Current::collect` and the end of the scope do \
                not wait for it either.",
        }
        STREAM_14 = "STREAM-14" {
            text: "Flags that may not be combined are rejected, unsupported products reject device-only streams, and \
                the priority argument is documented as reserved.",
            misuse: "PERSISTENT | DEVICE_USE_ONLY by integer OR",
            consequence: "error",
            source: "aclrtCreateStreamWithConfig",
            pages: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "`StreamOptions` has only flags that may be combined. What the library refuses on a product is an \
                `Error::Vendor` that names the priority and the flags.",
        }
        STREAM_15 = "STREAM-15" {
            text: "The failure mode may be set once per stream, spreads stop-on-error to all streams of the context, \
                is not accepted for the default stream on 200I/500 A2, Atlas inference and Atlas training, and after a \
                stop no new task may be issued.",
            misuse: "setting stop-on-failure, then back to continue",
            consequence: "error (source: not supported)",
            source: "aclrtSetStreamFailureMode / StreamSetAttribute",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: ByConstruction,
            means: "`StreamOptions::stop_on_failure` sets the mode of a stream that was created just now; the default \
                stream has no options, and no method sets a mode back. After a stop the library refuses work and answers \
                every wait with the failure, so nothing that unfinished work uses is read, written or freed.",
            hole: "After a stop, nobody learns when the work that still runs has ended. The context ends by force only: \
                `Runtime::close_by_force`, `Device::recover`, `Device::reset_by_force`.",
        }
        STREAM_16 = "STREAM-16" {
            text: "Timeouts are -1 or a positive number of milliseconds; after a timeout the work is still in flight \
                and buffers stay borrowed.",
            misuse: "freeing buffers after a timed-out synchronise",
            consequence: "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046, then memory corruption; 0 and -2 are refused with \
                107000 (measured)",
            source: "aclrtSynchronizeStreamWithTimeout; 507046; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "Limits are `Duration`s, rounded up to whole milliseconds. When the time is up, the crate asks \
                the library once more. Then `Pending::wait_within` returns the work unchanged, and nothing that the \
                work uses is freed.",
            hole: "A stream that never ends keeps its memory and its device for the life of the process.",
        }
        STREAM_17 = "STREAM-17" {
            text: "Forced destroy, abort and stop discard work: dependent streams can hang, waits return 107023, and \
                bound or default streams are not accepted.",
            misuse: "abort one stream while another waits on its event",
            consequence: "ACL_ERROR_RT_STREAM_ABORT 107023; hang in dependents",
            source: "aclrtDestroyStreamForce, aclrtStreamAbort, aclrtStreamStop",
            pages: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "Only `Device::recover`, `Device::reset_by_force`, `Runtime::close_by_force` and `Actor::close_by_force` \
                abort streams and destroy them by force. They do so after the scopes of the streams' contexts have ended, or after the last \
                thread has left the runtime, so nobody waits for their work. They leave out default streams. If other \
                code aborts a stream, the error of the wait names this rule.",
            hole: "A stream of another scope or runtime of the device can hang if it waits for an event of an aborted \
                stream.",
        }
        STREAM_18 = "STREAM-18" {
            text: "A stream that is being captured cannot be destroyed.",
            misuse: "destroy between capture begin and end",
            consequence: "ACL_ERROR_RT_STREAM_CAPTURED 107027",
            source: "aclrtDestroyStream during capture; 107027",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: Compile,
            means: "`Stream::capture` borrows the stream until the capture has ended. The second stream of a fork is \
                refused while it takes part (`Error::Capturing`). If the library refused the end of a capture, that is \
                tried again before the stream is destroyed.",
        }
        STREAM_19 = "STREAM-19" {
            text: "Stream resource limits must be set first and then activated per thread; the last activation wins.",
            misuse: "setting the limit and never activating it",
            consequence: "limit has no effect",
            source: "aclrtUseStreamResInCurrentThread family",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for the resource limits of streams.",
        }
        STREAM_20 = "STREAM-20" {
            text: "Stream activation, switching and labels only accept streams already bound to a model instance; the \
                false branch is reserved as NULL; at most 65535 labels per process.",
            misuse: "activating an ordinary stream",
            consequence: "error",
            source: "aclrtActiveStream / aclrtSwitchStream / aclrtSetLabel",
            pages: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "Only the tasks of a build have `Capture::switch`, which sets labels on the build's own bound stream. \
                One call makes the labels and lists, jumps, and sets each label once; the graph destroys them after \
                its instance. A build whose switch is not complete does not end. The library refuses more than 65535 \
                labels, and then the build is given up and its labels are destroyed. Streams are neither activated \
                nor switched: there is no API for it.",
        }
        STREAM_21 = "STREAM-21" {
            text: "Synchronising tolerates that another context is current (the runtime switches and restores), but \
                the thread must have some context.",
            misuse: "joining streams from a helper thread that never set a context",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002 (measured)",
            source: "aclrtSynchronizeStream, open-source runtime behaviour; measured",
            pages: [],
            basis: "source",
            priority: 3,
            class: Compile,
            means: "A wait takes a `Current` of the stream's own context.",
        }
        STREAM_22 = "STREAM-22" {
            text: "A stream's queue is finite: it takes about 2,000 tasks, and a callback counts as three; a call \
                that queues one more blocks until there is room.",
            misuse: "queueing thousands of tasks behind a callback that waits for the thread that queues",
            consequence: "the queueing call and the callback wait for each other forever",
            source: "open-source runtime behaviour; measured",
            pages: [],
            basis: "source",
            priority: 2,
            class: Limit,
            means: "The documentation of `StreamOps::launch_host_fn` says so.",
            hole: "The crate cannot see what a callback waits for. A call that queues work has no time limit.",
        }
    }
}
