//! Errors.

rules! {
    ($) ERR doc_err {
        ERR_01 = "ERR-01" {
            text: "Every call returns a code that must be checked and handled.",
            misuse: "ignoring ret",
            consequence: "errors surface later, elsewhere",
            source: "sample code notes, all pages",
            pages: [AllocatorRegistration, GraphEngineAllocators, ResourcesInPython, ModelLoading, ResourcesInC],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Every call returns a `Result`. The error of a failed transition contains the object.",
            hole: "`let _ =` discards a result.",
        }
        ERR_02 = "ERR-02" {
            text: "Success of an asynchronous call only means it was queued; device failures appear at the next \
                synchronise.",
            misuse: "treating the launch code as the result",
            consequence: "missed device error",
            source: "developer guide on errors",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Queueing returns a `Pending`. Waiting for it returns the result of the work or its failure. The \
                library reports a failure to one wait only; the crate reports it to every other waiter for that work \
                as `Error::WorkFailed`, once.",
            hole: "For work that another stream took over, the failure is reported when the work's own stream is \
                idle or was waited for. Runtimes and scopes in the default context of one device pass a failure on to \
                each other; a wait of another one that returns at the same moment may miss it, and work that another \
                one queues at that moment may be reported as failed. A wait for work of a stream may miss a failure \
                too if another thread waits for the whole context meanwhile: then the wait for the context reports \
                it. So a program that uses results while a wait for their context is under way checks that wait \
                first. When several threads wait for one stream at once, the library reports the failure to one of \
                them, and the others give it at most 10 ms to record it. If the system stops that thread for longer, \
                or if further waits for the stream begin and end meanwhile, the others may return success.",
        }
        ERR_03 = "ERR-03" {
            text: "The message pointer is valid until the next call and reading clears it; per thread by default.",
            misuse: "keeping two messages",
            consequence: "invalid memory access",
            source: "aclGetRecentErrMsg",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "The crate copies the text into the error on the thread that failed, before that thread's next \
                call.",
        }
        ERR_04 = "ERR-04" {
            text: "The sticky error is per thread, cleared by one of the two getters, and in continue mode it may not \
                be the first failure.",
            misuse: "using it as the root cause",
            consequence: "misdiagnosis. Measured: it misses failures of the ACL layer, and keeps those of the runtime \
                across later successes",
            source: "aclrtGetLastError / PeekAtLastError; continue-on-failure note; measured",
            pages: [],
            basis: "doc+source",
            priority: 3,
            class: NotOffered,
            means: "The crate never reads the sticky error. Each error is made from the return code of its own call.",
        }
        ERR_05 = "ERR-05" {
            text: "Codes 1xxxxx are usage errors, 2xxxxx resources or support, 3xxxxx service state, 5xxxxx internal \
                or device failures.",
            misuse: "retrying a usage error",
            consequence: "pointless retry",
            source: "aclError classification",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "`Code::kind` returns the class of a code.",
        }
        ERR_06 = "ERR-06" {
            text: "Functions that return a pointer signal failure with NULL.",
            misuse: "using the null descriptor",
            consequence: "crash",
            source: "Create* functions returning pointers",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "A returned null pointer is an `Error::NullAnswer`.",
        }
        ERR_07 = "ERR-07" {
            text: "Recovery order is read details, abort tasks, repair; nothing else may run during the abort, whose limit \
                is at most 36 minutes.",
            misuse: "other calls during abort",
            consequence: "ACL_ERROR_RT_DEVICE_TASK_ABORT 107022",
            source: "aclrtGetErrorVerbose, aclrtDeviceTaskAbort, aclrtRepairError; 107022",
            pages: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "`Device::recover`, like `Device::reset_by_force`, aborts tasks while no scope of the device is open and nobody else can take it. The \
                crate's own thread, which watches futures, makes no call then.",
            hole: "The crate does not read the error details and does not repair memory. Other code in the process \
                may use the device meanwhile.",
        }
        ERR_08 = "ERR-08" {
            text: "Process snapshots follow running, locked, backed up, restored; runtime calls block while locked.",
            misuse: "backup without lock",
            consequence: "507906-507909",
            source: "aclrtSnapShotProcess*",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for snapshots of a process.",
        }
        ERR_09 = "ERR-09" {
            text: "Tensor channels are stopped from another thread, then destroyed, by their own calls.",
            misuse: "destroy with a blocked receiver",
            consequence: "hang",
            source: "acltdtCreateChannel / Stop / Destroy",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There are no tensor channels.",
        }
    }
}
