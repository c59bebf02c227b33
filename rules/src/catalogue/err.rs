//! Errors.

rules! {
    ($) ERR doc_err {
        ERR_01 = "ERR-01" {
            text: "Every call returns a code that must be checked and handled.",
            misuse: "ignoring ret",
            consequence: "errors surface later, elsewhere",
            source: "sample code notes, all pages",
            seeds: [S000, S001, S002, S003, S004],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Every call returns a `Result`, and a transition that failed holds the object.",
            hole: "`let _ =` throws a result away.",
        }
        ERR_02 = "ERR-02" {
            text: "Success of an asynchronous call only means it was queued; device failures appear at the next \
                synchronise.",
            misuse: "treating the launch code as the result",
            consequence: "missed device error",
            source: "dev_guide 10",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Queueing returns a `Pending`; what the work made comes from waiting for it, which returns the \
                work's failure. The library tells a failure to one wait: every other waiter for that work gets \
                `Error::WorkFailed`, once.",
            hole: "Work that another stream took over hears of a failure when its own stream is idle or was waited for.",
        }
        ERR_03 = "ERR-03" {
            text: "The message pointer is valid until the next call and reading clears it; per thread by default.",
            misuse: "keeping two messages",
            consequence: "invalid memory access",
            source: "aclGetRecentErrMsg",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "The text is copied into the error on the thread that failed, before its next call.",
        }
        ERR_04 = "ERR-04" {
            text: "The sticky error is per thread, cleared by one of the two getters, and in continue mode it may not \
                be the first failure.",
            misuse: "using it as the root cause",
            consequence: "misdiagnosis. Measured: it misses failures of the ACL layer, and keeps those of the runtime \
                across later successes",
            source: "aclrtGetLastError / PeekAtLastError; continue-on-failure note; measured",
            seeds: [],
            basis: "doc+source",
            priority: 3,
            class: NotOffered,
            means: "The sticky error is never asked for: each error is made from the call's own answer.",
        }
        ERR_05 = "ERR-05" {
            text: "Codes 1xxxxx are usage errors, 2xxxxx resources or support, 3xxxxx service state, 5xxxxx internal \
                or device failures.",
            misuse: "retrying a usage error",
            consequence: "pointless retry",
            source: "aclError classification",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "`Code::kind` tells the class of a code.",
        }
        ERR_06 = "ERR-06" {
            text: "Functions that return a pointer signal failure with NULL.",
            misuse: "using the null descriptor",
            consequence: "crash",
            source: "Create* functions returning pointers",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "A null answer is an `Error::NullAnswer`.",
        }
        ERR_07 = "ERR-07" {
            text: "Recovery order is read details, abort tasks, repair; nothing else may run during the abort.",
            misuse: "other calls during abort",
            consequence: "ACL_ERROR_RT_DEVICE_TASK_ABORT 107022",
            source: "aclrtGetErrorVerbose, aclrtDeviceTaskAbort, aclrtRepairError; 107022",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "`Device::recover` aborts tasks while no scope of the device is open and nobody else can take it.",
            hole: "Details are not read and memory is not repaired. Other code in the process may use the device \
                meanwhile.",
        }
        ERR_08 = "ERR-08" {
            text: "Process snapshots follow running, locked, backed up, restored; runtime calls block while locked.",
            misuse: "backup without lock",
            consequence: "507906-507909",
            source: "aclrtSnapShotProcess*",
            seeds: [],
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
            seeds: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There are no tensor channels.",
        }
    }
}
