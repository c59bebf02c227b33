//! Run mode.

rules! {
    ($) MODE doc_mode {
        MODE_01 = "MODE-01" {
            text: "The run mode decides where transfer buffers live: in host mode host memory is needed (besides \
                device memory), in device mode only device memory.",
            misuse: "hard-coding host buffers and running on the device",
            consequence: "wrong or failing transfers",
            source: "acl.rt.get_run_mode, runtime resource page",
            seeds: [S002, S003, S004],
            basis: "doc",
            priority: 1,
            class: Limit,
            means: "`Acl::run_mode` tells where the program runs; copies are written as on a host.",
            hole: "Where a program puts its buffers is its own choice, and what a device-side program may copy could \
                not be measured.",
        }
        MODE_02 = "MODE-02" {
            text: "Several inputs must be host memory in EP form and device memory in RC or Control-CPU form.",
            misuse: "device pointer in EP form",
            consequence: "failure",
            source: "aclmdlLoadFromMem*, aclrtCreateBinary, aclSetTensorConst, aclopInferShape",
            seeds: [S003],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "The one such input here is a model's image, which is copied to device memory when the program runs \
                on the device.",
        }
        MODE_03 = "MODE-03" {
            text: "Ascend 950, A3 and A2 only know host mode; in RC/Control-CPU forms host and device memory coincide, \
                alignment is the user's job and copy directions collapse to device-to-device.",
            misuse: "relying on 64-byte aligned host memory in RC form",
            consequence: "misalignment",
            source: "aclrtRunMode; aclrtMallocHost and aclrtMemcpyAsync notes",
            seeds: [],
            basis: "doc",
            priority: 3,
            class: Limit,
            means: "`Acl::run_mode` tells where the program runs.",
            hole: "No product that runs programs on the device was at hand: directions and alignment there follow the \
                host's rules.",
        }
    }
}
