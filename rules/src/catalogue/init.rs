//! Initialising and finalising.

rules! {
    ($) Init doc_init {
        INIT_01 = "INIT-01" {
            text: "No ACL call is legal until aclInit has succeeded in the process.",
            misuse: "aclrtSetDevice(0) as the first ACL call",
            consequence: "ACL_ERROR_UNINITIALIZE 100001 where checked, otherwise later internal failures",
            source: "aclInit, function description; error 100001",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "every constructor needs a reference to the Acl guard; nothing else can produce a handle",
        }
        INIT_02 = "INIT-02" {
            text: "Finalising comes last: devices are reset and every ACL object released before aclFinalize or \
                aclFinalizeReference runs.",
            misuse: "aclFinalize() while a stream, buffer or model is still alive, then using or destroying it",
            consequence: "undefined; exit-time errors reported by the vendor",
            source: "dev_guide 01, 06 (call sequences)",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "lifetime: every object borrows (transitively) from the Acl guard",
        }
        INIT_03 = "INIT-03" {
            text: "The process must have finalised ACL before it exits.",
            misuse: "returning from main without aclFinalize",
            consequence: "abnormal process exit / error messages at exit",
            source: "aclFinalize, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "RAII guard; note mem::forget and process::exit still bypass Drop",
        }
        INIT_04 = "INIT-04" {
            text: "Finalising must not be driven from destructors of process-lifetime singletons, because \
                destruction order at exit is not defined.",
            misuse: "holding the ACL guard in a global object whose destructor finalises",
            consequence: "process may crash on exit",
            source: "aclFinalize / aclFinalizeReference, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "guard is !Send + !Sync (cannot live in a static) or a closure-scoped entry point \
                Acl::scope(|acl| ..)",
        }
        INIT_05 = "INIT-05" {
            text: "A second aclInit returns the repeat-initialise code; the program may treat it as success, and the \
                internal reference count has still gone up.",
            misuse: "treating 100002 as fatal, or ignoring that one more finalise is now owed",
            consequence: "ACL_ERROR_REPEAT_INITIALIZE 100002",
            source: "aclInit, constraints; ACL_ERROR_REPEAT_INITIALIZE",
            seeds: [],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "wrapper maps 100002 to Ok and records one owed aclFinalizeReference",
        }
        INIT_06 = "INIT-06" {
            text: "All aclInit calls in one process must carry the same configuration; only the first one takes \
                effect.",
            misuse: "two components calling aclInit with different JSON files",
            consequence: "later configuration ignored or an error returned",
            source: "aclInit, constraints",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "process-wide record of the first config, compare and return a typed error",
        }
        INIT_07 = "INIT-07" {
            text: "aclFinalize drops the init count to zero at once, so it tears ACL down for every other component \
                in the process; aclFinalizeReference only decrements.",
            misuse: "library A calls aclFinalize while library B still holds streams",
            consequence: "B's later calls fail or are undefined; a second aclFinalize gives \
                ACL_ERROR_REPEAT_FINALIZE 100037",
            source: "aclFinalize vs aclFinalizeReference",
            seeds: [],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "wrapper only ever calls aclFinalizeReference, once per successful/repeat init",
        }
        INIT_08 = "INIT-08" {
            text: "Finalising more often than initialising is an error.",
            misuse: "dropping two copies of the init guard",
            consequence: "ACL_ERROR_REPEAT_FINALIZE 100037",
            source: "aclFinalizeReference; ACL_ERROR_REPEAT_FINALIZE",
            seeds: [],
            basis: "doc+source",
            priority: 2,
            class: Compile,
            means: "move-only guard (no Clone/Copy)",
        }
        INIT_09 = "INIT-09" {
            text: "With plain aclFinalize, init/finalise cycles may only follow each other sequentially; overlapping \
                use from several threads is only supported with the reference-counted finalise.",
            misuse: "thread 1 finalises while thread 2 is between its init and its work",
            consequence: "service errors in thread 2",
            source: "aclInit, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "only the reference-counted path is used; guard constructor/destructor serialised by a mutex",
        }
        INIT_10 = "INIT-10" {
            text: "The thread that finalises must wait for all worker threads that still use ACL.",
            misuse: "detached worker still executing a model when main calls aclFinalize",
            consequence: "service errors",
            source: "aclInit, constraints (multi-thread advice)",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "worker closures borrow 'acl, so only scoped threads (joined before the guard drops) compile",
        }
        INIT_11 = "INIT-11" {
            text: "When a default device comes from the JSON file, explicit context creation still needs an \
                aclrtSetDevice call first; an explicit set overrides the JSON value.",
            misuse: "defaultDevice in JSON, then aclrtCreateContext with no aclrtSetDevice",
            consequence: "possible service errors",
            source: "aclInit, default-device configuration",
            seeds: [S004],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "Context::new takes &Device, and Device can only come from aclrtSetDevice",
        }
        INIT_12 = "INIT-12" {
            text: "Dump is configured either through aclInit or through aclmdlInitDump, never both; aclmdlInitDump \
                goes after aclInit and before model loading, and a dump setting only affects models loaded after it.",
            misuse: "aclInit with dump JSON followed by aclmdlInitDump",
            consequence: "100044 / 100045, or dump silently not applied",
            source: "aclmdlInitDump / aclmdlSetDump; ACL_ERROR_DUMP_ALREADY_RUN, DUMP_NOT_RUN",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "typestate: DumpSession created from &Acl<NoDump>, Model::load takes it optionally",
        }
        INIT_13 = "INIT-13" {
            text: "Profiling calls nest strictly (init, start, stop, finalise, all after aclInit and before model \
                load), cannot be combined with aclInit-based profiling, and cannot interleave with the subscription API \
                family.",
            misuse: "aclprofStart without aclprofInit, or aclprofModelSubscribe inside an aclprofInit..Finalize window",
            consequence: "ACL_ERROR_PROF_NOT_RUN 100043, PROF_ALREADY_RUN 100042, PROF_API_CONFLICT 148047",
            source: "aclprofInit/Start/Stop/Finalize; 100042, 100043, 148047",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: Compile,
            means: "nested RAII guards holding an exclusive borrow of the profiling capability",
        }
    }
}
