//! Run mode.

rules! {
    ($) MODE doc_mode {
        MODE_01 = "MODE-01" {
            text: "The run mode decides where transfer buffers live: in host mode host memory is needed (besides \
                device memory), in device mode only device memory.",
            misuse: "hard-coding host buffers and running on the device",
            consequence: "wrong or failing transfers",
            source: "acl.rt.get_run_mode, runtime resource page",
            pages: [ResourcesInPython, ModelLoading, ResourcesInC],
            basis: "doc",
            priority: 1,
            class: ByConstruction,
            means: "The crate asks for the mode once, before a device is taken. If the program runs on the device, \
                host buffers and model images are in device memory, and copies state the direction for that mode.",
            hole: "Vectors and lent slices stay in the program's own memory in both modes. How a device handles them \
                in device mode was not measured.",
        }
        MODE_02 = "MODE-02" {
            text: "Several inputs must be host memory in EP form and device memory in RC or Control-CPU form.",
            misuse: "device pointer in EP form",
            consequence: "failure",
            source: "aclmdlLoadFromMem*, aclrtCreateBinary, aclSetTensorConst, aclopInferShape",
            pages: [ModelLoading],
            basis: "doc",
            priority: 2,
            class: ByConstruction,
            means: "The crate has one such input, a model's image. It is copied to device memory when the program \
                runs on the device.",
        }
        MODE_03 = "MODE-03" {
            text: "Ascend 950, A3 and A2 only know host mode; in RC/Control-CPU forms host and device memory coincide, \
                alignment is the user's job and copy directions collapse to device-to-device.",
            misuse: "relying on 64-byte aligned host memory in RC form",
            consequence: "misalignment",
            source: "aclrtRunMode; aclrtMallocHost and aclrtMemcpyAsync notes",
            pages: [],
            basis: "doc",
            priority: 3,
            class: ByConstruction,
            means: "If the program runs on the device, every copy states device-to-device, and host buffers are \
                aligned as the library aligns device memory.",
            hole: "Vectors and lent slices are aligned for their elements only. No product that runs programs on the \
                device was available.",
        }
    }
}
