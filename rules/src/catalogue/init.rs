//! Initialising and finalising.

rules! {
    ($) INIT doc_init {
        INIT_01 = "INIT-01" {
            text: "No ACL call is legal until aclInit has succeeded in the process.",
            misuse: "aclrtSetDevice(0) as the first ACL call",
            consequence: "undefined; ACL_ERROR_UNINITIALIZE 100001 where it is checked. Measured: runtime calls answer \
                0 without it",
            source: "aclInit, function description; error 100001; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "Every handle comes from a `Current`, a `Current` from a `Context`, a `Context` from a `Device`, \
                and a `Device` from an `Acl`. Only a successful `aclInit` creates an `Acl`.",
        }
        INIT_02 = "INIT-02" {
            text: "Finalising comes last: devices are reset and every ACL object released before aclFinalize or \
                aclFinalizeReference runs.",
            misuse: "aclFinalize() while a stream, buffer or model is still alive, then using or destroying it",
            consequence: "undefined; exit-time errors reported by the vendor. Measured: finalising with live objects \
                answers 0",
            source: "developer guide on initialisation and on threads (call sequences); measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "A `Device` borrows its `Acl`, and `Acl::close` takes the `Acl` by value. `close` resets devices \
                whose handle was lost before it finalises.",
            hole: "A program that ends without `close` leaves the library initialised.",
        }
        INIT_03 = "INIT-03" {
            text: "The process must have finalised ACL before it exits.",
            misuse: "returning from main without aclFinalize",
            consequence: "abnormal process exit / error messages at exit",
            source: "aclFinalize, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "`run` finalises however its program ends, also after a panic.",
            hole: "A program that owns an `Acl` calls `close` itself. `process::exit` and `abort` finalise nothing.",
        }
        INIT_04 = "INIT-04" {
            text: "Finalising must not be driven from destructors of process-lifetime singletons, because destruction \
                order at exit is not defined.",
            misuse: "holding the ACL guard in a global object whose destructor finalises",
            consequence: "process may crash on exit",
            source: "aclFinalize / aclFinalizeReference, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "No destructor of this crate calls the library. Dropping an `Acl`, also one in a static, \
                finalises nothing.",
            hole: "A destructor of the program's own may call `close`.",
        }
        INIT_05 = "INIT-05" {
            text: "A second aclInit returns the repeat-initialise code; the program may treat it as success, and the \
                internal reference count has still gone up.",
            misuse: "treating 100002 as fatal, or ignoring that one more finalise is now owed",
            consequence: "ACL_ERROR_REPEAT_INITIALIZE 100002",
            source: "aclInit, constraints; ACL_ERROR_REPEAT_INITIALIZE",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "`Acl::init` treats 100002 as success and reports it in `Acl::joined`. Such an `Acl` owes one \
                counted finalisation like any other.",
        }
        INIT_06 = "INIT-06" {
            text: "All aclInit calls in one process must carry the same configuration; only the first one takes \
                effect.",
            misuse: "two components calling aclInit with different JSON files",
            consequence: "later configuration ignored or an error returned",
            source: "aclInit, constraints",
            pages: [],
            basis: "doc",
            priority: 3,
            class: Limit,
            means: "`Acl::joined` reports that another initialisation came first. The configuration of that one is \
                in effect.",
            hole: "The library does not report the configuration in effect, so the crate cannot compare it.",
        }
        INIT_07 = "INIT-07" {
            text: "aclFinalize drops the init count to zero at once, so it tears ACL down for every other component in \
                the process; aclFinalizeReference only decrements.",
            misuse: "library A calls aclFinalize while library B still holds streams",
            consequence: "B's later calls fail or are undefined; a second aclFinalize gives ACL_ERROR_REPEAT_FINALIZE \
                100037",
            source: "aclFinalize vs aclFinalizeReference",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "The crate finalises with `aclFinalizeReference` only, once for each `Acl`.",
            hole: "Another library in the process may call `aclFinalize`.",
        }
        INIT_08 = "INIT-08" {
            text: "Finalising more often than initialising is an error.",
            misuse: "dropping two copies of the init guard",
            consequence: "ACL_ERROR_REPEAT_FINALIZE 100037. Measured: aclFinalize that nothing came before answers 0, \
                the counted one 100037",
            source: "aclFinalizeReference; ACL_ERROR_REPEAT_FINALIZE; measured",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: Compile,
            means: "`Acl::close` takes the `Acl` by value, and an `Acl` cannot be copied.",
        }
        INIT_09 = "INIT-09" {
            text: "With plain aclFinalize, init/finalise cycles may only follow each other sequentially; overlapping \
                use from several threads is only supported with the reference-counted finalise.",
            misuse: "thread 1 finalises while thread 2 is between its init and its work",
            consequence: "service errors in thread 2",
            source: "aclInit, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "The crate uses the counted finalisation only, so any threads can initialise and close at the \
                same time.",
            hole: "Another library in the process may call the plain `aclFinalize`.",
        }
        INIT_10 = "INIT-10" {
            text: "The thread that finalises must wait for all worker threads that still use ACL.",
            misuse: "detached worker still executing a model when main calls aclFinalize",
            consequence: "service errors",
            source: "aclInit, constraints (multi-thread advice)",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Everything that a thread uses of the library borrows the `Acl`, and a borrowed `Acl` cannot be \
                closed.",
            hole: "A thread can use an `Acl` in a static until the process ends. Such an `Acl` cannot be closed.",
        }
        INIT_11 = "INIT-11" {
            text: "When a default device comes from the JSON file, explicit context creation still needs an \
                aclrtSetDevice call first; an explicit set overrides the JSON value.",
            misuse: "defaultDevice in JSON, then aclrtCreateContext with no aclrtSetDevice",
            consequence: "possible service errors",
            source: "aclInit, default-device configuration",
            pages: [ResourcesInC],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "Only `Device::context` creates a context, and `aclrtSetDevice` creates the `Device`, whatever \
                the configuration says.",
        }
        INIT_12 = "INIT-12" {
            text: "Dump is configured either through aclInit or through aclmdlInitDump, never both; aclmdlInitDump \
                goes after aclInit and before model loading, and a dump setting only affects models loaded after it.",
            misuse: "aclInit with dump JSON followed by aclmdlInitDump",
            consequence: "100044 / 100045, or dump silently not applied",
            source: "aclmdlInitDump / aclmdlSetDump; ACL_ERROR_DUMP_ALREADY_RUN, DUMP_NOT_RUN",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for dumps.",
            hole: "A configuration file passed to `Acl::init_with` can enable dumps.",
        }
        INIT_13 = "INIT-13" {
            text: "Profiling calls nest strictly (init, start, stop, finalise, all after aclInit and before model \
                load), cannot be combined with aclInit-based profiling, and cannot interleave with the subscription \
                API family.",
            misuse: "aclprofStart without aclprofInit, or aclprofModelSubscribe inside an aclprofInit..Finalize window",
            consequence: "ACL_ERROR_PROF_NOT_RUN 100043, PROF_ALREADY_RUN 100042, PROF_API_CONFLICT 148047",
            source: "aclprofInit/Start/Stop/Finalize; 100042, 100043, 148047",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for profiling.",
            hole: "A configuration file passed to `Acl::init_with` can enable profiling.",
        }
    }
}
