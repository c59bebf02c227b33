//! The caller's allocators.

rules! {
    ($) Alloc doc_alloc {
        ALLOC_01 = "ALLOC-01" {
            text: "An allocator can only be registered on a non-NULL stream, so never on the default stream via NULL.",
            misuse: "allocator_register(0, desc)",
            consequence: "error returned (invalid parameter)",
            source: "aclrtAllocatorRegister, stream parameter",
            seeds: [S000],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "register is a method of the explicit Stream type; the default view lacks it",
        }
        ALLOC_02 = "ALLOC-02" {
            text: "Not supported on Atlas 200I/500 A2 inference products (and IPV350 in the current reference).",
            misuse: "registering an allocator on a 200I/500 A2",
            consequence: "unsupported",
            source: "aclrtAllocatorRegister, product support",
            seeds: [S000],
            basis: "doc",
            priority: 1,
            class: RunTime,
            means: "capability query when the device is opened; register needs an AllocatorSupport proof, typed \
                error otherwise",
        }
        ALLOC_03 = "ALLOC-03" {
            text: "A registered allocator only takes effect when single-operator models or dynamic-shape models are \
                run.",
            misuse: "expecting static-shape models or aclrtMalloc to go through it",
            consequence: "allocator silently not used",
            source: "aclrtAllocatorRegister, restrictions",
            seeds: [S000],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "registration yields a stream mode whose methods are only those two execution paths",
        }
        ALLOC_04 = "ALLOC-04" {
            text: "For single operators, register before calling the execute API.",
            misuse: "execute_v2 first, register afterwards",
            consequence: "vendor: required order; source: first run fixes the default allocator for the stream",
            source: "aclrtAllocatorRegister, restrictions",
            seeds: [S000],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "typestate: Stream<Fresh> -> with_allocator -> Stream<Alloc>; execution ends Fresh",
        }
        ALLOC_05 = "ALLOC-05" {
            text: "For dynamic-shape models, register before aclmdlExecuteAsync, and use that asynchronous call \
                rather than the synchronous one.",
            misuse: "allocator registered, then aclmdlExecute",
            consequence: "allocator not used",
            source: "aclrtAllocatorRegister, restrictions",
            seeds: [S000],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "DynamicModel::execute_async accepts Stream<Alloc>; no sync variant on that type",
        }
        ALLOC_06 = "ALLOC-06" {
            text: "The allocator descriptor must be created before anything is set on it or registered.",
            misuse: "set callbacks on a null descriptor",
            consequence: "error returned",
            source: "aclrtAllocatorCreateDesc",
            seeds: [S000],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "builder creates it internally; NULL result is an error",
        }
        ALLOC_07 = "ALLOC-07" {
            text: "Object, allocate, get-address and free callbacks must all be set before registration.",
            misuse: "registering with the free callback missing",
            consequence: "invalid parameter; source: unset slots are uninitialised, so the check can miss them",
            source: "aclrtAllocatorSetObj/AllocFunc/GetAddrFromBlockFunc/FreeFuncToDesc",
            seeds: [S000],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "trait DeviceAllocator with all methods required; builder sets all at once",
        }
        ALLOC_08 = "ALLOC-08" {
            text: "The descriptor has to be destroyed once it is no longer needed, and once only.",
            misuse: "leak, or double destroy",
            consequence: "leak / undefined",
            source: "aclrtAllocatorDestroyDesc",
            seeds: [S000],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "RAII; source copies the descriptor at registration, so it is destroyed right after",
        }
        ALLOC_09 = "ALLOC-09" {
            text: "Registering again on the same stream replaces the earlier registration.",
            misuse: "a helper library re-registers and displaces the caller's allocator",
            consequence: "last one wins silently",
            source: "aclrtAllocatorRegister, restrictions",
            seeds: [S000, S001],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "registration guard holds &mut Stream; replacing requires taking the old guard back",
        }
        ALLOC_10 = "ALLOC-10" {
            text: "One allocator used for several streams must not serve them concurrently; the previous stream is \
                synchronised before the next one runs.",
            misuse: "same allocator on s1 and s2, execute on both, then synchronise",
            consequence: "undefined (memory handed to two streams)",
            source: "aclrtAllocatorRegister, restrictions",
            seeds: [S000, S001],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "execution takes the allocator lease (&mut) and returns it only from synchronise",
        }
        ALLOC_11 = "ALLOC-11" {
            text: "Before the allocator gives memory back to the operating system, the stream must be synchronised.",
            misuse: "trim/drop of the pool while tasks run",
            consequence: "use after free on the device",
            source: "aclrtAllocatorRegister, restrictions",
            seeds: [S000, S001],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "trim() demands a Synced<'_> proof; Drop synchronises first",
        }
        ALLOC_12 = "ALLOC-12" {
            text: "Unregister before the allocator object is destroyed.",
            misuse: "dropping the allocator while registered",
            consequence: "dangling callbacks",
            source: "aclrtAllocatorUnregister",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "registration borrows or Arc-owns the allocator; Drop unregisters first",
        }
        ALLOC_13 = "ALLOC-13" {
            text: "The stream given at registration and the stream used for execution must be the same.",
            misuse: "register on s1, execute_async on s2",
            consequence: "allocator not used",
            source: "aclmdlExecuteAsync, constraints",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "execution is called through the registered stream",
        }
        ALLOC_14 = "ALLOC-14" {
            text: "The free callback only returns a block to the pool: queued tasks may still use it, so the block \
                may be reused in stream order but not unmapped, returned to the OS or given to another stream before a \
                synchronise.",
            misuse: "free callback that calls aclrtFree",
            consequence: "device memory corruption",
            source: "aclrtAllocatorRegister, last restriction; GE source",
            seeds: [S000],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "user implements a pool policy, wrapper defers real frees to the next sync",
        }
        ALLOC_15 = "ALLOC-15" {
            text: "If a stream has already executed a single operator with the built-in allocator, a later \
                registration on it is ignored for the stream's whole life.",
            misuse: "register after warm-up",
            consequence: "silently ignored",
            source: "open-source ACL resource manager",
            seeds: [],
            basis: "source",
            priority: 1,
            class: Compile,
            means: "same typestate as ALLOC-04",
        }
        ALLOC_16 = "ALLOC-16" {
            text: "Destroying a stream does not remove its registration entry; a new stream with the same handle \
                value could inherit it.",
            misuse: "destroy stream without unregistering",
            consequence: "stale callbacks on a new stream",
            source: "open-source runtime, registration table",
            seeds: [],
            basis: "source",
            priority: 2,
            class: ByConstruction,
            means: "registration guard drops (unregisters) before the stream can be destroyed",
        }
        ALLOC_17 = "ALLOC-17" {
            text: "The address-hint callback is optional in the manual, but leaving it unset is unsafe in the \
                open-source implementation (uninitialised slot, and a fallback that locks twice).",
            misuse: "setting only the four required callbacks",
            consequence: "crash or self-deadlock",
            source: "aclrtAllocatorSetAllocAdviseFuncToDesc; open-source descriptor and GE wrapper",
            seeds: [],
            basis: "source",
            priority: 2,
            class: ByConstruction,
            means: "wrapper always installs it, forwarding to the plain allocate callback",
        }
        ALLOC_18 = "ALLOC-18" {
            text: "Callbacks are invoked under a non-recursive lock and must not re-enter execution or registration.",
            misuse: "allocate callback that launches an operator",
            consequence: "deadlock",
            source: "allocator callback types; GE wrapper source",
            seeds: [],
            basis: "source",
            priority: 2,
            class: Compile,
            means: "trait methods get no ACL token; allocator is Send + !capturing tokens",
        }
        ALLOC_19 = "ALLOC-19" {
            text: "Allocate returns an opaque block or NULL on failure, get-address maps that block to a device \
                address, free takes the same block; blocks stay valid until freed.",
            misuse: "returning the address where the block is expected, or panicking on exhaustion",
            consequence: "undefined",
            source: "allocator callback types",
            seeds: [],
            basis: "header",
            priority: 2,
            class: ByConstruction,
            means: "trampolines box a typed Block; errors become NULL; panics caught",
        }
        ALLOC_20 = "ALLOC-20" {
            text: "Unregistering an unknown stream, or twice, succeeds; a NULL stream is an error in the open-source \
                runtime.",
            misuse: "unregister(NULL) in cleanup",
            consequence: "error",
            source: "aclrtAllocatorUnregister",
            seeds: [],
            basis: "doc+source",
            priority: 3,
            class: ByConstruction,
            means: "only the guard unregisters",
        }
        ALLOC_21 = "ALLOC-21" {
            text: "Querying a stream without a registration is an error, not an empty result.",
            misuse: "probing with GetByStream",
            consequence: "ACL_ERROR_INVALID_PARAM 100000",
            source: "aclrtAllocatorGetByStream, open source",
            seeds: [],
            basis: "source",
            priority: 3,
            class: ByConstruction,
            means: "registration state is known statically; query returns Option",
        }
    }
}
