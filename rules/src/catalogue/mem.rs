//! Memory.

rules! {
    ($) MEM doc_mem {
        MEM_01 = "MEM-01" {
            text: "Freed memory must never be touched or freed again; the free is immediate and does not wait for \
                tasks.",
            misuse: "free then copy from the pointer; double free",
            consequence: "undefined",
            source: "aclrtFree / aclrtFreeHost",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Freeing takes the buffer by value; the row remembers that it was freed.",
        }
        MEM_02 = "MEM-02" {
            text: "Memory may only be freed once no queued task uses it, because free neither synchronises the stream \
                nor the device.",
            misuse: "memcpy_async into a buffer, then free without synchronise",
            consequence: "device memory corruption",
            source: "aclrtFree, function description",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "Each block carries a stamp of the last work that was queued with it, and is freed when a \
                synchronise has covered that work, never before.",
            hole: "After a failure that leaves open whether work was queued, and a synchronise that fails too, the \
                block stays allocated.",
        }
        MEM_03 = "MEM-03" {
            text: "Each allocation family has its own release function (device, pinned host, physical handle, reserved \
                range, pool, DVPP, managed).",
            misuse: "aclrtFree on memory from aclrtMallocHost",
            consequence: "error or undefined",
            source: "aclrtFree, aclrtFreeHost, VMM, pool, DVPP free functions",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "A block knows which function allocated it, and is freed by the one that belongs to it.",
        }
        MEM_04 = "MEM-04" {
            text: "An allocation size of zero is not allowed.",
            misuse: "aclrtMalloc(&p, 0, ..)",
            consequence: "ACL_ERROR_INVALID_PARAM 100000 (measured)",
            source: "aclrtMalloc and siblings, size parameter; measured",
            seeds: [],
            basis: "doc+source",
            priority: 1,
            class: ByConstruction,
            means: "A buffer without elements is allocated as one byte.",
        }
        MEM_05 = "MEM-05" {
            text: "Freeing a null pointer is an error, not a no-op.",
            misuse: "free(NULL) in a cleanup path",
            consequence: "ACL_ERROR_INVALID_PARAM 100000 (measured)",
            source: "aclrtFree, devPtr parameter; measured",
            seeds: [],
            basis: "doc+source",
            priority: 2,
            class: ByConstruction,
            means: "A block's address is never null: an allocation that answers with null is an `Error::NullAnswer`.",
        }
        MEM_06 = "MEM-06" {
            text: "Device allocation and memory queries act on the device of the thread's current context and fail \
                without one.",
            misuse: "aclrtMalloc on a fresh thread",
            consequence: "ACL_ERROR_RT_CONTEXT_NULL 107002 (measured)",
            source: "aclrtMalloc; aclrtGetMemInfo; measured",
            seeds: [],
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
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "A new buffer's elements are `MaybeUninit` until all of it was written.",
            hole: "That a queued copy failed on the device is seen when its stream is waited for, not in the buffer's \
                type.",
        }
        MEM_08 = "MEM-08" {
            text: "When one block is carved up, each piece needs a 64-byte aligned start and a length rounded up to 32 \
                plus 32 spare bytes (no spare on Ascend 950).",
            misuse: "packing pieces back to back",
            consequence: "undefined / misaligned access, 107008",
            source: "aclrtMalloc, sub-allocation rule",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "Blocks are not carved up for the program: each buffer is an allocation of its own.",
            hole: "Allocators hand pieces to the library; those of `PoolAllocator` start at multiples of 512 bytes, \
                and `DeviceAllocator` states what others have to keep.",
        }
        MEM_09 = "MEM-09" {
            text: "Only one policy value per call, except the documented combinations of aclrtMallocWithCfg; \
                aclrtMallocCached accepts a subset.",
            misuse: "OR-ing two page policies",
            consequence: "error or fallback policy",
            source: "aclrtMalloc* policy parameter",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "Every allocation is made with the same single policy.",
        }
        MEM_10 = "MEM-10" {
            text: "Host memory is not usable by device code and device memory is not dereferenceable on the host.",
            misuse: "passing a host pointer to a model dataset, or dereferencing a device pointer",
            consequence: "crash or wrong result",
            source: "aclrtMallocHost (acl_rt.h); dev_guide 02",
            seeds: [],
            basis: "doc+header",
            priority: 1,
            class: Compile,
            means: "A `DeviceBuffer` is no slice, and models get memory that was allocated on the device.",
        }
        MEM_11 = "MEM-11" {
            text: "Device memory belongs to one device and can only be used by work on that device (unless peer access \
                is set up), and is freed while that device is current.",
            misuse: "buffer from device 0 in a kernel on device 1, or freed while device 1 is current",
            consequence: "failure or invalid access",
            source: "dev_guide 05; aclrtReduceAsync, aclrtLaunchKernel",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Buffers carry the brand of their context, and a context has one device; what has no brand, a pool, is \
                compared with the context at run time, and a context frees the blocks of its own ledger only.",
        }
        MEM_12 = "MEM-12" {
            text: "Resetting the device invalidates its allocations, so buffers may not outlive it.",
            misuse: "free after reset",
            consequence: "undefined",
            source: "aclrtResetDevice",
            seeds: [],
            basis: "doc",
            priority: 1,
            class: Compile,
            means: "Buffers cannot leave their context's scope, which frees them, and the scope ends before its device \
                can be reset.",
        }
        MEM_13 = "MEM-13" {
            text: "The synchronising free waits for the device and is the only free that is safe with work in flight.",
            misuse: "using plain free in Drop",
            consequence: "corruption",
            source: "aclrtFreeWithDevSync / aclrtFreeHostWithDevSync",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "`aclrtFree` is called for idle memory only, by the stamps of its last use.",
        }
        MEM_14 = "MEM-14" {
            text: "Registering host memory needs 4 KiB alignment, pairs with one unregister, must be unregistered \
                before the host memory is freed, and pinning pageable memory needs an OS kernel newer than 5.10.",
            misuse: "freeing a registered Vec, or registering twice",
            consequence: "507910 / 507911 or errors",
            source: "aclrtHostRegister(V2) / Unregister; 507910, 507911",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for registering host memory.",
        }
        MEM_15 = "MEM-15" {
            text: "The device address of registered host memory may only be used by device code; copying with it or \
                querying its attributes is not allowed.",
            misuse: "aclrtMemcpy with the mapped address",
            consequence: "undefined",
            source: "aclrtHostGetDevicePointer; aclrtPointerGetAttributes",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for registering host memory, and so no address of it.",
        }
        MEM_16 = "MEM-16" {
            text: "Setting host memory through ACL is only defined for host memory allocated by ACL, and the length \
                must not exceed the buffer.",
            misuse: "aclrtMemset on malloc memory",
            consequence: "undefined",
            source: "aclrtMemset / aclrtMemsetAsync",
            seeds: [],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "`DeviceBuffer::zero` and `Stream::set_bytes` set memory that the library allocated, by its own \
                length.",
        }
        MEM_17 = "MEM-17" {
            text: "Managed memory is freed with aclrtFree, sizes and ranges are 2 MiB based, and only the \
                global-attach flag is accepted.",
            misuse: "advise on ordinary memory",
            consequence: "error",
            source: "aclrtMemAllocManaged",
            seeds: [],
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
            seeds: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There are no memory pools of the library.",
        }
    }
}
