//! Graph engine sessions.

rules! {
    ($) GE doc_ge {
        GE_01 = "GE-01" {
            text: "The allocator must be registered before LoadGraph.",
            misuse: "LoadGraph, then RegisterExternalAllocator",
            consequence: "allocator not used for the load",
            source: "RegisterExternalAllocator, function description",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_02 = "GE-02" {
            text: "It only works together with LoadGraph plus RunGraphWithStreamAsync or ExecuteGraphWithStreamAsync.",
            misuse: "registering and then calling RunGraph or RunGraphAsync",
            consequence: "allocator not used",
            source: "RegisterExternalAllocator, function description",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_03 = "GE-03" {
            text: "Per stream, the last registration wins.",
            misuse: "two registrations on one stream",
            consequence: "first one silently replaced",
            source: "RegisterExternalAllocator, constraints",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_04 = "GE-04" {
            text: "One allocator on several streams forbids concurrent execution; synchronise the previous stream \
                first.",
            misuse: "two graphs on two streams sharing an allocator, both in flight",
            consequence: "undefined",
            source: "RegisterExternalAllocator, constraints",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_05 = "GE-05" {
            text: "Synchronise the stream before the allocator releases memory to the operating system.",
            misuse: "shrinking the pool while the graph runs",
            consequence: "undefined",
            source: "RegisterExternalAllocator, constraints",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_06 = "GE-06" {
            text: "The allocator is a shared pointer to a class derived from GE's Allocator, registered for one named \
                stream.",
            misuse: "passing an unrelated object or a stream from elsewhere",
            consequence: "FAILED / undefined",
            source: "RegisterExternalAllocator, parameters",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_07 = "GE-07" {
            text: "The seed page lists only Atlas A3 and A2 training/inference products as supported.",
            misuse: "using it on other products",
            consequence: "unsupported",
            source: "RegisterExternalAllocator, product table",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_08 = "GE-08" {
            text: "The call reports SUCCESS or FAILED and the result must be checked.",
            misuse: "ignoring the status",
            consequence: "unregistered allocator unnoticed",
            source: "RegisterExternalAllocator, return value",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_09 = "GE-09" {
            text: "Unregister before destroying the allocator; repeated or unknown unregistration succeeds; NULL \
                stream or allocator is refused (source).",
            misuse: "dropping the allocator first",
            consequence: "dangling use",
            source: "UnregisterExternalAllocator",
            seeds: [],
            basis: "doc+source",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_10 = "GE-10" {
            text: "GE is a singleton: initialise once, finalise before initialising again.",
            misuse: "two GEInitialize calls",
            consequence: "unpredictable",
            source: "GEInitialize / GEInitializeV2, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_11 = "GE-11" {
            text: "Sessions and graphs only live between initialise and finalise.",
            misuse: "AddGraph after GEFinalize",
            consequence: "GE_CLI_GE_NOT_INITIALIZED",
            source: "AddGraph, RunGraphAsync return values",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_12 = "GE-12" {
            text: "A session must not be used concurrently, and several sessions compete for exclusive resources.",
            misuse: "sharing a session between threads",
            consequence: "undefined / creation failure",
            source: "Session / GeSession constructor, constraints",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_13 = "GE-13" {
            text: "The old Session and the new GeSession APIs cannot be mixed.",
            misuse: "GEInitialize with GeSession",
            consequence: "undefined",
            source: "Session overview",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_14 = "GE-14" {
            text: "V1 pairs compile paths with run paths: CompileGraph goes with the stream-async calls only, \
                BuildGraph does not go with ExecuteGraphWithStreamAsync.",
            misuse: "CompileGraph then RunGraph",
            consequence: "failure",
            source: "CompileGraph, BuildGraph (V1)",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_15 = "GE-15" {
            text: "The three run modes of one graph are mutually exclusive.",
            misuse: "RunGraph, later RunGraphAsync on the same graph",
            consequence: "failure",
            source: "RunGraph / RunGraphAsync / RunGraphWithStreamAsync (V2)",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_16 = "GE-16" {
            text: "If a graph was loaded on one stream and runs on another, the load stream has to be synchronised in \
                between.",
            misuse: "load on s1, run on s2 at once",
            consequence: "undefined",
            source: "LoadGraph, stream parameter",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_17 = "GE-17" {
            text: "Stream-async execution in V1 needs a finished compile and load.",
            misuse: "ExecuteGraphWithStreamAsync right after AddGraph",
            consequence: "FAILED / GE_RTI_MODEL_NOT_LOADED",
            source: "ExecuteGraphWithStreamAsync / GraphDebugJSONPrint, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_18 = "GE-18" {
            text: "The run stream must come from aclrtCreateStream and, in V1, belong to the default context.",
            misuse: "stream of an explicit context",
            consequence: "failure",
            source: "RunGraphWithStreamAsync (V1), constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_19 = "GE-19" {
            text: "Inputs and outputs are device memory allocated beforehand and 32-byte aligned (host only where \
                configured by index).",
            misuse: "host tensor or odd address",
            consequence: "undefined error",
            source: "RunGraphWithStreamAsync, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_20 = "GE-20" {
            text: "Inputs and outputs must live until the stream is synchronised (or until the callback runs for \
                RunGraphAsync), and results are read only then.",
            misuse: "freeing inputs after the call returns",
            consequence: "undefined",
            source: "RunGraphWithStreamAsync, RunGraphAsync; migration guide",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_21 = "GE-21" {
            text: "Outputs that GE allocated through the external allocator must be released before that allocator \
                dies; outputs from the built-in allocator before the session is destroyed or GE finalised.",
            misuse: "keeping output tensors past the session",
            consequence: "undefined",
            source: "RunGraphWithStreamAsync, output allocation",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_22 = "GE-22" {
            text: "Setting graph memory bases makes a registered external allocator ineffective.",
            misuse: "calling both",
            consequence: "allocator silently ignored",
            source: "SetGraphConstMemoryBase, UpdateGraphFeatureMemoryBase and siblings",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_23 = "GE-23" {
            text: "Memory bases need a compiled static graph; const and fixed bases are set once, feature base only \
                repeats if refreshable, and the plain, refreshable and fixed variants exclude each other.",
            misuse: "setting the const base twice",
            consequence: "FAILED",
            source: "Set/UpdateGraph*MemoryBase, constraints",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_24 = "GE-24" {
            text: "A graph object may be added once under one unused id: the session modifies it, a duplicate object \
                is shared, a duplicate id is dropped.",
            misuse: "adding the same Graph under two ids",
            consequence: "cross-talk / second graph missing",
            source: "AddGraph, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
        GE_25 = "GE-25" {
            text: "A graph flagged for rebuild must be removed, added and compiled again; V1 compile rejects graphs \
                with variables; result callbacks only accept the two documented keys.",
            misuse: "running a stale graph",
            consequence: "failure",
            source: "IsGraphNeedRebuild, CompileGraph (variables), RegisterCallBackFunc",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for graph engine sessions yet.",
        }
    }
}
