//! Memory.

rules! {
    ($) MEM doc_mem {
        MEM_01 = "MEM-01" {
            text: "Freed memory must never be touched or freed again; the free is immediate and does not wait for \
                tasks.",
            misuse: "free then copy from the pointer; double free",
            consequence: "undefined",
            source: "aclrtFree / aclrtFreeHost",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Freeing takes the buffer by value, and its row remembers that it was freed.",
        }
        MEM_02 = "MEM-02" {
            text: "Memory may only be freed once no queued task uses it, because free neither synchronises the stream \
                nor the device.",
            misuse: "memcpy_async into a buffer, then free without synchronise",
            consequence: "device memory corruption",
            source: "aclrtFree, function description",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Each block has a stamp of the last work that was queued with it. The block is freed only after a \
                synchronise has covered that work.",
            hole: "If a call fails without saying whether work was queued, and the synchronise fails too, the block \
                stays allocated.",
        }
        MEM_03 = "MEM-03" {
            text: "Each allocation family has its own release function (device, pinned host, physical handle, reserved \
                range, pool, DVPP, managed).",
            misuse: "aclrtFree on memory from aclrtMallocHost",
            consequence: "error or undefined",
            source: "aclrtFree, aclrtFreeHost, VMM, pool, DVPP free functions",
            pages: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "A block records the function that allocated it. The matching function frees it.",
        }
        MEM_04 = "MEM-04" {
            text: "An allocation size of zero is not allowed.",
            misuse: "aclrtMalloc(&p, 0, ..)",
            consequence: "ACL_ERROR_INVALID_PARAM 100000 (measured)",
            source: "aclrtMalloc and siblings, size parameter; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "A buffer without elements allocates one byte.",
        }
        MEM_05 = "MEM-05" {
            text: "Freeing a null pointer is an error, not a no-op.",
            misuse: "free(NULL) in a cleanup path",
            consequence: "ACL_ERROR_INVALID_PARAM 100000 (measured)",
            source: "aclrtFree, devPtr parameter; measured",
            pages: [],
            basis: "doc+source",
            priority: 2,
            class: ByConstruction,
            means: "A block's address is never null: an allocation that returns null is an `Error::NullAnswer`.",
        }
        MEM_06 = "MEM-06" {
            text: "Device allocation and memory queries act on the device of the thread's current context and fail \
                without one.",
            misuse: "aclrtMalloc on a fresh thread",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002 (measured)",
            source: "aclrtMalloc; aclrtGetMemInfo; measured",
            pages: [],
            basis: "doc+source",
            priority: 1,
            class: Compile,
            means: "Buffers are allocated by methods of `Current`.",
        }
        MEM_07 = "MEM-07" {
            text: "Fresh memory holds arbitrary contents.",
            misuse: "copying an uninitialised buffer back and interpreting it",
            consequence: "garbage values",
            source: "aclrtMalloc / aclrtMallocHost, constraints",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "The elements of a new buffer are `MaybeUninit` until all of them were written.",
            hole: "If a queued copy fails on the device, waiting for its stream reports it; the buffer's type does \
                not. A queued or captured copy of a whole output of a model also copies what a run in a smaller shape has \
                not written.",
        }
        MEM_08 = "MEM-08" {
            text: "When one block is carved up, each piece needs a 64-byte aligned start and a length rounded up to 32 \
                plus 32 spare bytes (no spare on Ascend 950).",
            misuse: "packing pieces back to back",
            consequence: "undefined / misaligned access, 107008",
            source: "aclrtMalloc, sub-allocation rule",
            pages: [],
            basis: "doc",
            priority: 2,
            class: RunTime,
            means: "The buffers of a `DeviceArena` begin at multiples of 64 bytes and have the spare bytes behind them. \
                Parts of a `SharedBuffer` are only read. A model or an operator takes one only if it begins at a \
                multiple of 64 bytes; else it is an `Error::MisalignedPart`. A part that is written is the only one \
                with a name, so nothing lies behind it that anybody uses.",
            hole: "Allocators pass parts of a block to the library. Those of `PoolAllocator` start at multiples of \
                512 bytes. `DeviceAllocator` states what other allocators must keep.",
        }
        MEM_09 = "MEM-09" {
            text: "Only one policy value per call, except the documented combinations of aclrtMallocWithCfg; \
                aclrtMallocCached accepts a subset.",
            misuse: "OR-ing two page policies",
            consequence: "error or fallback policy",
            source: "aclrtMalloc* policy parameter",
            pages: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "A `MemoryPolicy` is one policy; combinations cannot be written.",
        }
        MEM_10 = "MEM-10" {
            text: "Host memory is not usable by device code and device memory is not dereferenceable on the host.",
            misuse: "passing a host pointer to a model dataset, or dereferencing a device pointer",
            consequence: "crash or wrong result",
            source: "aclrtMallocHost (acl_rt.h); developer guide on memory",
            pages: [],
            basis: "doc+header",
            priority: 1,
            class: Compile,
            means: "A `DeviceBuffer` does not dereference to a slice. Models get memory that was allocated on the \
                device.",
        }
        MEM_11 = "MEM-11" {
            text: "Device memory belongs to one device and can only be used by work on that device (unless peer access \
                is set up).",
            misuse: "buffer from device 0 in a kernel on device 1",
            consequence: "failure or invalid access",
            source: "developer guide on several devices; aclrtReduceAsync, aclrtLaunchKernel",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Buffers carry the brand of their context, and a context has one device. A pool has no brand, so \
                it is compared with the context at run time. The library frees memory of any device. In this crate, memory \
                is read, written and freed while its own context is current, because a context has the ledger of its blocks.",
        }
        MEM_12 = "MEM-12" {
            text: "Resetting the device invalidates its allocations, so buffers may not outlive it.",
            misuse: "free after reset",
            consequence: "undefined",
            source: "aclrtResetDevice",
            pages: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Buffers cannot leave their context's scope, which frees them. The scope ends before its device \
                can be reset.",
        }
        MEM_13 = "MEM-13" {
            text: "The synchronising free waits for the device and is the only free that is safe with work in flight.",
            misuse: "using plain free in Drop",
            consequence: "corruption",
            source: "aclrtFreeWithDevSync / aclrtFreeHostWithDevSync",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "The crate calls `aclrtFree` for idle memory only. The stamps of the last use tell when memory is \
                idle.",
        }
        MEM_14 = "MEM-14" {
            text: "Registering host memory needs 4 KiB alignment, pairs with one unregister, must be unregistered \
                before the host memory is freed, and pinning pageable memory needs an OS kernel newer than 5.10.",
            misuse: "freeing a registered Vec, or registering twice",
            consequence: "507910 / 507911 or errors",
            source: "aclrtHostRegister(V2) / Unregister; 507910, 507911",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "`Current::register` takes `Pages`: whole pages that the program owns. The row of the buffer keeps \
                them, and `HostBuffer::unregister`, the collection or the end of the scope give them up after the \
                library has agreed to the end of the registration, once, and when no work uses them.",
            hole: "The age of the system's kernel is not asked for: the library refuses where it is too old.",
        }
        MEM_15 = "MEM-15" {
            text: "The device address of registered host memory may only be used by device code; copying with it or \
                querying its attributes is not allowed.",
            misuse: "aclrtMemcpy with the mapped address",
            consequence: "undefined",
            source: "aclrtHostGetDevicePointer; aclrtPointerGetAttributes",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "Memory is registered as pinned and not as mapped, and nobody asks for such an address.",
        }
        MEM_16 = "MEM-16" {
            text: "Setting host memory through ACL is only defined for host memory allocated by ACL, and the length \
                must not exceed the buffer.",
            misuse: "aclrtMemset on malloc memory",
            consequence: "undefined",
            source: "aclrtMemset / aclrtMemsetAsync",
            pages: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "`DeviceBuffer::zero` and `Stream::set_bytes` set memory that the library allocated. The buffer \
                determines the length.",
        }
        MEM_17 = "MEM-17" {
            text: "Managed memory is freed with aclrtFree, sizes and ranges are 2 MiB based, and only the \
                global-attach flag is accepted.",
            misuse: "advise on ordinary memory",
            consequence: "error",
            source: "aclrtMemAllocManaged",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no managed memory.",
        }
        MEM_18 = "MEM-18" {
            text: "Pool frees only return memory to the pool in stream order; the pool must outlive its allocations \
                and be destroyed after the streams using it are synchronised.",
            misuse: "destroying the pool with allocations outstanding",
            consequence: "undefined",
            source: "stream-ordered pool (SOMA)",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for the library's memory pools.",
        }
    }
}
