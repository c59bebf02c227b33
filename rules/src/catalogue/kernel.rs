//! Kernels.

rules! {
    ($) KERNEL doc_kernel {
        KERNEL_01 = "KERNEL-01" {
            text: "Kernel use follows load binary, get function, launch, synchronise, unload; functions die with their \
                binary.",
            misuse: "launch after unload, or unload with tasks queued",
            consequence: "507024 / invalid handle",
            source: "aclrtBinaryLoad* / GetFunction / Launch / UnLoad",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for launching kernels.",
        }
        KERNEL_02 = "KERNEL-02" {
            text: "Unload in the same context as the load.",
            misuse: "unload from another context",
            consequence: "device copy not released properly",
            source: "aclrtBinaryUnLoad, constraints",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for launching kernels.",
        }
        KERNEL_03 = "KERNEL-03" {
            text: "Launch on the device the binary was loaded to, with argument memory on that same device; symbol \
                handles must be fetched again per device.",
            misuse: "load on device 0, launch on device 1",
            consequence: "failure",
            source: "aclrtBinaryLoadFromData; aclrtLaunchKernel",
            pages: [],
            basis: "doc",
            priority: 2,
            class: NotOffered,
            means: "There is no API for launching kernels.",
        }
        KERNEL_04 = "KERNEL-04" {
            text: "Arguments are appended left to right (at most 128), placeholders filled after all appends, and the \
                list finalised before launch and again after every update.",
            misuse: "launch without finalise",
            consequence: "error / wrong arguments",
            source: "aclrtKernelArgs*",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for launching kernels.",
        }
        KERNEL_05 = "KERNEL-05" {
            text: "The argument array must match the kernel's parameter order, count and packing.",
            misuse: "one argument missing",
            consequence: "undefined",
            source: "aclrtLaunchKernelWithArgsArray / HostArgs",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for launching kernels.",
        }
        KERNEL_06 = "KERNEL-06" {
            text: "Binary data location depends on the run mode, the data stays owned by the user, and binaries only \
                run on the product they were built for.",
            misuse: "device pointer in host mode",
            consequence: "error",
            source: "aclrtCreateBinary / DestroyBinary",
            pages: [],
            basis: "doc",
            priority: 3,
            class: NotOffered,
            means: "There is no API for launching kernels.",
        }
    }
}
