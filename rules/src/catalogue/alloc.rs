//! The caller's allocators.

rules! {
    ($) ALLOC doc_alloc {
        ALLOC_01 = "ALLOC-01" {
            text: "An allocator can only be registered on a non-NULL stream, so never on the default stream via NULL.",
            misuse: "allocator_register(0, desc)",
            consequence: "NULL is refused with ACL_ERROR_INVALID_PARAM 100000; the handle of the queried default \
                stream is accepted (both measured)",
            source: "aclrtAllocatorRegister, stream parameter; measured",
            pages: [AllocatorRegistration],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "`Stream::register` is a method of explicit streams. On `DefaultStream` the method needs a trait \
                that `DefaultStream` does not implement.",
        }
        ALLOC_02 = "ALLOC-02" {
            text: "Not supported on Atlas 200I/500 A2 inference products (and IPV350 in the current reference).",
            misuse: "registering an allocator on a 200I/500 A2",
            consequence: "unsupported",
            source: "aclrtAllocatorRegister, product support",
            pages: [AllocatorRegistration],
            basis: "doc",
            priority: 1,
            class: RunTime,
            means: "The crate checks the product's name before it calls the library. `Error::UnsupportedProduct` \
                returns the stream and the allocator.",
            hole: "IPV350 is not recognised: this project does not know the name that the library reports for it.",
        }
        ALLOC_03 = "ALLOC-03" {
            text: "A registered allocator only takes effect when single-operator models or dynamic-shape models are \
                run.",
            misuse: "expecting static-shape models or aclrtMalloc to go through it",
            consequence: "allocator silently not used",
            source: "aclrtAllocatorRegister, restrictions",
            pages: [AllocatorRegistration],
            basis: "doc",
            priority: 1,
            class: Limit,
            means: "The documentation of `DeviceAllocator` lists the work that uses it. No buffer is documented as \
                coming from it.",
            hole: "The library decides which work takes memory from an allocator. A static model runs on a stream \
                with an allocator and takes nothing from it.",
        }
        ALLOC_04 = "ALLOC-04" {
            text: "For single operators, register before calling the execute API.",
            misuse: "execute_v2 first, register afterwards",
            consequence: "vendor: required order; source: first run fixes the default allocator for the stream",
            source: "aclrtAllocatorRegister, restrictions",
            pages: [AllocatorRegistration],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Work that allocates needs a stream whose allocator is decided; registering needs a stream whose \
                allocator is undecided.",
        }
        ALLOC_05 = "ALLOC-05" {
            text: "For dynamic-shape models, register before aclmdlExecuteAsync, and use that asynchronous call rather \
                than the synchronous one.",
            misuse: "allocator registered, then aclmdlExecute",
            consequence: "allocator not used",
            source: "aclrtAllocatorRegister, restrictions",
            pages: [AllocatorRegistration],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "Asynchronous execution needs a stream whose allocator is decided. `Model::run` is synchronous \
                and takes no stream.",
        }
        ALLOC_06 = "ALLOC-06" {
            text: "The allocator descriptor must be created before anything is set on it or registered.",
            misuse: "set callbacks on a null descriptor",
            consequence: "error returned",
            source: "aclrtAllocatorCreateDesc",
            pages: [AllocatorRegistration],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Registering creates the descriptor itself. A null descriptor is an `Error::NullAnswer`.",
        }
        ALLOC_07 = "ALLOC-07" {
            text: "Object, allocate, get-address and free callbacks must all be set before registration.",
            misuse: "registering with the free callback missing",
            consequence: "measured: 100000 without the object or the allocate function; 0 without the free function; \
                without the address function either code, depending on the contents of the fresh memory",
            source: "aclrtAllocatorSetObj/AllocFunc/GetAddrFromBlockFunc/FreeFuncToDesc; measured",
            pages: [AllocatorRegistration],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "The required methods of `DeviceAllocator` are the mandatory members. \
                `Stream::register_descriptor` does not accept a `Descriptor` that lacks one.",
        }
        ALLOC_08 = "ALLOC-08" {
            text: "The descriptor has to be destroyed once it is no longer needed, and once only.",
            misuse: "leak, or double destroy",
            consequence: "leak; a second destroy crashes (measured)",
            source: "aclrtAllocatorDestroyDesc; measured",
            pages: [AllocatorRegistration],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "The stream's row owns the descriptor. It destroys the descriptor once, after the registration \
                ended or was replaced.",
        }
        ALLOC_09 = "ALLOC-09" {
            text: "Registering again on the same stream replaces the earlier registration.",
            misuse: "a helper library re-registers and displaces the caller's allocator",
            consequence: "last one wins silently",
            source: "aclrtAllocatorRegister, restrictions",
            pages: [AllocatorRegistration, GraphEngineAllocators],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "`Stream::replace` takes a stream with an allocator and returns the old allocator. Registering a \
                second time does not compile.",
            hole: "Another library that obtains the stream's handle could register its own allocator on it.",
        }
        ALLOC_10 = "ALLOC-10" {
            text: "One allocator used for several streams must not serve them concurrently; the previous stream is \
                synchronised before the next one runs.",
            misuse: "same allocator on s1 and s2, execute on both, then synchronise",
            consequence: "undefined (memory handed to two streams)",
            source: "aclrtAllocatorRegister, restrictions",
            pages: [AllocatorRegistration, GraphEngineAllocators],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "An allocator moves into its stream. Streams that share an allocator run by an `AllocatorGroup`, and only \
                a finished `GroupTurn` returns the `AllocatorGroup`.",
            hole: "Two allocators over one pool are two values to the compiler. The unsafe trait `DeviceAllocator` \
                forbids them.",
        }
        ALLOC_11 = "ALLOC-11" {
            text: "Before the allocator gives memory back to the operating system, the stream must be synchronised.",
            misuse: "trim/drop of the pool while tasks run",
            consequence: "use after free on the device",
            source: "aclrtAllocatorRegister, restrictions",
            pages: [AllocatorRegistration, GraphEngineAllocators],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "`Stream::unregister`, `Stream::replace` and `Stream::destroy` synchronise before they return the \
                allocator. A registered allocator releases memory with an `IdleProof`: only a synchronise creates \
                it, and the stream cannot run while it exists.",
            hole: "An allocator that releases memory inside one of its own methods breaks the promise of its unsafe \
                trait.",
        }
        ALLOC_12 = "ALLOC-12" {
            text: "Unregister before the allocator object is destroyed.",
            misuse: "dropping the allocator while registered",
            consequence: "dangling callbacks",
            source: "aclrtAllocatorUnregister",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "The stream's row owns a registered allocator. The allocator is returned after the registration \
                ended.",
            hole: "The caller of the unsafe `Stream::register_descriptor` keeps alive what the C functions of a \
                `Descriptor` use.",
        }
        ALLOC_13 = "ALLOC-13" {
            text: "The stream given at registration and the stream used for execution must be the same.",
            misuse: "register on s1, execute_async on s2",
            consequence: "allocator not used",
            source: "aclmdlExecuteAsync, constraints",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "The allocator is part of its stream's type, and work is queued by methods of that stream. The \
                allocator of every other stream is decided separately.",
        }
        ALLOC_14 = "ALLOC-14" {
            text: "The free callback only returns a block to the pool: queued tasks may still use it, so the block may \
                be reused in stream order but not unmapped, returned to the OS or given to another stream before a \
                synchronise.",
            misuse: "free callback that calls aclrtFree",
            consequence: "device memory corruption",
            source: "aclrtAllocatorRegister, last restriction; GE source",
            pages: [AllocatorRegistration],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "`PoolAllocator` reuses a returned block for its own stream or group only. It releases memory \
                with an `IdleProof`, or while it is not registered.",
            hole: "Another allocator decides itself what it does with a returned block. The unsafe trait \
                `DeviceAllocator` states the promise.",
        }
        ALLOC_15 = "ALLOC-15" {
            text: "If a stream has already executed a single operator with the built-in allocator, a later \
                registration on it is ignored for the stream's whole life.",
            misuse: "register after warm-up",
            consequence: "silently ignored",
            source: "open-source ACL resource manager",
            pages: [],
            basis: "source",
            priority: 1,
            class: Compile,
            means: "Registering needs a stream in state `Undecided`. No method leads back from `DefaultAllocator` to `Undecided`.",
        }
        ALLOC_16 = "ALLOC-16" {
            text: "Destroying a stream does not remove its registration entry; a new stream with the same handle value \
                could inherit it.",
            misuse: "destroy stream without unregistering",
            consequence: "stale callbacks on a new stream: the next stream was created at the same address (measured)",
            source: "open-source runtime, registration table; measured",
            pages: [],
            basis: "source",
            priority: 2,
            class: ByConstruction,
            means: "Destroying a stream ends its registration first. For the streams that a forced reset has ended with \
                the default context, `Device::recover` ends the registrations before anybody can take the device again. \
                Their allocators give the library no further memory, even if the library refuses to end the registration.",
            hole: "The library may call the C functions of a `Descriptor` for a new stream when it has refused to end \
                the registration of a stream that a forced reset has ended.",
        }
        ALLOC_17 = "ALLOC-17" {
            text: "The address-hint callback is optional in the manual, but leaving it unset is unsafe in the \
                open-source implementation (uninitialised slot, and a fallback that locks twice).",
            misuse: "setting only the four required callbacks",
            consequence: "crash or self-deadlock",
            source: "aclrtAllocatorSetAllocAdviseFuncToDesc; open-source descriptor and GE wrapper",
            pages: [],
            basis: "source",
            priority: 2,
            class: ByConstruction,
            means: "All five members are always set. `DeviceAllocator::allocate_near` forwards to `allocate`. A \
                `Descriptor` without that function gets one that returns null.",
        }
        ALLOC_18 = "ALLOC-18" {
            text: "Callbacks are invoked under a non-recursive lock and must not re-enter execution or registration.",
            misuse: "allocate callback that launches an operator",
            consequence: "deadlock",
            source: "allocator callback types; GE wrapper source",
            pages: [],
            basis: "source",
            priority: 2,
            class: RunTime,
            means: "While the library is inside an allocator, this thread gets no `Thread`, and calls that begin something \
                return `Error::InsideCallback`. An allocator is `'static`, so it cannot hold a `Current`.",
            hole: "C functions of a `Descriptor` can call the library directly. A method or a destructor of an allocator, \
                or a destructor of its block, can use a `Current` that it finds in a variable of the thread; the unsafe \
                trait forbids it.",
        }
        ALLOC_19 = "ALLOC-19" {
            text: "Allocate returns an opaque block or NULL on failure, get-address maps that block to a device \
                address, free takes the same block; blocks stay valid until freed.",
            misuse: "returning the address where the block is expected, or panicking on exhaustion",
            consequence: "undefined",
            source: "allocator callback types",
            pages: [],
            basis: "header",
            priority: 2,
            class: ByConstruction,
            means: "The library receives a block as a boxed pointer and returns it once. `None` and a panic become \
                null.",
        }
        ALLOC_20 = "ALLOC-20" {
            text: "Unregistering an unknown stream, or twice, succeeds; a NULL stream is an error in the open-source \
                runtime.",
            misuse: "unregister(NULL) in cleanup",
            consequence: "ACL_ERROR_INVALID_PARAM 100000 for NULL (measured)",
            source: "aclrtAllocatorUnregister; measured",
            pages: [],
            basis: "doc+source",
            priority: 3,
            class: Compile,
            means: "`Stream::unregister` exists for streams with an allocator only.",
        }
        ALLOC_21 = "ALLOC-21" {
            text: "Querying a stream without a registration is an error, not an empty result.",
            misuse: "probing with GetByStream",
            consequence: "ACL_ERROR_INVALID_PARAM 100000 (measured)",
            source: "aclrtAllocatorGetByStream, open source; measured",
            pages: [],
            basis: "source",
            priority: 3,
            class: NotOffered,
            means: "The crate never asks the library: the stream's type says what is registered.",
        }
    }
}
