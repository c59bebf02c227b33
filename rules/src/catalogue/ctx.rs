//! Contexts.

rules! {
    ($) Ctx doc_ctx {
        CTX_01 = "CTX-01" {
            text: "There is one default context per device and process; threads that set the same device all share it.",
            misuse: "expecting two threads with set_device(0) to be isolated",
            consequence: "tasks of both threads interleave",
            source: "default context, runtime resource page",
            seeds: [S002, S004],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "DefaultContext is a shared, non-owning view",
        }
        CTX_02 = "CTX-02" {
            text: "The default context cannot be destroyed with aclrtDestroyContext. Seed 002 states the opposite; \
                seed 004, the API reference, the header and the runtime source agree it is refused.",
            misuse: "destroying the context obtained from aclrtGetCurrentContext after set_device",
            consequence: "call fails (source: context error, 107002)",
            source: "default context; aclrtDestroyContext",
            seeds: [S002, S004],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "destroy exists only on the owning Context type",
        }
        CTX_03 = "CTX-03" {
            text: "Only contexts made by aclrtCreateContext may be destroyed, and only once.",
            misuse: "destroying the same context twice",
            consequence: "error; older pyACL manual: segmentation fault",
            source: "aclrtDestroyContext; pyACL destroy_context",
            seeds: [],
            basis: "doc+search",
            priority: 1,
            class: Compile,
            means: "move-only owner, Drop",
        }
        CTX_04 = "CTX-04" {
            text: "Creating a context also makes it current for the calling thread.",
            misuse: "creating a helper context and continuing to use streams of the old one",
            consequence: "ACL_ERROR_RT_STREAM_CONTEXT 107003",
            source: "aclrtCreateContext",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "constructor saves and restores the previous context, or returns an explicit current guard",
        }
        CTX_05 = "CTX-05" {
            text: "A thread has one current context at a time and the last aclrtSetCurrentContext wins.",
            misuse: "set ctx A, call a helper that sets ctx B, go on using A's streams",
            consequence: "107003 / 107002",
            source: "aclrtSetCurrentContext, constraints",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "current-context guard is an exclusive borrow of a per-thread token; restores on drop",
        }
        CTX_06 = "CTX-06" {
            text: "A context whose device has been reset cannot be made current.",
            misuse: "reset device, then set one of its contexts",
            consequence: "service errors",
            source: "aclrtSetCurrentContext, constraints",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "lifetime: Context<'dev>",
        }
        CTX_07 = "CTX-07" {
            text: "Switching to a context of another device silently switches the thread's device too.",
            misuse: "malloc after switching context, assuming the old device",
            consequence: "memory lands on another device",
            source: "aclrtSetCurrentContext, constraints",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "allocation is a method of the context/device, never of ambient state",
        }
        CTX_08 = "CTX-08" {
            text: "Calling aclrtSetDevice again replaces the thread's current explicit context by that device's \
                default context.",
            misuse: "create context, later call set_device on the same id, then use the context's stream",
            consequence: "107003",
            source: "aclrtSetDevice (thread scope); open-source runtime",
            seeds: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "set_device needs the per-thread token that the current-context guard has borrowed",
        }
        CTX_09 = "CTX-09" {
            text: "Destroying the context that is current leaves the thread with no context at all; the default \
                context is not restored.",
            misuse: "SetDevice, CreateContext, DestroyContext, then aclrtMalloc",
            consequence: "107002",
            source: "aclrtDestroyContext, open-source runtime behaviour",
            seeds: [],
            basis: "source",
            priority: 1,
            class: ByConstruction,
            means: "Drop of a context re-installs the previous context of that thread",
        }
        CTX_10 = "CTX-10" {
            text: "Destroying a context tears down the streams and model instances that belong to it.",
            misuse: "destroy context, then destroy its stream",
            consequence: "invalid handle / 107003",
            source: "aclrtDestroyContext, open-source runtime behaviour",
            seeds: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "lifetime: Stream<'ctx>, Model<'ctx>",
        }
        CTX_11 = "CTX-11" {
            text: "A context must not be destroyed while it is current on another thread.",
            misuse: "main destroys a context a worker has set",
            consequence: "worker calls fail",
            source: "aclrtDestroyContext / aclrtSetCurrentContext",
            seeds: [],
            basis: "doc+source",
            priority: 2,
            class: Compile,
            means: "worker's guard borrows &Context (scoped threads) or holds Arc<Context>",
        }
        CTX_12 = "CTX-12" {
            text: "Each explicit context brings its own default stream (two on Atlas inference EP), which counts \
                against the device's stream limit; the first creation without aclrtSetDevice also binds a device default \
                stream.",
            misuse: "creating hundreds of contexts",
            consequence: "ACL_ERROR_RT_NO_STREAM_RESOURCE 207008",
            source: "aclrtCreateContext, constraints",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "quota check / typed error",
        }
        CTX_13 = "CTX-13" {
            text: "Reading a context system parameter that was never set fails; repeated sets overwrite.",
            misuse: "reading before setting",
            consequence: "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET 107021",
            source: "aclrtCtxGetSysParamOpt; 107021",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "getter returns Option",
        }
    }
}
