//! Contexts.

rules! {
    ($) CTX doc_ctx {
        CTX_01 = "CTX-01" {
            text: "There is one default context per device and process; threads that set the same device all share it.",
            misuse: "expecting two threads with set_device(0) to be isolated",
            consequence: "tasks of both threads interleave",
            source: "default context, runtime resource page",
            pages: [ResourcesInPython, ResourcesInC],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "`Device::context` creates a separate context. `Device::default_context` gives the shared one, \
                and its scope owns the objects created in it.",
        }
        CTX_02 = "CTX-02" {
            text: "The default context cannot be destroyed with aclrtDestroyContext. The Python page on acquiring \
                and releasing runtime resources states the opposite; its C counterpart, the API reference, the \
                header and the runtime source agree that the call is refused.",
            misuse: "destroying the context obtained from aclrtGetCurrentContext after set_device",
            consequence: "the call is refused with ACL_ERROR_RT_CONTEXT_NULL 107002 (measured)",
            source: "default context; aclrtDestroyContext; measured",
            pages: [ResourcesInPython, ResourcesInC],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "The crate destroys only contexts that it created. The scope of a default context does not \
                destroy it.",
        }
        CTX_03 = "CTX-03" {
            text: "Only contexts made by aclrtCreateContext may be destroyed, and only once.",
            misuse: "destroying the same context twice",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002 (measured); older pyACL manual: segmentation fault",
            source: "aclrtDestroyContext; pyACL destroy_context; measured",
            pages: [],
            basis: "doc+search+source",
            priority: 1,
            class: ByConstruction,
            means: "A context's scope destroys it once, at its end. No value has a method that destroys a context.",
        }
        CTX_04 = "CTX-04" {
            text: "Creating a context also makes it current for the calling thread.",
            misuse: "creating a helper context and continuing to use streams of the old one",
            consequence: "ACL_ERROR_RT_STREAM_CONTEXT 107003",
            source: "aclrtCreateContext",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "`Device::context` restores the thread's current context after it created one. A program enters \
                the new context to use it.",
        }
        CTX_05 = "CTX-05" {
            text: "A thread has one current context at a time and the last aclrtSetCurrentContext wins.",
            misuse: "set ctx A, call a helper that sets ctx B, go on using A's streams",
            consequence: "107003 / 107002",
            source: "aclrtSetCurrentContext, constraints",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "`Context::enter` borrows the token of the current context with `&mut` while the entered context \
                is current. It restores the outer context afterwards.",
            hole: "Another library may change the thread's current context between two calls.",
        }
        CTX_06 = "CTX-06" {
            text: "A context whose device has been reset cannot be made current.",
            misuse: "reset device, then set one of its contexts",
            consequence: "service errors; ACL_ERROR_RT_PARAM_INVALID 107000 (measured)",
            source: "aclrtSetCurrentContext, constraints; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "A `Context` lives inside a scope that borrows its `Device`, and `Device::reset` takes the device \
                by value. A `Runtime` resets the device that it has taken after its context has ended.",
            hole: "A thread that leaves a context makes the default context current again that was current before. If \
                another thread resets the device of that one at the same moment, the library is asked for a context \
                that has just ended. It refuses (measured), and another one is made current.",
        }
        CTX_07 = "CTX-07" {
            text: "Switching to a context of another device silently switches the thread's device too.",
            misuse: "malloc after switching context, assuming the old device",
            consequence: "memory lands on another device",
            source: "aclrtSetCurrentContext, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "A `Current` creates memory, streams and models on its context's device.",
        }
        CTX_08 = "CTX-08" {
            text: "Calling aclrtSetDevice again replaces the thread's current explicit context by that device's \
                default context.",
            misuse: "create context, later call set_device on the same id, then use the context's stream",
            consequence: "107003",
            source: "aclrtSetDevice (thread scope); open-source runtime",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "`Acl::device` and `Device::reset` restore the thread's current context after their call.",
            hole: "Another library may set a device on the thread.",
        }
        CTX_09 = "CTX-09" {
            text: "Destroying the context that is current leaves the thread with no context at all; the default \
                context is not restored.",
            misuse: "SetDevice, CreateContext, DestroyContext, then aclrtMalloc",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002 (measured)",
            source: "aclrtDestroyContext, open-source runtime behaviour; measured",
            pages: [],
            basis: "source",
            priority: 1,
            class: ByConstruction,
            means: "The end of a scope restores the context that was current before it, also after a panic.",
            hole: "If no context was current before the scope, none is current after it.",
        }
        CTX_10 = "CTX-10" {
            text: "Destroying a context tears down the streams and model instances that belong to it.",
            misuse: "destroy context, then destroy its stream",
            consequence: "ACL_ERROR_RT_INVALID_HANDLE 107017 (measured)",
            source: "aclrtDestroyContext, open-source runtime behaviour; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "A handle of a scope has the lifetime of the scope and cannot leave it. A handle of a `Runtime` is \
                `'static`: each call checks that this thread is in the handle's runtime (`Error::WrongContext`), and \
                nobody enters a runtime that is closed. No handle destroys anything after its context has ended.",
        }
        CTX_11 = "CTX-11" {
            text: "A context must not be destroyed while it is current on another thread.",
            misuse: "main destroys a context a worker has set",
            consequence: "worker calls fail",
            source: "aclrtDestroyContext / aclrtSetCurrentContext",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: ByConstruction,
            means: "A thread that leaves a context restores the previous context, or the device's default context. \
                So no thread keeps a context of this crate current. If the library refuses the restore, no other \
                thread destroys the context: `Error::CurrentElsewhere`.",
            hole: "Code outside this crate may keep a context's handle and make the context current on its own \
                thread.",
        }
        CTX_12 = "CTX-12" {
            text: "Each explicit context brings its own default stream (two on Atlas inference EP), which counts \
                against the device's stream limit; the first creation without aclrtSetDevice also binds a device \
                default stream.",
            misuse: "creating hundreds of contexts",
            consequence: "ACL_ERROR_RT_NO_STREAM_RESOURCE 207008",
            source: "aclrtCreateContext, constraints",
            pages: [],
            basis: "doc",
            priority: 3,
            class: RunTime,
            means: "The library's refusal (207008) is an `Error::Vendor` that names this rule. The crate does not \
                ask how many streams are left.",
        }
        CTX_13 = "CTX-13" {
            text: "Reading a context system parameter that was never set fails; repeated sets overwrite.",
            misuse: "reading before setting",
            consequence: "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET 107021",
            source: "aclrtCtxGetSysParamOpt; 107021",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for context system parameters.",
        }
        CTX_14 = "CTX-14" {
            text: "A context that is current on a thread when the thread ends is never freed, not even by \
                aclrtDestroyContext: its memory stays, and the device stays open after its last reset.",
            misuse: "a worker thread sets a context and ends; the main thread destroys the context",
            consequence: "32 MB and an open device stay (measured on the open-source runtime)",
            source: "open-source runtime behaviour; measured",
            pages: [],
            basis: "source",
            priority: 2,
            class: ByConstruction,
            means: "A thread that leaves a context and had none before gets the device's default context, also after \
                a panic.",
        }
    }
}
