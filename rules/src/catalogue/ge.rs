//! Graph engine sessions.

rules! {
    ($) GE doc_ge {
        GE_01 = "GE-01" {
            text: "The allocator must be registered before LoadGraph.",
            misuse: "LoadGraph, then RegisterExternalAllocator",
            consequence: "allocator not used for the load",
            source: "RegisterExternalAllocator, function description",
            pages: [GraphEngineAllocators],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "`CanRegister` is implemented for graphs that are not loaded yet.",
        }
        GE_02 = "GE-02" {
            text: "It only works together with LoadGraph plus RunGraphWithStreamAsync or ExecuteGraphWithStreamAsync.",
            misuse: "registering and then calling RunGraph or RunGraphAsync",
            consequence: "allocator not used",
            source: "RegisterExternalAllocator, function description",
            pages: [GraphEngineAllocators],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Graphs are loaded and then executed by `ExecuteGraphWithStreamAsync`. There is no other way to \
                execute them.",
        }
        GE_03 = "GE-03" {
            text: "Per stream, the last registration wins.",
            misuse: "two registrations on one stream",
            consequence: "first one silently replaced",
            source: "RegisterExternalAllocator, constraints",
            pages: [GraphEngineAllocators],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A graph with an allocator cannot be registered again. `Graph::replace` returns the old \
                allocator.",
        }
        GE_04 = "GE-04" {
            text: "One allocator on several streams forbids concurrent execution; synchronise the previous stream \
                first.",
            misuse: "two graphs on two streams sharing an allocator, both in flight",
            consequence: "undefined",
            source: "RegisterExternalAllocator, constraints",
            pages: [GraphEngineAllocators],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "The allocator moves into the graph and serves the graph's stream.",
            hole: "The implementer of `DeviceAllocator` must not share one pool between several values.",
        }
        GE_05 = "GE-05" {
            text: "Synchronise the stream before the allocator releases memory to the operating system.",
            misuse: "shrinking the pool while the graph runs",
            consequence: "undefined",
            source: "RegisterExternalAllocator, constraints",
            pages: [GraphEngineAllocators],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Releasing memory needs an `IdleProof`, which needs the graph. An executing graph is inside a \
                `Pending`.",
        }
        GE_06 = "GE-06" {
            text: "The allocator is a shared pointer to a class derived from GE's Allocator, registered for one named \
                stream.",
            misuse: "passing an unrelated object or a stream from elsewhere",
            consequence: "FAILED / undefined",
            source: "RegisterExternalAllocator, parameters",
            pages: [GraphEngineAllocators],
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
            pages: [GraphEngineAllocators],
            basis: "doc",
            priority: 1,
            class: RunTime,
            means: "The crate checks the product's name before it calls the engine. `EngineError::Product` returns \
                the graph, the stream and the allocator. Sessions and graphs without an allocator work on every \
                product.",
        }
        GE_08 = "GE-08" {
            text: "The call reports SUCCESS or FAILED and the result must be checked.",
            misuse: "ignoring the status",
            consequence: "unregistered allocator unnoticed",
            source: "RegisterExternalAllocator, return value",
            pages: [GraphEngineAllocators],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "The result contains the graph. `FailedCall` contains the engine's status.",
        }
        GE_09 = "GE-09" {
            text: "Unregister before destroying the allocator; repeated or unknown unregistration succeeds; NULL \
                stream or allocator is refused (source).",
            misuse: "dropping the allocator first",
            consequence: "dangling use",
            source: "UnregisterExternalAllocator",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "The registration owns the allocator. Ending the registration returns the allocator.",
        }
        GE_10 = "GE-10" {
            text: "GE is a singleton: initialise once, finalise before initialising again.",
            misuse: "two GEInitialize calls",
            consequence: "unpredictable",
            source: "GEInitialize / GEInitializeV2, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: RunTime,
            means: "There is one `Engine` per process. A dropped engine is finalised before the next one is \
                initialised.",
            hole: "Other code in the process may initialise the engine. The engine's answer is then returned.",
        }
        GE_11 = "GE-11" {
            text: "Sessions and graphs only live between initialise and finalise.",
            misuse: "AddGraph after GEFinalize",
            consequence: "GE_CLI_GE_NOT_INITIALIZED",
            source: "AddGraph, RunGraphAsync return values",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "A session is a scope that borrows the engine, or belongs to a runtime. The engine counts sessions of \
                runtimes and sessions whose teardown failed, and refuses to close before they have ended. Graphs and \
                outputs of a session that has ended, and of another session, are refused when they are used.",
        }
        GE_12 = "GE-12" {
            text: "A session must not be used concurrently, and several sessions compete for exclusive resources.",
            misuse: "sharing a session between threads",
            consequence: "undefined / creation failure",
            source: "Session / GeSession constructor, constraints",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "`Session` is not `Sync`, and its users take `&mut`. Streams have the brand of their session. Each call \
                compares the session with the graph, because sessions of runtimes may have one type.",
        }
        GE_13 = "GE-13" {
            text: "The old Session and the new GeSession APIs cannot be mixed.",
            misuse: "GEInitialize with GeSession",
            consequence: "undefined",
            source: "Session overview",
            pages: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "The crate uses the API of `Session` only.",
            hole: "Other code in the process may use `GeSession`.",
        }
        GE_14 = "GE-14" {
            text: "V1 pairs compile paths with run paths: CompileGraph goes with the stream-async calls only, \
                BuildGraph does not go with ExecuteGraphWithStreamAsync.",
            misuse: "CompileGraph then RunGraph",
            consequence: "failure",
            source: "CompileGraph, BuildGraph (V1)",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "Graphs are compiled by `CompileGraph` and executed on streams. There is no other pair.",
            hole: "The engine decides which releases refuse graphs with variables.",
        }
        GE_15 = "GE-15" {
            text: "The three run modes of one graph are mutually exclusive.",
            misuse: "RunGraph, later RunGraphAsync on the same graph",
            consequence: "failure",
            source: "RunGraph / RunGraphAsync / RunGraphWithStreamAsync (V2)",
            pages: [],
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
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "A graph has one stream. It is loaded and executed on that stream.",
        }
        GE_17 = "GE-17" {
            text: "Stream-async execution in V1 needs a finished compile and load.",
            misuse: "ExecuteGraphWithStreamAsync right after AddGraph",
            consequence: "FAILED / GE_RTI_MODEL_NOT_LOADED",
            source: "ExecuteGraphWithStreamAsync / GraphDebugJSONPrint, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "`CanExecute` is implemented for loaded graphs, `CanLoad` for compiled graphs that are not \
                loaded.",
        }
        GE_18 = "GE-18" {
            text: "The run stream must come from aclrtCreateStream and, in V1, belong to the default context.",
            misuse: "stream of an explicit context",
            consequence: "failure",
            source: "RunGraphWithStreamAsync (V1), constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "A session works in the default context: its scope opens that, and a runtime in another context gets \
                no session. Its graphs take streams of its brand, which `aclrtCreateStream` created; a stream of \
                another runtime of the name is refused before the engine is called.",
        }
        GE_19 = "GE-19" {
            text: "Inputs and outputs are device memory allocated beforehand and 32-byte aligned (host only where \
                configured by index).",
            misuse: "host tensor or odd address",
            consequence: "undefined error",
            source: "RunGraphWithStreamAsync, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "Inputs are `DeviceTensor`s: blocks from `aclrtMalloc`, or parts of an arena or of shared memory. A \
                part that does not start at a multiple of 64 bytes is refused (`Error::MisalignedPart`). The engine \
                allocates the outputs.",
            hole: "The alignment of whole blocks relies on `aclrtMalloc`, which aligns to 64 bytes. Neither the engine nor \
                this crate compares the inputs of an execution with the graph: one that is too short, or of another element \
                type, is not refused.",
        }
        GE_20 = "GE-20" {
            text: "Inputs and outputs must live until the stream is synchronised (or until the callback runs for \
                RunGraphAsync), and results are read only then.",
            misuse: "freeing inputs after the call returns",
            consequence: "undefined",
            source: "RunGraphWithStreamAsync, RunGraphAsync; migration guide",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "The graph, its inputs and its outputs are inside a `Pending` until the stream was synchronised.",
        }
        GE_21 = "GE-21" {
            text: "Outputs that GE allocated through the external allocator must be released before that allocator \
                dies; outputs from the built-in allocator before the session is destroyed or GE finalised.",
            misuse: "keeping output tensors past the session",
            consequence: "undefined",
            source: "RunGraphWithStreamAsync, output allocation",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "`Outputs` have the session's brand. A graph is not removed while a handle names its outputs. A \
                session releases the outputs first, and handles that outlive it read nothing. They are not released \
                while another thread reads them.",
        }
        GE_22 = "GE-22" {
            text: "Setting graph memory bases makes a registered external allocator ineffective.",
            misuse: "calling both",
            consequence: "allocator silently ignored",
            source: "SetGraphConstMemoryBase, UpdateGraphFeatureMemoryBase and siblings",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "A graph has either memory that was set or an allocator: these are two states. If setting memory has \
                failed halfway, `Graph::register` returns `EngineError::MemoryInDoubt`.",
        }
        GE_23 = "GE-23" {
            text: "Memory bases need a compiled static graph; const and fixed bases are set once, feature base only \
                repeats if refreshable, and the plain, refreshable and fixed variants exclude each other.",
            misuse: "setting the const base twice",
            consequence: "FAILED",
            source: "Set/UpdateGraph*MemoryBase, constraints",
            pages: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "Setting memory leads to a state in which it cannot be set again. If it has failed halfway, setting it \
                again returns `EngineError::MemoryInDoubt`. The crate checks that the graph is static and the memory \
                large enough.",
            hole: "Only the plain feature base can be set, and only once, even if the graph could refresh it.",
        }
        GE_24 = "GE-24" {
            text: "A graph object may be added once under one unused id: the session modifies it, a duplicate object \
                is shared, a duplicate id is dropped.",
            misuse: "adding the same Graph under two ids",
            consequence: "cross-talk / second graph missing",
            source: "AddGraph, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "A graph is read anew for each add and gets an unused number.",
        }
        GE_25 = "GE-25" {
            text: "A graph flagged for rebuild must be removed, added and compiled again; V1 compile rejects graphs \
                with variables; result callbacks only accept the two documented keys.",
            misuse: "running a stale graph",
            consequence: "failure",
            source: "IsGraphNeedRebuild, CompileGraph (variables), RegisterCallBackFunc",
            pages: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "Loading asks the engine whether the graph is stale.",
            hole: "The crate does not check again at each execution whether a loaded graph became stale. There are \
                no result callbacks.",
        }
    }
}
