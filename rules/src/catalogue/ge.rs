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
            class: Compile,
            means: "`CanRegister` holds before the graph is loaded, and not afterwards.",
        }
        GE_02 = "GE-02" {
            text: "It only works together with LoadGraph plus RunGraphWithStreamAsync or ExecuteGraphWithStreamAsync.",
            misuse: "registering and then calling RunGraph or RunGraphAsync",
            consequence: "allocator not used",
            source: "RegisterExternalAllocator, function description",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Graphs are executed by `ExecuteGraphWithStreamAsync`, after they were loaded, and in no other way.",
        }
        GE_03 = "GE-03" {
            text: "Per stream, the last registration wins.",
            misuse: "two registrations on one stream",
            consequence: "first one silently replaced",
            source: "RegisterExternalAllocator, constraints",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A graph with an allocator cannot be registered for again; `Graph::replace` gives the old one back.",
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
            class: Compile,
            means: "The allocator moves into the graph, whose stream it serves.",
            hole: "A `DeviceAllocator` whose values share a pool behind a pointer is the implementer's promise.",
        }
        GE_05 = "GE-05" {
            text: "Synchronise the stream before the allocator releases memory to the operating system.",
            misuse: "shrinking the pool while the graph runs",
            consequence: "undefined",
            source: "RegisterExternalAllocator, constraints",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Memory is given back through `Idle`, which needs the graph; a graph that executes is in a \
                `Pending`.",
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
            class: Compile,
            means: "`Graph::register` takes a `DeviceAllocator` and an explicit stream of the session's context.",
        }
        GE_07 = "GE-07" {
            text: "An external allocator is not supported on Atlas 200I/500 A2 inference products; it is on Atlas A2 and \
                A3 training and inference products, and, by the newer page, on Atlas 350, Atlas training and Atlas \
                inference products.",
            misuse: "registering an allocator in the engine on a 200I/500 A2",
            consequence: "unsupported",
            source: "RegisterExternalAllocator, product table of two editions",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: RunTime,
            means: "The product's name is compared before the engine is asked; `EngineError::Product` gives graph, stream \
                and allocator back. Sessions and graphs without an allocator work on every product.",
        }
        GE_08 = "GE-08" {
            text: "The call reports SUCCESS or FAILED and the result must be checked.",
            misuse: "ignoring the status",
            consequence: "unregistered allocator unnoticed",
            source: "RegisterExternalAllocator, return value",
            seeds: [S001],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "The graph is in the result; `FailedCall` says what the engine answered.",
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
            class: ByConstruction,
            means: "The registration owns the allocator; what ends it gives the allocator back.",
        }
        GE_10 = "GE-10" {
            text: "GE is a singleton: initialise once, finalise before initialising again.",
            misuse: "two GEInitialize calls",
            consequence: "unpredictable",
            source: "GEInitialize / GEInitializeV2, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: RunTime,
            means: "One `Engine` per process; one that was dropped is finalised before the next.",
            hole: "Other code in the process may initialise the engine; it answers then.",
        }
        GE_11 = "GE-11" {
            text: "Sessions and graphs only live between initialise and finalise.",
            misuse: "AddGraph after GEFinalize",
            consequence: "GE_CLI_GE_NOT_INITIALIZED",
            source: "AddGraph, RunGraphAsync return values",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "A session is a scope that borrows the engine; sessions that could not be taken down are counted.",
        }
        GE_12 = "GE-12" {
            text: "A session must not be used concurrently, and several sessions compete for exclusive resources.",
            misuse: "sharing a session between threads",
            consequence: "undefined / creation failure",
            source: "Session / GeSession constructor, constraints",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "`Session` is not `Sync`, and what works on it takes `&mut`; streams have their session's brand.",
        }
        GE_13 = "GE-13" {
            text: "The old Session and the new GeSession APIs cannot be mixed.",
            misuse: "GEInitialize with GeSession",
            consequence: "undefined",
            source: "Session overview",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "Only the API of `Session` is used.",
            hole: "Other code in the process.",
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
            class: ByConstruction,
            means: "Graphs are compiled by `CompileGraph` and executed on streams; there is no other pair.",
            hole: "Which release refuses graphs with variables is the engine's to answer.",
        }
        GE_15 = "GE-15" {
            text: "The three run modes of one graph are mutually exclusive.",
            misuse: "RunGraph, later RunGraphAsync on the same graph",
            consequence: "failure",
            source: "RunGraph / RunGraphAsync / RunGraphWithStreamAsync (V2)",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "There is one way to execute a graph.",
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
            class: ByConstruction,
            means: "A graph has one stream, on which it is loaded and executed.",
        }
        GE_17 = "GE-17" {
            text: "Stream-async execution in V1 needs a finished compile and load.",
            misuse: "ExecuteGraphWithStreamAsync right after AddGraph",
            consequence: "FAILED / GE_RTI_MODEL_NOT_LOADED",
            source: "ExecuteGraphWithStreamAsync / GraphDebugJSONPrint, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "`CanExecute` holds for loaded graphs, and `CanLoad` for compiled ones that are not loaded.",
        }
        GE_18 = "GE-18" {
            text: "The run stream must come from aclrtCreateStream and, in V1, belong to the default context.",
            misuse: "stream of an explicit context",
            consequence: "failure",
            source: "RunGraphWithStreamAsync (V1), constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "A session works in the default context, and its graphs take streams of its brand, which \
                `aclrtCreateStream` made.",
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
            class: Compile,
            means: "Inputs are `DeviceTensor`s, which begin where `aclrtMalloc` put them; outputs are the engine's.",
            hole: "Alignment rests on `aclrtMalloc`, which aligns to 64 bytes.",
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
            class: Compile,
            means: "Graph, inputs and outputs are in a `Pending` until the stream was synchronised.",
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
            class: Compile,
            means: "`Outputs` have the session's brand; a graph is not removed while its outputs have a name, and a \
                session releases them first.",
        }
        GE_22 = "GE-22" {
            text: "Setting graph memory bases makes a registered external allocator ineffective.",
            misuse: "calling both",
            consequence: "allocator silently ignored",
            source: "SetGraphConstMemoryBase, UpdateGraphFeatureMemoryBase and siblings",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "A graph has memory that was set or an allocator: they are two states.",
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
            class: Compile,
            means: "Setting leads to a state without it; that the graph is static and the memory large enough is \
                checked.",
            hole: "Only the plain feature base can be set, once, also where it could be refreshed.",
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
            class: ByConstruction,
            means: "A graph is read for each add, and gets a number that no other had.",
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
            class: RunTime,
            means: "Loading asks the engine whether the graph is stale.",
            hole: "Whether a graph becomes stale after it was loaded is not asked at each execution. Result callbacks \
                are not offered.",
        }
    }
}
