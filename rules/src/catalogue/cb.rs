//! Callbacks.

rules! {
    ($) CB doc_cb {
        CB_01 = "CB-01" {
            text: "A stream callback must not allocate, free, synchronise, launch or abort; the developer guide \
                forbids any runtime call, direct or indirect.",
            misuse: "synchronize_stream inside the callback",
            consequence: "error or deadlock",
            source: "aclrtLaunchCallback / aclrtLaunchHostFunc, constraints; developer guide on streams and \
                callbacks",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A call needs a `Current`, and a callback has none: what it captures is `Send` and `'static`, which a \
                `Current` is not, and inside a callback no context can be entered. Handles of a `Runtime` can be \
                captured, but not used. A call that needs no `Current` returns `Error::InsideCallback` there.",
        }
        CB_02 = "CB-02" {
            text: "A callback can only be launched on a stream that was subscribed to a reporting thread.",
            misuse: "aclrtLaunchCallback without aclrtSubscribeReport",
            consequence: "ACL_ERROR_RT_STREAM_NO_CB_REG 107015",
            source: "aclrtLaunchCallback; 107015",
            pages: [],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There are no reporting threads: `aclrtLaunchHostFunc` queues callbacks and needs none.",
        }
        CB_03 = "CB-03" {
            text: "The two callback mechanisms must not be mixed on one stream.",
            misuse: "LaunchHostFunc on a subscribed stream",
            consequence: "abnormal behaviour",
            source: "aclrtLaunchHostFunc",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "The crate uses one kind of callback, `aclrtLaunchHostFunc`.",
        }
        CB_04 = "CB-04" {
            text: "A stream has at most one reporting thread; one thread may serve several streams of one device, but \
                not of two devices.",
            misuse: "subscribing the same stream twice",
            consequence: "107011 / 100033",
            source: "aclrtSubscribeReport; 107011, 107012, 100033",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There are no reporting threads: `aclrtLaunchHostFunc` queues callbacks and needs none.",
        }
        CB_05 = "CB-05" {
            text: "The reporting thread must exist and loop on aclrtProcessReport, with timeout -1 or positive, for as \
                long as callbacks are pending.",
            misuse: "subscribing and never processing",
            consequence: "callbacks never run; blocked stream; timeouts 507012",
            source: "aclrtProcessReport",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There are no reporting threads: `aclrtLaunchHostFunc` queues callbacks and needs none.",
        }
        CB_06 = "CB-06" {
            text: "Unsubscribe only after the stream's asynchronous work is complete.",
            misuse: "unsubscribe with callbacks queued",
            consequence: "lost callbacks / error",
            source: "aclrtUnSubscribeReport",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There are no reporting threads: `aclrtLaunchHostFunc` queues callbacks and needs none.",
        }
        CB_07 = "CB-07" {
            text: "At most 1024 reporting threads per process (32 or fewer advised).",
            misuse: "a thread per stream",
            consequence: "error returned",
            source: "aclrtSubscribeReport, limits",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There are no reporting threads: `aclrtLaunchHostFunc` queues callbacks and needs none.",
        }
        CB_08 = "CB-08" {
            text: "User data and captured state must stay alive until the callback has run.",
            misuse: "passing a pointer to a stack variable",
            consequence: "use after free",
            source: "callback userData",
            pages: [],
            basis: "derived",
            priority: 1,
            class: Compile,
            means: "A callback is `'static` and owns its captured values. They are freed after the callback ran. A \
                callback that may still run is never freed.",
        }
        CB_09 = "CB-09" {
            text: "Nothing may unwind out of a callback into the C runtime.",
            misuse: "panic in the callback",
            consequence: "notification aborted; undefined across FFI",
            source: "exception callbacks, constraints; FFI",
            pages: [],
            basis: "doc+derived",
            priority: 1,
            class: ByConstruction,
            means: "Callbacks and the methods of an allocator run under `catch_unwind`. `HostFnResult::into_result` and \
                `Stream::allocator_misbehaved` report a panic.",
            hole: "The author of a C function of a `Descriptor` must keep panics inside it.",
        }
        CB_10 = "CB-10" {
            text: "Exception callbacks must be registered before the work, may run concurrently on several threads, \
                and their info pointer is valid only during the call; unregistering does not wait for running \
                callbacks.",
            misuse: "storing the info pointer, or freeing state right after unregister",
            consequence: "invalid memory access",
            source: "aclrtExceptionInfoCallbackRegister",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There are no exception callbacks.",
        }
        CB_11 = "CB-11" {
            text: "Single-slot callbacks are last-wins; named state callbacks reject a second registration under the \
                same name.",
            misuse: "two libraries setting the legacy exception callback",
            consequence: "first one silently lost",
            source: "aclrtSetExceptionInfoCallback, aclrtBinarySetExceptionCallback, state callbacks",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There are no process-wide callbacks.",
        }
        CB_12 = "CB-12" {
            text: "All callbacks of a context run on one thread, one after the other; one that blocks holds up the \
                callbacks of all streams of the context.",
            misuse: "a callback that waits for another callback, or for something that the waiting thread does later",
            consequence: "deadlock: the wait for the stream never returns",
            source: "open-source runtime behaviour; measured",
            pages: [],
            basis: "source",
            priority: 2,
            class: Limit,
            means: "Futures use no callbacks, and a wait with a time limit ends. The documentation of \
                `StreamOps::launch_host_fn` states the rest.",
            hole: "The crate cannot see what a callback waits for.",
        }
    }
}
