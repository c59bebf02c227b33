//! Streams.

rules! {
    ($) Stream doc_stream {
        STREAM_01 = "STREAM-01" {
            text: "Every explicitly created stream needs exactly one destroy call; if none was created there is \
                nothing to destroy.",
            misuse: "leaking streams from create_stream, or destroying a stream never created",
            consequence: "resource leak; error",
            source: "stream deallocation, runtime resource page",
            seeds: [S002, S004],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "RAII owner with Drop",
        }
        STREAM_02 = "STREAM-02" {
            text: "The default stream cannot be destroyed with aclrtDestroyStream. Seed 002 states the opposite.",
            misuse: "destroy_stream(0) or destroying the queried default stream",
            consequence: "error (NULL is rejected as an invalid parameter)",
            source: "default stream; aclrtDestroyStream",
            seeds: [S002, S004],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "DefaultStream type has no destroy",
        }
        STREAM_03 = "STREAM-03" {
            text: "Passing NULL (0 in pyACL) as the stream argument selects the default stream of the thread's \
                current context.",
            misuse: "passing an uninitialised stream handle expecting an error",
            consequence: "work silently goes to the default stream",
            source: "default stream as argument",
            seeds: [S002, S004],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "stream argument is a typed reference, default is an explicit value",
        }
        STREAM_04 = "STREAM-04" {
            text: "Asynchronous tasks on one stream run in the order they were issued; nothing is guaranteed between \
                streams.",
            misuse: "kernel on stream B reads what a copy on stream A writes, no event",
            consequence: "data race on the device",
            source: "stream ordering",
            seeds: [S002, S004],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "buffers in flight are borrowed by their stream; crossing streams needs an event/sync proof",
        }
        STREAM_05 = "STREAM-05" {
            text: "All tasks must have finished (synchronise) before a stream is destroyed.",
            misuse: "destroy immediately after async work whose buffers are then freed",
            consequence: "vendor requires sync; destroy also waits for pending tasks",
            source: "aclrtDestroyStream, constraints",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Drop/close synchronises, then destroys; close() returns the sync error",
        }
        STREAM_06 = "STREAM-06" {
            text: "The stream's own context must be current when it is destroyed.",
            misuse: "destroying from a thread with another context",
            consequence: "ACL_ERROR_RT_STREAM_CONTEXT 107003",
            source: "aclrtDestroyStream / aclrtDestroyStreamForce, constraints",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Drop installs the owning context first",
        }
        STREAM_07 = "STREAM-07" {
            text: "No other call may be using the stream while it is destroyed.",
            misuse: "one thread destroys, another enqueues",
            consequence: "undefined / 200005",
            source: "aclrtDestroyStream, constraints",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "destroy consumes self; enqueue borrows",
        }
        STREAM_08 = "STREAM-08" {
            text: "A stream must not be used or destroyed again after it was destroyed.",
            misuse: "double destroy",
            consequence: "200005 / 107017 or undefined",
            source: "ACL_ERROR_INVALID_RESOURCE_HANDLE, 107017",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "move semantics",
        }
        STREAM_09 = "STREAM-09" {
            text: "Enqueueing on a stream (kernel, async copy or set, event record or wait, callback, reduce, model, \
                abort) requires the stream's context to be the current one.",
            misuse: "launch on stream of ctx A while ctx B is current",
            consequence: "107003",
            source: "error 107003; dev_guide 05",
            seeds: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "generative brand or lifetime linking Stream to the current-context token; or wrapper sets it per \
                call",
        }
        STREAM_10 = "STREAM-10" {
            text: "A stream created on one device cannot be used while another device is current.",
            misuse: "create s0 on device 0, set_device(1), launch on s0",
            consequence: "launch fails",
            source: "dev_guide 05",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "device brand on Stream",
        }
        STREAM_11 = "STREAM-11" {
            text: "The number of streams per device is limited and includes default streams: 1984 (950/A3/A2), 512 \
                (200I/500 A2), 1024 (Atlas inference), 2048 (Atlas training).",
            misuse: "creating a stream per request",
            consequence: "ACL_ERROR_RT_NO_STREAM_RESOURCE 207008",
            source: "aclrtCreateStream, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: RunTime,
            means: "aclrtGetStreamAvailableNum check, typed error, pooling",
        }
        STREAM_12 = "STREAM-12" {
            text: "Default streams do not synchronise implicitly with explicit streams.",
            misuse: "relying on CUDA-style legacy default stream ordering",
            consequence: "data race",
            source: "dev_guide 03-02",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "same proof objects as STREAM-04",
        }
        STREAM_13 = "STREAM-13" {
            text: "Tasks on a persistent stream do not run when issued; synchronise returns success at once, query \
                means nothing, and the stream exists to be bound to a model instance.",
            misuse: "waiting on a persistent stream and then reading results",
            consequence: "stale data",
            source: "ACL_STREAM_PERSISTENT",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "separate PersistentStream type without sync/query",
        }
        STREAM_14 = "STREAM-14" {
            text: "Flags that may not be combined are rejected, unsupported products reject device-only streams, and \
                the priority argument is documented as reserved.",
            misuse: "PERSISTENT | DEVICE_USE_ONLY by integer OR",
            consequence: "error",
            source: "aclrtCreateStreamWithConfig",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "typed builder, one method per legal combination",
        }
        STREAM_15 = "STREAM-15" {
            text: "The failure mode may be set once per stream, spreads stop-on-error to all streams of the context, \
                is not accepted for the default stream on 200I/500 A2, Atlas inference and Atlas training, and after a \
                stop no new task may be issued.",
            misuse: "setting stop-on-failure, then back to continue",
            consequence: "error (source: not supported)",
            source: "aclrtSetStreamFailureMode / StreamSetAttribute",
            seeds: [],
            basis: "doc+source",
            priority: 2,
            class: Compile,
            means: "mode chosen in the stream builder; failed stream becomes a Poisoned state",
        }
        STREAM_16 = "STREAM-16" {
            text: "Timeouts are -1 or a positive number of milliseconds; after a timeout the work is still in flight \
                and buffers stay borrowed.",
            misuse: "freeing buffers after a timed-out synchronise",
            consequence: "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046, then memory corruption",
            source: "aclrtSynchronizeStreamWithTimeout; 507046",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "timeout variant hands the in-flight guard back instead of the buffers",
        }
        STREAM_17 = "STREAM-17" {
            text: "Forced destroy, abort and stop discard work: dependent streams can hang, waits return 107023, and \
                bound or default streams are not accepted.",
            misuse: "abort one stream while another waits on its event",
            consequence: "ACL_ERROR_RT_STREAM_ABORT 107023; hang in dependents",
            source: "aclrtDestroyStreamForce, aclrtStreamAbort, aclrtStreamStop",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "consuming/unsafe methods; typed error on waits; not offered on default or bound stream types",
        }
        STREAM_18 = "STREAM-18" {
            text: "A stream that is being captured cannot be destroyed.",
            misuse: "destroy between capture begin and end",
            consequence: "ACL_ERROR_RT_STREAM_CAPTURED 107027",
            source: "aclrtDestroyStream during capture; 107027",
            seeds: [],
            basis: "doc+source",
            priority: 2,
            class: Compile,
            means: "capture guard holds &mut Stream",
        }
        STREAM_19 = "STREAM-19" {
            text: "Stream resource limits must be set first and then activated per thread; the last activation wins.",
            misuse: "setting the limit and never activating it",
            consequence: "limit has no effect",
            source: "aclrtUseStreamResInCurrentThread family",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "!Send RAII guard",
        }
        STREAM_20 = "STREAM-20" {
            text: "Stream activation, switching and labels only accept streams already bound to a model instance; \
                the false branch is reserved as NULL; at most 65535 labels per process.",
            misuse: "activating an ordinary stream",
            consequence: "error",
            source: "aclrtActiveStream / aclrtSwitchStream / aclrtSetLabel",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "BoundStream<'ri> type",
        }
        STREAM_21 = "STREAM-21" {
            text: "Synchronising tolerates that another context is current (the runtime switches and restores), but \
                the thread must have some context.",
            misuse: "joining streams from a helper thread that never set a context",
            consequence: "107002",
            source: "aclrtSynchronizeStream, open-source runtime behaviour",
            seeds: [],
            basis: "source",
            priority: 3,
            class: Compile,
            means: "needs any current-context token",
        }
    }
}
