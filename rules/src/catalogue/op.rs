//! Single operators.

rules! {
    ($) OP doc_op {
        OP_01 = "OP-01" {
            text: "In multi-threaded programs these calls must not share a stream between threads or use the default \
                stream.",
            misuse: "two threads, one stream",
            consequence: "task may fail",
            source: "aclopExecuteV2, aclopCompileAndExecute, aclopExecWithHandle",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
        OP_02 = "OP-02" {
            text: "Description and buffer arrays have the declared length and correspond element by element.",
            misuse: "numInputs = 3 with two buffers",
            consequence: "out-of-bounds / 100021-100022",
            source: "aclopExecuteV2, parameters",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
        OP_03 = "OP-03" {
            text: "The call is asynchronous when exact output shapes were given and synchronous when they were not; \
                outputs are safe only after a synchronise.",
            misuse: "treating it as synchronous",
            consequence: "stale data",
            source: "aclopExecuteV2, dynamic shape note",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
        OP_04 = "OP-04" {
            text: "Constant inputs must be set before compiling and be identical at execution; host-resident inputs \
                must be declared as host; unused optional inputs use the undefined description with an empty buffer.",
            misuse: "different constants at compile and execute",
            consequence: "wrong result / error",
            source: "aclSetTensorConst, aclSetTensorPlaceMent, optional inputs",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
        OP_05 = "OP-05" {
            text: "The model directory can be set once per process; loading from memory may repeat.",
            misuse: "calling it twice",
            consequence: "100002 or ignored",
            source: "aclopSetModelDir (acl_op.h)",
            seeds: [],
            basis: "header",
            priority: 2,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
        OP_06 = "OP-06" {
            text: "Operator models loaded from memory stay owned by the user.",
            misuse: "freeing the model bytes while ops run",
            consequence: "undefined",
            source: "aclopLoad",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
        OP_07 = "OP-07" {
            text: "Handle execution needs a live handle, matching counts and a fixed-shape operator; the handle is \
                destroyed afterwards.",
            misuse: "executing a destroyed handle",
            consequence: "undefined / error",
            source: "aclopCreateHandle / ExecWithHandle / DestroyHandle",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
        OP_08 = "OP-08" {
            text: "An operator selector cannot be registered twice; unregister first. Kernels likewise.",
            misuse: "double registration",
            consequence: "100030 / 100031",
            source: "aclopRegisterCompileFunc; 100028-100031",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
        OP_09 = "OP-09" {
            text: "Operator library versions must match, running operators per process are bounded, and cached \
                operators may age out between compile and execute.",
            misuse: "compile now, execute much later",
            consequence: "100024 / 100025 / recompilation",
            source: "aclop limits, aging, versions",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
        OP_10 = "OP-10" {
            text: "The aclop and CBLAS families are deprecated in favour of aclnn; continued use is documented as \
                potentially undefined.",
            misuse: "new code on aclopExecuteV2",
            consequence: "deprecation / undefined later",
            source: "single-operator overview",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
        OP_11 = "OP-11" {
            text: "An aclnn executor is consumed by its second phase unless made repeatable right after the first; \
                repeatable ones must be destroyed by the user, others must not.",
            misuse: "running the second phase twice with one executor",
            consequence: "undefined",
            source: "aclnn two-phase calls; aclSetAclOpExecutorRepeatable / aclDestroyAclOpExecutor",
            seeds: [],
            basis: "search",
            priority: 2,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
        OP_12 = "OP-12" {
            text: "The workspace must have the size the first phase reported and stay allocated until the operator has \
                finished.",
            misuse: "freeing the workspace after launch",
            consequence: "corruption",
            source: "aclnn workspace",
            seeds: [],
            basis: "derived",
            priority: 2,
            class: NotOffered,
            means: "There is no API for single operators yet.",
        }
    }
}
