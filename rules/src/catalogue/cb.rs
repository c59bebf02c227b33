//! Callbacks.

rules! {
    ($) Cb doc_cb {
        CB_01 = "CB-01" {
            text: "A stream callback must not allocate, free, synchronise, launch or abort; the developer guide \
                forbids any runtime call, direct or indirect.",
            misuse: "synchronize_stream inside the callback",
            consequence: "error or deadlock",
            source: "aclrtLaunchCallback / aclrtLaunchHostFunc, constraints; dev_guide 03-02",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "closure is Send + 'static and ACL tokens are !Send, so none can be captured",
        }
        CB_02 = "CB-02" {
            text: "A callback can only be launched on a stream that was subscribed to a reporting thread.",
            misuse: "aclrtLaunchCallback without aclrtSubscribeReport",
            consequence: "ACL_ERROR_RT_STREAM_NO_CB_REG 107015",
            source: "aclrtLaunchCallback; 107015",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "launch is a method of SubscribedStream",
        }
        CB_03 = "CB-03" {
            text: "The two callback mechanisms must not be mixed on one stream.",
            misuse: "LaunchHostFunc on a subscribed stream",
            consequence: "abnormal behaviour",
            source: "aclrtLaunchHostFunc",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "typestate: Stream<HostFunc> vs Stream<Subscribed>",
        }
        CB_04 = "CB-04" {
            text: "A stream has at most one reporting thread; one thread may serve several streams of one device, \
                but not of two devices.",
            misuse: "subscribing the same stream twice",
            consequence: "107011 / 100033",
            source: "aclrtSubscribeReport; 107011, 107012, 100033",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "subscribe consumes the stream handle; reporter is branded with its device",
        }
        CB_05 = "CB-05" {
            text: "The reporting thread must exist and loop on aclrtProcessReport, with timeout -1 or positive, for \
                as long as callbacks are pending.",
            misuse: "subscribing and never processing",
            consequence: "callbacks never run; blocked stream; timeouts 507012",
            source: "aclrtProcessReport",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "wrapper owns the thread and loop",
        }
        CB_06 = "CB-06" {
            text: "Unsubscribe only after the stream's asynchronous work is complete.",
            misuse: "unsubscribe with callbacks queued",
            consequence: "lost callbacks / error",
            source: "aclrtUnSubscribeReport",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "guard synchronises, then unsubscribes, then joins the thread",
        }
        CB_07 = "CB-07" {
            text: "At most 1024 reporting threads per process (32 or fewer advised).",
            misuse: "a thread per stream",
            consequence: "error returned",
            source: "aclrtSubscribeReport, limits",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "shared reporter pool",
        }
        CB_08 = "CB-08" {
            text: "User data and captured state must stay alive until the callback has run.",
            misuse: "passing a pointer to a stack variable",
            consequence: "use after free",
            source: "callback userData",
            seeds: [],
            basis: "derived",
            priority: 1,
            class: Compile,
            means: "boxed FnOnce + Send + 'static",
        }
        CB_09 = "CB-09" {
            text: "Nothing may unwind out of a callback into the C runtime.",
            misuse: "panic in the callback",
            consequence: "notification aborted; undefined across FFI",
            source: "exception callbacks, constraints; FFI",
            seeds: [],
            basis: "doc+derived",
            priority: 1,
            class: ByConstruction,
            means: "catch_unwind in the trampoline, abort or record",
        }
        CB_10 = "CB-10" {
            text: "Exception callbacks must be registered before the work, may run concurrently on several threads, \
                and their info pointer is valid only during the call; unregistering does not wait for running \
                callbacks.",
            misuse: "storing the info pointer, or freeing state right after unregister",
            consequence: "invalid memory access",
            source: "aclrtExceptionInfoCallbackRegister",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "Fn + Send + Sync + 'static, info as a higher-ranked borrow; state leaked or Arc-held",
        }
        CB_11 = "CB-11" {
            text: "Single-slot callbacks are last-wins; named state callbacks reject a second registration under the \
                same name.",
            misuse: "two libraries setting the legacy exception callback",
            consequence: "first one silently lost",
            source: "aclrtSetExceptionInfoCallback, aclrtBinarySetExceptionCallback, state callbacks",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "wrapper keeps one registry and multiplexes",
        }
    }
}
