//! Captured graphs.

rules! {
    ($) GRAPH doc_graph {
        GRAPH_01 = "GRAPH-01" {
            text: "Capture begin and end pair on the same stream.",
            misuse: "end without begin",
            consequence: "107036 / 107029",
            source: "aclmdlRICaptureBegin / End; 107029, 107036",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "`Stream::capture` begins the capture, calls the program and ends the capture, also when the \
                program panics or fails. If the library refuses the end, the stream takes no work, and the \
                end is tried again before the stream is destroyed.",
        }
        GRAPH_02 = "GRAPH-02" {
            text: "Unless relaxed, begin and end must be on one thread.",
            misuse: "moving the capture to another thread",
            consequence: "107038",
            source: "aclmdlRICaptureEnd; 107038",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "A `Capture` is neither `Send` nor `Sync`, and the function that began the capture ends it.",
        }
        GRAPH_03 = "GRAPH-03" {
            text: "The default stream cannot take part in capture.",
            misuse: "capture on NULL",
            consequence: "107031",
            source: "developer guide on capturing streams; 107031",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "`DefaultStream` has no `capture`.",
        }
        GRAPH_04 = "GRAPH-04" {
            text: "While capturing, synchronising or querying the stream, its events, context or device is illegal, \
                and global or thread-local modes forbid synchronous copies.",
            misuse: "synchronize_stream during capture",
            consequence: "107027 / 107030; capture invalidated",
            source: "developer guide on capturing streams; 107027, 107028, 107030",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "The program of a capture has neither the stream nor a `Current`, which every wait, query, \
                allocation and copy takes. Another thread that uses a stream of the capture gets \
                `Error::Capturing`. The library refuses its synchronous copies in a global capture (107030) \
                and its waits for the whole context (107027); these errors name this rule, and no work \
                counts as failed.",
            hole: "A program sees the effect of a global capture on other threads at run time only. \
                `CaptureMode::Relaxed`, the default, has none.",
        }
        GRAPH_05 = "GRAPH-05" {
            text: "Captured copies need pinned host memory, and every captured resource must live until the instance \
                is destroyed.",
            misuse: "freeing a captured buffer",
            consequence: "undefined at replay",
            source: "developer guide on capturing streams",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "The graph owns its operands, and its row keeps the rows of their memory, models, operators \
                and events until the instance is destroyed. Only these, by value, and names of shared memory are \
                operands: shared memory is nobody's alone until the instance is destroyed. Ordinary \
                host memory is `Error::NotPinned`. During a replay nobody reaches the operands. The graph has every \
                block of the allocator of its stream that the library has during the capture: the allocator gets \
                them back when the instance is destroyed. A stream with an allocator of C functions is not captured.",
        }
        GRAPH_06 = "GRAPH-06" {
            text: "Sub-streams join capture through events created with Ex sync and must return to the origin stream, \
                with nothing issued on them afterwards.",
            misuse: "forgetting the join event",
            consequence: "107025",
            source: "developer guide on capturing several streams; 107024, 107025, 107032",
            pages: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "`Capture::fork` lends a branch on a second stream to a function, and joins it when the \
                function returns or panics. Memory has its branch in its type and goes to another branch \
                behind an event of `aclrtCreateEventExWithFlag`. Until the end of the capture the stream \
                takes no other work (`Error::Capturing`).",
        }
        GRAPH_07 = "GRAPH-07" {
            text: "An instance cannot be destroyed while running.",
            misuse: "destroy right after execute_async",
            consequence: "107037",
            source: "aclmdlRIDestroy; 107037",
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "A replay takes the graph into its `Pending`, which has no `into_operands`. A graph that is \
                dropped during a replay is destroyed when a synchronise has covered the replay.",
        }
        GRAPH_08 = "GRAPH-08" {
            text: "Building: begin, bind persistent streams (not NULL, one instance per stream), issue, end task, \
                build end; nothing may be issued afterwards.",
            misuse: "issuing after build end",
            consequence: "failure at execution",
            source: "aclmdlRIBuild* / BindStream / EndTask",
            pages: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "`Current::build_graph` begins a build and binds a persistent stream, which only the graph has. \
                `GraphBuild::add` gives it tasks. `Capture::branch` binds a further stream of the graph's own: it \
                starts with each run, waits for the branch before, and is waited for when its program returns, \
                each time by an event that is reset after the wait. So the tasks end on the first stream. A case of \
                a switch has no branches (`Error::InABody`). `GraphBuild::end` ends the tasks and the build, and takes \
                the `GraphBuild`: what comes later does not compile. A build has no replays, no streams of the \
                program and no groups of tasks. When a program that adds tasks fails or panics, or a call of the library fails, the build \
                is not ended, and its operands come back.",
            hole: "Streams that other streams start (`ACL_MODEL_STREAM_FLAG_DEFAULT`), and loops, are not offered: code \
                that uses them by `ascendcl-sys` keeps this rule itself. That several streams which all start with a \
                run end with one `aclmdlRIEndTask` was seen in programs, and not measured.",
        }
        GRAPH_09 = "GRAPH-09" {
            text: "Task groups and updates pair up on one stream and must match in number and type; disabling or \
                changing tasks needs an update call; task queries on one instance are not concurrent.",
            misuse: "update with fewer tasks",
            consequence: "107033 / 107034",
            source: "aclmdlRICaptureTaskGrp* / TaskUpdate*; 107033, 107034",
            pages: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "A group is a list of operators, made by one call (`Capture::task_group`), and so is an \
                update (`Stream::update`): begin and end pair up on one stream, and no code of the program runs \
                between them. The list's type has the number of operators and the types of their tensors, and \
                an update with another list does not compile. `update` takes the graph, so no replay is in \
                flight; it gives it back behind the update, on the same stream. The graph owns the operators of \
                both. A group of another graph is `Error::OtherCapture`, an operator of another kind \
                `Error::OtherOperator`, before anything is called; so is one with other tensors, where the type of \
                the list does not say them (`AnyTensor`, `Vec`, `Option`). A graph whose update fails half-way is not \
                replayed any more (`Error::HalfUpdated`).",
            hole: "Whether the library takes an operator with other shapes or attributes shows at run time \
                (107034). Single tasks are not queried, changed or disabled. Copies, sets and callbacks are in no \
                group: the library crashes on the first two, and refuses the third.",
        }
        GRAPH_10 = "GRAPH-10" {
            text: "Sub-instances are not destroyed by the user and captured instances cannot be aborted.",
            misuse: "destroying a sub-instance",
            consequence: "error",
            source: "aclmdlRICaptureToModelRIBegin; aclmdlRIAbort",
            pages: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "`CapturedGraph` has no `abort`. The instances of the bodies of a condition (`Capture::run_if`, \
                `run_while`) are in the graph's row until their captures have ended, and no program has one. Each of \
                them is captured, also when a program fails or panics, because the graph's capture does not end \
                before. A graph destroys the one instance that its own capture or build became.",
            hole: "The vendor calls conditions a trial feature, and the measured library has none (207000, \
                `Error::ConditionsUnsupported`): what is known of them is the manual's word and what programs do. \
                Not known: which tasks a body takes, so a refusal shows at run time; forks and groups of tasks in \
                bodies, which are refused before a call. `ACL_MODEL_RI_COND_TYPE_SWITCH` is not offered.",
        }
    }
}
