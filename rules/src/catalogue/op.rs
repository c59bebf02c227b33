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
            class: Compile,
            means: "`Stream::launch` is a method of explicit streams, which one thread at a time has; that of \
                `DefaultStream` asks for a trait that it does not have.",
        }
        OP_02 = "OP-02" {
            text: "Description and buffer arrays have the declared length and correspond element by element.",
            misuse: "numInputs = 3 with two buffers",
            consequence: "out-of-bounds / 100021-100022",
            source: "aclopExecuteV2, parameters",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Descriptions and buffers are made in pairs, one pair for each tensor, and counted by what was \
                made.",
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
            class: ByConstruction,
            means: "`Stream::launch` states all shapes and returns a `Pending`, however long the library's call takes.",
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
            class: ByConstruction,
            means: "Inputs are tensors on the device, the same when the operator is compiled and when it runs, or \
                `Absent`, which is described as undefined over an empty buffer.",
            hole: "Constants and inputs on the host have no API.",
        }
        OP_05 = "OP-05" {
            text: "The model directory can be set once per process; loading from memory may repeat.",
            misuse: "calling it twice",
            consequence: "100002 or ignored",
            source: "aclopSetModelDir (acl_op.h)",
            seeds: [],
            basis: "header",
            priority: 2,
            class: RunTime,
            means: "The library's refusal of a second directory is an `Error::Vendor`.",
        }
        OP_06 = "OP-06" {
            text: "Operator models loaded from memory stay owned by the user.",
            misuse: "freeing the model bytes while ops run",
            consequence: "undefined",
            source: "aclopLoad",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "`Current::load_operator` takes an image that is there for ever.",
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
            means: "There are no handles of operators.",
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
            means: "There is no API for operator selectors and kernels.",
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
            class: RunTime,
            means: "The library's refusal is an `Error::Vendor` with its code and text.",
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
            class: Limit,
            means: "The documentation of `Operator` says so, and a library that lacks the functions is an \
                `Error::MissingFunction`.",
            hole: "Operators are run by this family alone: there is no API for the other one yet.",
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
            means: "There is no API for aclnn operators.",
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
            means: "There is no API for aclnn operators: an operator's working memory is the library's, or the \
                allocator's of its stream.",
        }
    }
}
