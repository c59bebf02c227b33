//! Single operators.

rules! {
    ($) OP doc_op {
        OP_01 = "OP-01" {
            text: "In multi-threaded programs these calls must not share a stream between threads or use the default \
                stream.",
            misuse: "two threads, one stream",
            consequence: "task may fail",
            source: "aclopExecuteV2, aclopCompileAndExecute, aclopExecWithHandle",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "`Stream::launch` is a method of explicit streams, and one thread at a time has a stream. On \
                `DefaultStream` the method needs a trait that `DefaultStream` does not implement.",
        }
        OP_02 = "OP-02" {
            text: "Description and buffer arrays have the declared length and correspond element by element.",
            misuse: "numInputs = 3 with two buffers",
            consequence: "out-of-bounds / 100021-100022",
            source: "aclopExecuteV2, parameters",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Descriptions and buffers are created in pairs, one pair for each tensor. The count is the number \
                of pairs.",
        }
        OP_03 = "OP-03" {
            text: "The call is asynchronous when exact output shapes were given and synchronous when they were not; \
                outputs are safe only after a synchronise.",
            misuse: "treating it as synchronous",
            consequence: "stale data",
            source: "aclopExecuteV2, dynamic shape note",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "`Stream::launch` states all shapes and returns a `Pending`, also if the library's call blocks.",
        }
        OP_04 = "OP-04" {
            text: "Constant inputs must be set before compiling and be identical at execution; host-resident inputs \
                must be declared as host; unused optional inputs use the undefined description with an empty buffer.",
            misuse: "different constants at compile and execute",
            consequence: "wrong result / error",
            source: "aclSetTensorConst, aclSetTensorPlaceMent, optional inputs",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "Inputs are tensors on the device, the same for compiling and running an operator. An `Absent` \
                input is described as undefined with an empty buffer.",
            hole: "There is no API for constants and for inputs on the host.",
        }
        OP_05 = "OP-05" {
            text: "The model directory can be set once per process; loading from memory may repeat.",
            misuse: "calling it twice",
            consequence: "100002 or ignored",
            source: "aclopSetModelDir (acl_op.h)",
            pages: [],
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
            pages: [],
            basis: "doc",
            priority: 2,
            class: Compile,
            means: "`Current::load_operator` takes a `'static` image.",
        }
        OP_07 = "OP-07" {
            text: "Handle execution needs a live handle, matching counts and a fixed-shape operator; the handle is \
                destroyed afterwards.",
            misuse: "executing a destroyed handle",
            consequence: "undefined / error",
            source: "aclopCreateHandle / ExecWithHandle / DestroyHandle",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for operator handles.",
        }
        OP_08 = "OP-08" {
            text: "An operator selector cannot be registered twice; unregister first. Kernels likewise.",
            misuse: "double registration",
            consequence: "100030 / 100031",
            source: "aclopRegisterCompileFunc; 100028-100031",
            pages: [],
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
            pages: [],
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
            pages: [],
            basis: "doc",
            priority: 2,
            class: Limit,
            means: "The documentation of `Operator` says so. A library without the functions gives \
                `Error::MissingFunction`.",
            hole: "The crate runs operators by this family only. There is no API for aclnn yet.",
        }
        OP_11 = "OP-11" {
            text: "An aclnn executor is consumed by its second phase unless made repeatable right after the first; \
                repeatable ones must be destroyed by the user, others must not.",
            misuse: "running the second phase twice with one executor",
            consequence: "undefined",
            source: "aclnn two-phase calls; aclSetAclOpExecutorRepeatable / aclDestroyAclOpExecutor",
            pages: [],
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
            pages: [],
            basis: "derived",
            priority: 2,
            class: NotOffered,
            means: "There is no API for aclnn operators. For other operators the library or the stream's allocator \
                provides the working memory.",
        }
    }
}
