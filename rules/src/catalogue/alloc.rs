//! The caller's allocators.

rules! {
    ($) ALLOC doc_alloc {
        ALLOC_01 = "ALLOC-01" {
            text: "An allocator can only be registered on a non-NULL stream, so never on the default stream via NULL.",
            misuse: "allocator_register(0, desc)",
            consequence: "ACL_ERROR_INVALID_PARAM 100000; the handle of the queried default stream is taken (both \
                measured)",
            source: "aclrtAllocatorRegister, stream parameter; measured",
            seeds: [S000],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "`Stream::register` is a method of explicit streams; that of `DefaultStream` asks for a trait that \
                it does not have.",
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
            means: "The product's name is compared before the library is asked; `Error::UnsupportedProduct` gives \
                stream and allocator back.",
            hole: "IPV350 is not told apart: the library's name for it is not known to this project.",
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
            class: Limit,
            means: "The documentation of `DeviceAllocator` says what it is asked for; no buffer is ever said to come \
                from it.",
            hole: "Which work takes memory from an allocator is the library's decision: a static model runs on a \
                stream with an allocator, and uses none of it.",
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
            means: "Work that allocates needs a stream that is decided, and registering needs one that is not.",
        }
        ALLOC_05 = "ALLOC-05" {
            text: "For dynamic-shape models, register before aclmdlExecuteAsync, and use that asynchronous call rather \
                than the synchronous one.",
            misuse: "allocator registered, then aclmdlExecute",
            consequence: "allocator not used",
            source: "aclrtAllocatorRegister, restrictions",
            seeds: [S000],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "Executing asynchronously needs a stream that is decided; `Model::run`, which is synchronous, takes \
                no stream.",
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
            means: "Registering creates the descriptor itself; a null one is an `Error::NullAnswer`.",
        }
        ALLOC_07 = "ALLOC-07" {
            text: "Object, allocate, get-address and free callbacks must all be set before registration.",
            misuse: "registering with the free callback missing",
            consequence: "measured: without object or allocate function 100000, without the free function 0, without \
                the address function one or the other by what the fresh memory holds",
            source: "aclrtAllocatorSetObj/AllocFunc/GetAddrFromBlockFunc/FreeFuncToDesc; measured",
            seeds: [S000],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "The required methods of `DeviceAllocator` are the mandatory members; a `Descriptor` that lacks one \
                is not accepted by `Stream::register_descriptor`.",
        }
        ALLOC_08 = "ALLOC-08" {
            text: "The descriptor has to be destroyed once it is no longer needed, and once only.",
            misuse: "leak, or double destroy",
            consequence: "leak; a second destroy crashes (measured)",
            source: "aclrtAllocatorDestroyDesc; measured",
            seeds: [S000],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "The stream's row owns the descriptor and destroys it when the registration ended or was replaced, \
                once.",
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
            means: "`Stream::replace` takes a stream with an allocator and gives that allocator back; registering over \
                it does not compile.",
            hole: "Another library that gets at the stream's handle could register over it.",
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
            means: "An allocator moves into its stream; one that several streams share runs by a `Permit`, which only \
                a finished `Turn` gives back.",
            hole: "Two allocators over one pool are two values to the compiler; `DeviceAllocator` is an unsafe trait \
                that forbids it.",
        }
        ALLOC_11 = "ALLOC-11" {
            text: "Before the allocator gives memory back to the operating system, the stream must be synchronised.",
            misuse: "trim/drop of the pool while tasks run",
            consequence: "use after free on the device",
            source: "aclrtAllocatorRegister, restrictions",
            seeds: [S000, S001],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "The allocator comes back from `Stream::unregister`, `Stream::replace` and `Stream::destroy`, which \
                synchronise first; a registered one gives memory back against an `Idle`, which a synchronise makes and \
                which keeps the stream from running.",
            hole: "An allocator that releases memory inside one of its own methods breaks the promise of its unsafe \
                trait.",
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
            means: "A registered allocator is owned by the stream's row, and is given out when the registration has \
                ended.",
            hole: "What a `Descriptor` of C functions points to is kept by whoever calls the unsafe \
                `Stream::register_descriptor`.",
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
            means: "The allocator is part of its stream's type, and work is queued by that stream's methods; any other \
                stream is to be decided by itself.",
        }
        ALLOC_14 = "ALLOC-14" {
            text: "The free callback only returns a block to the pool: queued tasks may still use it, so the block may \
                be reused in stream order but not unmapped, returned to the OS or given to another stream before a \
                synchronise.",
            misuse: "free callback that calls aclrtFree",
            consequence: "device memory corruption",
            source: "aclrtAllocatorRegister, last restriction; GE source",
            seeds: [S000],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "`PoolAllocator` hands a returned piece out again to its own stream or group, and releases memory \
                against an `Idle` or when it is registered nowhere.",
            hole: "What another allocator does with a block that it got back is its own code; `DeviceAllocator` is an \
                unsafe trait that states the promise.",
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
            means: "Registering needs a stream that is not decided; nothing leads back from `Plain`.",
        }
        ALLOC_16 = "ALLOC-16" {
            text: "Destroying a stream does not remove its registration entry; a new stream with the same handle value \
                could inherit it.",
            misuse: "destroy stream without unregistering",
            consequence: "stale callbacks on a new stream: the next stream was created at the same address (measured)",
            source: "open-source runtime, registration table; measured",
            seeds: [],
            basis: "source",
            priority: 2,
            class: ByConstruction,
            means: "Destroying a stream ends its registration first.",
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
            means: "All five members are always set: `DeviceAllocator::allocate_near` forwards to `allocate`, and a \
                `Descriptor` without one gets a function that finds nothing.",
        }
        ALLOC_18 = "ALLOC-18" {
            text: "Callbacks are invoked under a non-recursive lock and must not re-enter execution or registration.",
            misuse: "allocate callback that launches an operator",
            consequence: "deadlock",
            source: "allocator callback types; GE wrapper source",
            seeds: [],
            basis: "source",
            priority: 2,
            class: RunTime,
            means: "While the library is inside an allocator, this thread gets no `Thread` and every call answers \
                `Error::InsideCallback`; an allocator is `'static` and cannot hold a `Current`.",
            hole: "C functions of a `Descriptor` can call the library directly.",
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
            means: "The library gets a block as a boxed pointer that comes back once; `None` and a panic become null.",
        }
        ALLOC_20 = "ALLOC-20" {
            text: "Unregistering an unknown stream, or twice, succeeds; a NULL stream is an error in the open-source \
                runtime.",
            misuse: "unregister(NULL) in cleanup",
            consequence: "ACL_ERROR_INVALID_PARAM 100000 for NULL (measured)",
            source: "aclrtAllocatorUnregister; measured",
            seeds: [],
            basis: "doc+source",
            priority: 3,
            class: Compile,
            means: "`Stream::unregister` is there for streams with an allocator only.",
        }
        ALLOC_21 = "ALLOC-21" {
            text: "Querying a stream without a registration is an error, not an empty result.",
            misuse: "probing with GetByStream",
            consequence: "ACL_ERROR_INVALID_PARAM 100000 (measured)",
            source: "aclrtAllocatorGetByStream, open source; measured",
            seeds: [],
            basis: "source",
            priority: 3,
            class: NotOffered,
            means: "The library is never asked: what is registered is in the stream's type.",
        }
    }
}
